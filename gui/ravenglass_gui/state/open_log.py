"""A trace log that is open: what it says of each call, counted over all its turns. Nothing here is simulated.

What the log does not hold is None, never 0 and never made up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ravenglass.sessions.model.session import Session
from ravenglass.trace import TraceEvent
from ravenglass.traces import CallSummary, LoggedMessage, LoggedMessages, TraceCall, TraceLog, TraceReplay, summarise
from ravenglass.traces.stepping import LoggedPath, LogState
from ravenglass.traces.verdicts import ids
from ravenglass_gui.text.numbers import amount


@dataclass(frozen=True, slots=True)
class LogRow:
    """A message at a call, as far as the log describes it. `included` None: the log does not say."""

    message: LoggedMessage
    included: bool | None
    archived: bool


class OpenLog:
    """Calls are numbered from 1 over the whole log."""

    def __init__(self, log: TraceLog) -> None:
        self.log = log
        self._calls = log.calls
        self._summaries: dict[int, CallSummary] = {}

    @property
    def path(self) -> Path:
        return self.log.path

    @property
    def calls(self) -> int:
        return len(self._calls)

    @property
    def session(self) -> str:
        """Key of the session that the log belongs to; empty where it does not say."""
        return next((turn.session for turn in self.log.turns if turn.session), "")

    def call(self, number: int) -> TraceCall:
        return self._calls[number - 1][1]

    def summary(self, number: int) -> CallSummary:
        """The figures of a call."""
        if number not in self._summaries:
            self._summaries[number] = summarise(self.call(number))
        return self._summaries[number]

    @cached_property
    def paths(self) -> tuple[LoggedPath | None, ...]:
        """The path of every call; None for one that the log leaves undecided."""
        return tuple(self.summary(number).path for number in range(1, self.calls + 1))

    @cached_property
    def turn_starts(self) -> list[int]:
        """The first call of every turn."""
        starts, number = [], 1
        for turn in self.log.turns:
            if turn.calls:
                starts.append(number)
            number += len(turn.calls)
        return starts

    def events(self, number: int) -> tuple[TraceEvent, ...]:
        """The records of a call in file order, those that are JSON but no event left out."""
        found = (record.to_event(number) for record in self.call(number).records if record.event)
        return tuple(replace(event, messages=ids(event.payload.get("messages"))) for event in found)

    def state(self, number: int) -> LogState:
        """What is true when a call is over, as far as the log says it."""
        return TraceReplay(self.call(number)).run()

    def beside(self, session: Session) -> tuple[TraceEvent, ...]:
        """All records, each with the call of the session that was decided on as many messages as the log says; 0 where
        the session holds no such call (it was never answered, or it is not a call of the model)."""
        calls = {call.message: call.number for call in session.structure.calls}
        return tuple(
            replace(event, call=calls.get(known, 0) if (known := self.summary(number).message_count) is not None else 0)
            for number in range(1, self.calls + 1)
            for event in self.events(number)
        )

    @cached_property
    def _everywhere(self) -> LoggedMessages:
        return LoggedMessages(record for turn in self.log.turns for record in turn.records)

    def rows(self, number: int) -> list[LogRow]:
        """The messages that a call knew: as it describes them itself, else as any other call does."""
        here, elsewhere = LoggedMessages(self.call(number).records), self._everywhere
        known = self.summary(number).message_count
        described = {m.id for m in here}
        listed = sorted({*(range(known) if known is not None else ()), *described, *(self._included(number) or ())})
        included = self._included(number)
        archived = set(self.state(number).archived)
        return [
            LogRow(
                here[m] if m in described else elsewhere[m],
                self.paths[number - 1] == "fast" or None if included is None else m in included,
                m in archived,
            )
            for m in listed
        ]  # fmt: skip

    def message(self, message: int) -> LoggedMessage:
        """What is said of a message anywhere in the log."""
        return self._everywhere[message]

    def _included(self, number: int) -> frozenset[int] | None:
        made = self.summary(number)
        if made.verdict is not None and made.verdict.included is not None:
            return frozenset(made.verdict.included)
        return frozenset(made.plan.include) if made.plan is not None and made.path in ("slow", "fail_safe") else None

    def title(self) -> str:
        return f"{self.path.name} · recorded trace log"

    def facts(self) -> str:
        """One line about the whole log."""
        words = {"fast": "fast path", "slow": "slow path", "fail_safe": "fail-safe", None: "undecided"}
        counts = {name: self.paths.count(name) for name in words}
        said = ", ".join(f"{count:,} {words[name]}" for name, count in counts.items() if count)
        turns = amount(len(self.log.turns), "turn")
        return f"{turns}, {amount(self.calls, 'call')}" + (f" ({said})" if said else "")
