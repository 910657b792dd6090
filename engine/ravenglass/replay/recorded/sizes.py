"""Sizes of groups as a writer left them in its window: whole, partly, with a note in place of a cleared result.

A recorded window holds nothing that the record does not: no placeholder for a missing result, no prefix of ours.
"""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.hub.item import Form
from ravenglass.hub.sizes import ShownText, Sizes
from ravenglass.replay.measures.fitting.weights import CLEARED
from ravenglass.sessions.model.session import Group


@dataclass(frozen=True, slots=True)
class Rest:
    """What a writer left of a group: messages that are out, and results of which a note is left."""

    out: frozenset[int]
    cleared: frozenset[int]


class RecordedSizes(Sizes):
    """The sizes of a session for a recorded run; counts are shared with the sizes they are made over."""

    def __init__(self, sizes: Sizes) -> None:
        self.__dict__.update(sizes.__dict__)
        count = self.tokenizer.count
        full = list(sizes.full)
        for message in sizes.orphans:
            recorded = self.session.messages[message]
            full[message] += count(recorded.text) - count(sizes.full_text(recorded))
        self.full = full
        self.orphans = set()
        self.no_result = 0
        self._stubs, self._sums, self._shrunk = {}, {}, {}
        self._note = count(CLEARED) + self.key.overhead
        self._rests: list[Rest] = []
        self._numbers: dict[Rest, int] = {}

    def number(self, rest: Rest) -> int:
        """The cap by which a PARTIAL group names what is left of it; 1 and up."""
        if rest not in self._numbers:
            self._rests.append(rest)
            self._numbers[rest] = len(self._rests)
        return self._numbers[rest]

    def shown(self, group: Group, form: Form, offload_tokens: int, cap: int = 0) -> dict[int, ShownText]:
        """As `Sizes.shown`; of a PARTIAL group only the messages that are in the window."""
        if form is not Form.PARTIAL:
            return super().shown(group, form, offload_tokens, cap)
        rest = self._rests[cap - 1]
        return {m: self.left(m, cleared=m in rest.cleared) for m in group.messages if m not in rest.out}

    def tokens(self, group: Group, form: Form, offload_tokens: int, cap: int = 0) -> int:
        """Tokens of the whole group as it was left."""
        if form is not Form.PARTIAL:
            return super().tokens(group, form, offload_tokens, cap)
        return sum(shown.tokens for shown in self.shown(group, form, offload_tokens, cap).values())

    def left(self, message: int, *, cleared: bool) -> ShownText:
        """A message in a recorded window: verbatim, or the note in its place."""
        return ShownText(CLEARED, self._note, verbatim=False) if cleared else self.whole(message)
