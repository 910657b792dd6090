"""Remembers what a run was asked for last: values that are cheap to keep and dear to make again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Recent(dict[int, T]):
    """The values of the few calls looked at last."""

    def __init__(self, make: Callable[[int], T], size: int) -> None:
        super().__init__()
        self._make, self._size = make, size

    def get_or_make(self, key: int) -> T:
        if key in self:
            value = self.pop(key)
        else:
            value = self._make(key)
            while len(self) >= self._size:
                del self[next(iter(self))]
        self[key] = value
        return value
