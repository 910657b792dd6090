"""Which looks lie at, above or below a path, without going through all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

K = TypeVar("K", bound=tuple[str, str])


@dataclass(slots=True)
class Places(Generic[K]):
    """Keys of looks by the files or folders that they look at."""

    _at: dict[str, set[K]] = field(default_factory=dict)
    _below: dict[str, set[K]] = field(default_factory=dict)
    """Folder -> keys that look at something in it."""
    _of: dict[K, set[str]] = field(default_factory=dict)
    """Key -> what it looks at."""

    def copy(self) -> Places[K]:
        """One that adding does not change."""
        return Places(
            {place: set(keys) for place, keys in self._at.items()},
            {place: set(keys) for place, keys in self._below.items()},
            {key: set(places) for key, places in self._of.items()},
        )

    def add(self, key: K, place: str) -> None:
        """A look at `place`, as `normal_path` spells it."""
        places = self._of.setdefault(key, set())
        if place not in places:
            places.add(place)
            self._at.setdefault(place, set()).add(key)
            for folder in _folders(place):
                self._below.setdefault(folder, set()).add(key)

    def remove(self, key: K) -> None:
        """Nothing that looks under this key is left. Without this, folders that are looked at often would hold every
        look there ever was."""
        for place in self._of.pop(key, ()):
            _discard(self._at, place, key)
            for folder in _folders(place):
                _discard(self._below, folder, key)

    def meeting(self, path: str) -> set[K]:
        """Keys that look at the path, at a folder around it, or at something below it."""
        found = {*self._at.get(path, ()), *self._below.get(path, ())}
        for folder in _folders(path):
            found.update(self._at.get(folder, ()))
        return found


def _discard(keys: dict[str, set[K]], place: str, key: K) -> None:
    found = keys.get(place)
    if found is not None:
        found.discard(key)
        if not found:
            del keys[place]


def _folders(path: str) -> Iterator[str]:
    """The folders around a normal path; the project is `.`."""
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    if not path.startswith("/") and path != ".":
        yield "."
