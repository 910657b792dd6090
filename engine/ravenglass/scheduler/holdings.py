"""Which entities each group holds, as numbers: a slow path weighs some hundred groups without looking at any other."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from threading import local

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Holdings:
    """Entities by number, of every group one after the other: those of group g are `[start[g] : start[g + 1]]`."""

    def __init__(self, entities: Sequence[frozenset[str]], previous: Holdings | None = None, same: int = 0) -> None:
        """`previous` are those of the first groups; the first `same` of them are taken over."""
        self.numbers: dict[str, int] = dict(previous.numbers) if previous is not None else {}
        held = array("i")
        starts = array("q", [0])
        if previous is not None:
            held.frombytes(previous._held[: previous._start[same]].tobytes())
            starts = array("q", previous._start[: same + 1].tobytes())
        numbers = self.numbers
        for found in entities[same if previous is not None else 0 :]:
            held.extend([numbers.setdefault(entity, len(numbers)) for entity in found])
            starts.append(len(held))
        self._held: NDArray[np.int32] = np.frombuffer(held, dtype=np.int32)
        self._start: Ints = np.frombuffer(starts, dtype=np.int64)
        self._scratch = local()

    def weigh(self, groups: Ints, weights: Mapping[str, int]) -> Ints:
        """For each of the groups the sum of the weights of what it holds. Whole numbers: the order of adding does not
        matter, so that a group weighs the same whichever others are weighed with it."""
        known = [(self.numbers[entity], weight) for entity, weight in weights.items() if entity in self.numbers]
        if not known or not len(groups):
            return np.zeros(len(groups), dtype=np.int64)
        table = self._table()
        numbers = np.array([number for number, _ in known])
        table[numbers] = [weight for _, weight in known]
        starts, ends = self._start[groups], self._start[groups + 1]
        lengths = ends - starts
        ends_here = np.cumsum(lengths)
        places = np.arange(ends_here[-1]) + np.repeat(starts - (ends_here - lengths), lengths)
        sums = np.concatenate(([0], np.cumsum(table[self._held[places]])))
        table[numbers] = 0
        weighed: Ints = sums[ends_here] - sums[ends_here - lengths]
        return weighed

    def _table(self) -> Ints:
        """A weight for every entity, all 0: made once a thread, and left as it was."""
        made: Ints | None = getattr(self._scratch, "table", None)
        if made is None or len(made) < len(self.numbers):
            made = self._scratch.table = np.zeros(len(self.numbers), dtype=np.int64)
        return made
