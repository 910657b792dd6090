"""Which looks lie at, above or below a path, without going through all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

K = TypeVar("K", bound=tuple[str, str])


@dataclass(slots=True)
class Places(Generic[K]):
    """Keys of looks by the files or folders that they look at. Entries of keys that are gone stay; they do no harm."""

    _at: dict[str, set[K]] = field(default_factory=dict)
    _below: dict[str, set[K]] = field(default_factory=dict)
    """Folder -> keys that look at something in it."""

    def copy(self) -> Places[K]:
        """One that adding does not change."""
        return Places(
            {place: set(keys) for place, keys in self._at.items()},
            {place: set(keys) for place, keys in self._below.items()},
        )

    def add(self, key: K, place: str) -> None:
        """A look at `place`, as `normal_path` spells it."""
        at = self._at.setdefault(place, set())
        if key not in at:
            at.add(key)
            for folder in _folders(place):
                self._below.setdefault(folder, set()).add(key)

    def meeting(self, path: str) -> set[K]:
        """Keys that look at the path, at a folder around it, or at something below it."""
        found = {*self._at.get(path, ()), *self._below.get(path, ())}
        for folder in _folders(path):
            found.update(self._at.get(folder, ()))
        return found


def _folders(path: str) -> Iterator[str]:
    """The folders around a normal path; the project is `.`."""
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    if not path.startswith("/") and path != ".":
        yield "."
