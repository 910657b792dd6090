"""Tokens and messages that are known at every call, added up: many calls of the fast path are one subtraction."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ravenglass.rules import TIERS, TierName
from ravenglass.scheduler.features import Features

Sum = NDArray[np.int64]


class Sums:
    """Of groups that are sent, whole. Arrays hold a value a call; index 0 is before the first."""

    def __init__(
        self,
        features: Features,
        full: Sequence[int],
        tier: Sequence[TierName],
        instructions: Collection[int],
        growths: Collection[int],
    ) -> None:
        sent = features.sent
        whole = np.array(full, dtype=np.int64) * sent
        held = np.array([len(group.messages) for group in features.groups], dtype=np.int64) * sent
        number = {name: place for place, name in enumerate(TIERS)}
        tiers = np.array([number[name] for name in tier], dtype=np.int64)
        known = np.array(features.known)
        self.weights: list[int] = whole.tolist()
        """Tokens of every group; 0 where it is never sent."""
        self.counts: list[int] = held.tolist()
        """Messages of every group; 0 where it is never sent."""
        self.tokens: Sum = _before(whole)[known]
        self.messages: Sum = _before(held)[known]
        self.tiers: dict[TierName, Sum] = {
            name: _before(np.where(tiers == number[name], whole, 0))[known] for name in TIERS
        }
        late = {group.call for group in features.groups if features.ready[group.index] > group.call}
        told = {features.groups[g].call for g in instructions}
        self._special = sorted({*growths, *late, *told})

    def special(self, call: int) -> int:
        """The first call from this one on at which something else comes in than whole groups of the history; the number
        behind the last where none is."""
        place = bisect_left(self._special, call)
        return self._special[place] if place < len(self._special) else len(self.tokens)


def _before(values: Sum) -> Sum:
    """Sums of all values before each place, and of all at the end."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(values)))
