"""Arrays of numbers that grow at their end: adding costs what is added, as with a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Rows:
    """Numbers of one kind. `values` is a view that holds until more are added."""

    def __init__(self, kind: DTypeLike) -> None:
        self._room: NDArray[Any] = np.zeros(0, dtype=kind)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def extend(self, more: Sequence[int] | NDArray[Any]) -> None:
        """Add numbers."""
        end = self._count + len(more)
        if end > len(self._room):
            room = np.zeros(max(end, 2 * self._count), dtype=self._room.dtype)
            room[: self._count] = self.values
            self._room = room
        self._room[self._count : end] = more
        self._count = end

    @property
    def values(self) -> NDArray[Any]:
        """What there is so far."""
        return self._room[: self._count]
