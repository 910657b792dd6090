"""A run as the timeline draws it: arrays over calls, stacked by tier, and the places of its marked events.

Made once a run; nothing here is decided or counted, it is only arranged for drawing.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ravenglass.replay.bulk import RunPart
from ravenglass.replay.recorded.run import RecordedRun
from ravenglass.replay.run import Run
from ravenglass.rules import TIERS
from ravenglass_gui.state.recorded.kept import counts_alike
from ravenglass_gui.state.recorded.told import (
    KINDS,
    Floats,
    RecordMark,
    provider_line,
    record_marks,
    reported_in_our_tokens,
)
from ravenglass_gui.state.shown import PATHS, is_recorded, provider_words, unit, words
from ravenglass_gui.text.numbers import amount, compact, percent

Ints: TypeAlias = npt.NDArray[np.int64]

LANES: tuple[tuple[str, str], ...] = (
    ("slow_path_accepted", "slow path"),
    ("fallback", "fail-safe"),
    ("summarized", "summary"),
    ("archived", "archived"),
    ("retrieved", "retrieved"),
    ("protected_overflow", "protected cap"),
    ("quota_exceeded", "over quota"),
    ("rolled_back", "rolled back"),
    ("snapshot_taken", "snapshot"),
    ("regret", "regret"),
)
"""Events that have a lane of their own below the plot, in the order of the lanes, and what they are called."""

RECORD = "record:"
"""Begins the name of an event that the record tells, as opposed to those of a simulated run. They share a lane."""


@dataclass(frozen=True, slots=True, eq=False)
class MarkLane:
    """One kind of event: the calls where it happened, ascending."""

    event: str
    label: str
    calls: Ints
    signs: tuple[str, ...] = ()
    """The sign of every event, where they are not all that of `event`."""

    def sign(self, place: int) -> str:
        """The event whose sign stands at the n-th call."""
        return self.signs[place] if self.signs else self.event


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """`stack[i]` is the sum of the tiers up to and with the i-th, one value a call; row 0 is at the bottom."""

    calls: int
    tiers: tuple[str, ...]
    stack: Ints
    """Tokens, shape (tiers, calls)."""
    totals: Ints
    paths: tuple[str, ...]
    lanes: tuple[MarkLane, ...]
    turns: Ints
    """The first call of every turn."""
    turn_of: Ints
    available: int
    threshold: int
    target: int
    run: Run
    recorded: RecordedRun | None
    """What really happened, shown or not; None while it is not known."""
    outline: Ints | None
    """Window tokens of the run that is not shown, one value a call."""
    reported: Floats | None
    """What the provider reported, told in the tokens of the plot by the fit; NaN where it reported nothing."""
    marks: tuple[RecordMark, ...]

    @property
    def top(self) -> float:
        """Highest value that must be visible."""
        peaks = [int(self.totals.max()) if self.calls else 0, self.available]
        if self.outline is not None and len(self.outline):
            peaks.append(int(self.outline.max()))
        if self.reported is not None and not np.isnan(self.reported).all():
            peaks.append(int(np.nanmax(self.reported)))
        return max(peaks) * 1.06

    @property
    def outline_words(self) -> str:
        """What the outline is; empty without one."""
        if self.outline is None:
            return ""
        return "simulated" if is_recorded(self.run) else "recorded"

    def describe(self, call: int) -> str:
        """The numbers of one call as plain text, for the tooltip."""
        i = call - 1
        total = int(self.totals[i])
        path = PATHS.get(self.paths[i], self.paths[i])
        below = np.concatenate(([0], self.stack[:-1, i]))
        parts = zip(self.tiers, self.stack[:, i] - below, strict=True)
        share = percent(total / self.available)
        lines = [
            f"call {call:,} · turn {int(self.turn_of[i]) + 1:,} · {path}",
            f"window {compact(total)} of {compact(self.available)} ({share}), {words(self.run)}",
            *(f"{tier}  {compact(int(tokens))}" for tier, tokens in reversed(list(parts))),
            *self._of_other(call),
            unit(self.run),
        ]
        events = [lane.label for lane in self.lanes if call in lane.calls and not lane.event.startswith(RECORD)]
        if events:
            lines.append("events  " + ", ".join(events))
        lines.extend(wrapped(mark.text) for mark in self.marks if mark.call == call)
        return "\n".join(lines)

    def _of_other(self, call: int) -> list[str]:
        """The same call in the run that is drawn as an outline, and in the provider's tokens."""
        said = []
        if self.outline is not None and call <= len(self.outline):
            said.append(f"{self.outline_words} window {compact(int(self.outline[call - 1]))} (outline)")
        if not is_recorded(self.run) and self.recorded is not None:
            said.append("simulated: " + (provider_words(self.run, call).text or "provider tokens unknown, no fit"))
        if self.recorded is not None and call <= self.recorded.calls:
            said.append("recorded: " + provider_line(self.recorded, call))
        return said


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPart:
    """The beginning of a run that is still being made, as it is drawn over the run that it takes the place of."""

    calls: int
    stack: Ints
    """As in `Series`, of its first calls."""
    available: int
    threshold: int
    target: int


