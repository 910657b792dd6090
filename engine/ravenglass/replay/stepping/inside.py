"""Which groups stand in the window of a call, from a log of changes: a few steps from where it was known last."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from typing import Final

from ravenglass.hub.live import Track

_APART: Final = 256
"""Calls from one that is remembered to the next."""


class Inside:
    """Follows a log that grows at its end. Groups ascending."""

    def __init__(self, tracks: Sequence[Track], changed: Mapping[int, Sequence[int]]) -> None:
        """`changed`: call -> groups whose state or form it changed."""
        self._tracks, self._changed = tracks, changed
        self._call = 0
        self._groups: list[int] = []
        self._kept: list[tuple[int, ...]] = [()]
        """What calls stand on that are `_APART` from each other."""

    def at(self, call: int) -> list[int]:
        """Groups that stand in the window after a call; a list that holds until the next question."""
        place = min(call // _APART, len(self._kept) - 1)
        if abs(call - self._call) > call - place * _APART:
            self._call, self._groups = place * _APART, list(self._kept[place])
        while self._call > call:
            self._step(self._call, self._call - 1)
            self._call -= 1
        while self._call < call:
            self._call += 1
            self._step(self._call, self._call)
            if self._call == len(self._kept) * _APART:
                self._kept.append(tuple(self._groups))
        return self._groups

    def forget(self, call: int) -> None:
        """This call, the last one, is about to be taken out of the log."""
        if self._call >= call:
            self.at(call - 1)
        del self._kept[(call - 1) // _APART + 1 :]

    def _step(self, changed_at: int, call: int) -> None:
        """Stand after `call`; what is in differs only in what another one changed."""
        groups = self._groups
        for g in self._changed.get(changed_at, ()):
            place = bisect_left(groups, g)
            there = place < len(groups) and groups[place] == g
            if bool(self._tracks[g].form_at(call)) is not there:
                if there:
                    del groups[place]
                else:
                    insort(groups, g)
