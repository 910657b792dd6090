"""What a person's changes come to at a call: the latest of each kind holds, group by group."""

from __future__ import annotations

from collections.abc import Sequence

from ravenglass.replay.stepping.changes import HandChange
from ravenglass.scheduler.view import NOTHING_BY_HAND, ByHand


def by_hand(changes: Sequence[HandChange], call: int, group_of: Sequence[int]) -> ByHand:
    """`changes` in the order of their calls; those behind `call` are not looked at. `group_of` by message id."""
    if not changes:
        return NOTHING_BY_HAND
    made = _Made(call)
    for change in changes:
        if change.call > call:
            break
        made.take(change, group_of[change.message])
    return made.value()


class _Made:
    def __init__(self, call: int) -> None:
        self._call = call
        self._pinned: dict[int, bool] = {}
        self._protected: dict[int, bool] = {}
        self._relevance: dict[int, float] = {}
        self._rated: set[int] = set()
        """Groups whose relevance a person said."""
        self._whole: set[int] = set()
        self._now: set[int] = set()
        self._archived: set[int] = set()

    def take(self, change: HandChange, g: int) -> None:
        if change.kind in ("pin", "protect", "retrieve"):
            self._archived.discard(g)
        if change.kind in ("pin", "unpin"):
            self._pinned[g] = change.kind == "pin"
        elif change.kind in ("protect", "unprotect"):
            self._protected[g] = change.kind == "protect"
        elif change.kind == "relevance":
            self._relevance[g] = change.value if change.value is not None else 1.0
            self._rated.add(g)
        elif change.kind == "retrieve":
            self._retrieve(change, g)
        elif change.kind == "archive":
            self._archive(g)

    def _retrieve(self, change: HandChange, g: int) -> None:
        # Wanted back: highly relevant, unless the person said how relevant it is.
        self._relevance[g] = self._relevance[g] if g in self._rated else 1.0
        self._whole.add(g)
        if change.call == self._call:
            self._now.add(g)

    def _archive(self, g: int) -> None:
        self._archived.add(g)
        self._now.discard(g)
        self._relevance[g] = 0.0
        self._rated.discard(g)
        self._whole.discard(g)

    def value(self) -> ByHand:
        return ByHand(
            pins=_those(self._pinned, True),
            unpins=_those(self._pinned, False),
            protects=_those(self._protected, True),
            unprotects=_those(self._protected, False),
            relevance=self._relevance,
            whole=frozenset(self._whole),
            now=frozenset(self._now),
            archived=frozenset(self._archived),
        )


def _those(said: dict[int, bool], value: bool) -> frozenset[int]:
    return frozenset(g for g, now in said.items() if now is value)