def drawn_part(part: RunPart) -> DrawnPart:
    """Arrange it for drawing."""
    tiers = np.array([part.tiers[tier] for tier in TIERS], np.int64).reshape(len(TIERS), part.calls)
    budget = part.budget
    return DrawnPart(part.calls, np.cumsum(tiers, axis=0), budget.available, budget.threshold, budget.target)


def wrapped(text: str) -> str:
    """A sentence on lines that a tooltip can show."""
    return textwrap.fill(text, 72, subsequent_indent="  ")


def series(run: Run, other: Run | None = None, recorded: RecordedRun | None = None) -> Series:
    """Arrange a run for drawing, with the session's other run as an outline; one of the two is `recorded`, if any."""
    tiers = np.array([run.tier_tokens[tier] for tier in TIERS], np.int64).reshape(len(TIERS), run.calls)
    turn_of = np.array([call.turn for call in run.session.structure.calls], np.int64)
    starts = np.flatnonzero(np.diff(turn_of, prepend=-1)) + 1 if run.calls else np.zeros(0, np.int64)
    # The record's own marks have lanes of their own.
    markers = {} if is_recorded(run) else dict(run.markers())
    markers["regret"] = tuple(dict.fromkeys(regret.call for regret in run.regrets))
    lanes = tuple(
        MarkLane(event, label, np.array(markers[event], np.int64)) for event, label in LANES if markers.get(event)
    )
    marks = record_marks(run.session)
    if marks:
        lanes += (_record_lane(marks),)
    alike = other is None or counts_alike(run.profile, other.profile)
    return Series(
        calls=run.calls,
        tiers=TIERS,
        stack=np.cumsum(tiers, axis=0),
        totals=np.array(run.window_tokens, np.int64),
        paths=tuple(run.paths),
        lanes=lanes,
        turns=starts,
        turn_of=turn_of,
        available=run.budget.available,
        threshold=run.budget.threshold,
        target=run.budget.target,
        run=run,
        recorded=recorded,
        outline=np.array(other.window_tokens, np.int64) if other is not None and alike else None,
        reported=reported_in_our_tokens(recorded) if recorded is not None and alike else None,
        marks=marks,
    )


def _record_lane(marks: tuple[RecordMark, ...]) -> MarkLane:
    kinds = {mark.kind for mark in marks}
    label = f"rec. {dict(KINDS)[marks[0].kind]}" if len(kinds) == 1 else "recorded"
    signs = tuple(RECORD + mark.kind for mark in marks)
    return MarkLane(signs[0], label, np.array([mark.call for mark in marks], np.int64), signs)


def summary(run: Run) -> str:
    """The facts in the timeline's header."""
    metrics = run.metrics
    if is_recorded(run):
        return f"{words(run)} · {amount(run.calls, 'call')} · peak {compact(metrics.peak_tokens)}"
    fail_safe = f" · {metrics.fail_safe:,} fail-safe" if metrics.fail_safe else ""
    slow = amount(metrics.slow, "slow path")
    return f"{words(run)} · {amount(run.calls, 'call')} · {slow}{fail_safe} · peak {compact(metrics.peak_tokens)}"
