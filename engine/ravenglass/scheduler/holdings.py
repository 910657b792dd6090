"""Which entities each group holds, as numbers: a slow path weighs some hundred groups without looking at any other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import local

import numpy as np
from numpy.typing import NDArray

from ravenglass.scheduler.rows import Rows

Ints = NDArray[np.int64]


class Holdings:
    """Entities by number, of every group in one piece: those of group g are `[start[g] : end[g]]`."""

    def __init__(self, entities: Sequence[frozenset[str]], previous: Holdings | None = None, same: int = 0) -> None:
        """`previous` are those of the first groups; the first `same` of them are taken over."""
        self._moved = False
        """Whether the pieces are not in the order of the groups."""
        if previous is not None and previous._moved:
            previous = None
        self.numbers: dict[str, int] = dict(previous.numbers) if previous is not None else {}
        self._held, self._start, self._end = Rows(np.int32), Rows(np.int64), Rows(np.int64)
        if previous is not None and same:
            self._held.extend(previous._held.values[: previous._end.values[same - 1]])
            self._start.extend(previous._start.values[:same])
            self._end.extend(previous._end.values[:same])
        for g in range(len(self._end), len(entities)):
            self.put(g, entities[g])
        self._scratch = local()

    def put(self, group: int, found: Iterable[str]) -> None:
        """What a group holds: the one behind all others, or one that holds more than it did."""
        numbers, first = self.numbers, len(self._held)
        self._held.extend([numbers.setdefault(entity, len(numbers)) for entity in found])
        if group == len(self._end):
            self._start.extend([first])
            self._end.extend([len(self._held)])
        else:
            self._start.values[group], self._end.values[group] = first, len(self._held)
            self._moved = True

    def weigh(self, groups: Ints, weights: Mapping[str, int]) -> Ints:
        """For each of the groups the sum of the weights of what it holds. Whole numbers: the order of adding does not
        matter, so that a group weighs the same whichever others are weighed with it."""
        known = [(self.numbers[entity], weight) for entity, weight in weights.items() if entity in self.numbers]
        if not known or not len(groups):
            return np.zeros(len(groups), dtype=np.int64)
        table = self._table()
        numbers = np.array([number for number, _ in known])
        table[numbers] = [weight for _, weight in known]
        starts = self._start.values[groups]
        lengths = self._end.values[groups] - starts
        ends_here = np.cumsum(lengths)
        places = np.arange(ends_here[-1]) + np.repeat(starts - (ends_here - lengths), lengths)
        sums = np.concatenate(([0], np.cumsum(table[self._held.values[places]])))
        table[numbers] = 0
        weighed: Ints = sums[ends_here] - sums[ends_here - lengths]
        return weighed

    def _table(self) -> Ints:
        """A weight for every entity, all 0: made once a thread, and left as it was."""
        made: Ints | None = getattr(self._scratch, "table", None)
        if made is None or len(made) < len(self.numbers):
            made = self._scratch.table = np.zeros(2 * len(self.numbers), dtype=np.int64)
        return made
