"""What Codex's stream tells of usage: at the end of each turn the thread's figures so far, over all its requests.

The figures of a turn are the increase since the turn before. They are a call's own where the turn is one answer without
a result behind it; of turns with more, only their sum is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ravenglass.sessions.importing.draft import MessageDraft
from ravenglass.sessions.model.session import Usage
from ravenglass.sessions.records.values import count, mapping


@dataclass(frozen=True, slots=True)
class _Total:
    """Tokens of a thread up to the end of a turn; None is unknown."""

    sent: int
    came: int | None
    cached: int | None

    def since(self, before: _Total) -> _Total | None:
        """What one turn added; None where a figure fell, so that they do not belong together."""
        came, cached = _less(self.came, before.came), _less(self.cached, before.cached)
        if self.sent < before.sent or (came is not None and came < 0) or (cached is not None and cached < 0):
            return None
        return _Total(self.sent - before.sent, came, cached)


def _less(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one - other


@dataclass(slots=True)
class CodexUsage:
    """Gives calls their usage turn by turn, and sums up what stays without."""

    _before: _Total | None = _Total(0, 0, 0)
    """Figures up to the turn before; None where they are not known."""
    _begun: int = 0
    """Number of messages before the turn."""
    _shared: int = 0
    _answers: int = 0
    _sent: int = 0
    _came: int = 0

    def begin(self, messages: int) -> None:
        """Another thread begins, and counts from nothing."""
        self._before, self._begun = _Total(0, 0, 0), messages

    def completed(self, usage: object, drafts: Sequence[MessageDraft]) -> None:
        """A turn ends; `drafts` are all messages so far."""
        fields = mapping(usage)
        turn, begun = drafts[self._begun :], self._begun
        self._begun = len(drafts)
        sent = count(fields.get("input_tokens"))
        if not sent:
            self._before = None  # of the next figures it is not known how much is that turn's
            return
        total = _Total(sent, count(fields.get("output_tokens")), count(fields.get("cached_input_tokens")))
        before, self._before = self._before, total
        added = total.since(before) if before is not None else None
        answers = [place for place, draft in enumerate(turn) if draft.role == "assistant"]
        if added is None or not added.sent or not answers:
            return
        if len(answers) == 1 and answers[0] == len(turn) - 1:
            drafts[begun + answers[0]].usage = Usage(added.sent, added.came, added.cached)
            return
        self._shared += 1
        self._answers += len(answers)
        self._sent += added.sent
        self._came += added.came or 0

    def told(self) -> str:
        """A sentence on the turns whose figures are no call's own; empty where there are none."""
        if not self._shared:
            return ""
        turns = "1 turn of several calls" if self._shared == 1 else f"{self._shared:,} turns of several calls"
        came = f" and {self._came:,} received" if self._came else ""
        answers = f"{self._answers:,} answer" + ("s" if self._answers > 1 else "")
        return (
            f"The stream tells usage a turn: {self._sent:,} tokens were sent{came} in {turns} ({answers}); what each"
            " call sent is unknown."
        )
