"""The sessions in opencode's JSON storage, of before its database: one file for each session, message and part.

Two layouts: `session/<project>/<id>.json` with `message/<session>/` and `part/<message>/` beside it, and the legacy one
with everything below `session/` (`info`, `message/<session>`, `part/<session>/<message>`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ravenglass.sessions.decode import decode_value
from ravenglass.sessions.holder import Entry
from ravenglass.sessions.opencode_stored import Row
from ravenglass.sessions.times import seconds
from ravenglass.sessions.values import mapping, text, text_or_none

_LEGACY = ("info", "message", "part", "share")
"""Folders below `session/` that are no project."""
_MAIN = ("session", "message", "part")


def is_storage(folder: Path) -> bool:
    """Whether the folder is a storage folder of either layout."""
    return (folder / "session").is_dir() and any(
        (folder / name).is_dir() for name in ("message", "session/message", "session/info")
    )


def storages(folder: Path) -> list[Path]:
    """Storage folders of a data folder, also those of single projects, as the first versions had them."""
    found = [folder / "storage", *sorted(folder.glob("project/*/storage"))]
    return [place for place in found if is_storage(place)]


class Storage:
    """One storage folder. Reads only what is asked for: parts are read when their session is opened."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def entries(self, opened_as: Path) -> list[Entry]:
        """Every session, from the session files alone; calls are unknown until it is opened."""
        return [_entry(key, found.info, opened_as) for key, found in self._known.items()]

    def parents(self) -> dict[str, str]:
        """Every session's parent, empty where it has none."""
        return {key: text(found.info.get("parentID")) for key, found in self._known.items()}

    def rows(self, session: str) -> Iterator[Row]:
        """Every file of a session. Raises OSError for one that cannot be read."""
        known = self._known.get(session)
        if known is not None and known.path is not None:
            yield self._row("session", session, known.path, known.path.read_bytes())
        messages: dict[str, str] = {}
        for folder in (self.root / "message" / session, self.root / "session/message" / session):
            for path in _files(folder):
                data = path.read_bytes()
                messages[path.stem] = text(_value(data).get("id")) or path.stem
                yield self._row("message", messages[path.stem], path, data)
        yield from self._parts(session, messages)
        for path in sorted(self.root.glob(f"*/{_literal(session)}.json")):
            if path.parent.name not in _MAIN:
                yield self._row(path.parent.name, session, path, path.read_bytes())

    def _parts(self, session: str, messages: dict[str, str]) -> Iterator[Row]:
        """`messages` are ids by file names: the two are the same unless one of them is damaged."""
        legacy = self.root / "session/part" / session
        below = [folder.name for folder in sorted(legacy.iterdir()) if folder.is_dir()] if legacy.is_dir() else []
        for name in dict.fromkeys([*messages, *messages.values(), *below]):
            for folder in (self.root / "part" / name, legacy / name):
                for path in _files(folder):
                    yield self._row("part", path.stem, path, path.read_bytes(), messages.get(name, name))
        for path in self._loose:
            data = path.read_bytes()
            value = _value(data)
            if text(value.get("messageID")) in messages.values() or text(value.get("sessionID")) == session:
                yield self._row("part", path.stem, path, data, text(value.get("messageID")))

    def _row(self, table: str, name: str, path: Path, data: bytes, message: str = "") -> Row:
        return Row(table, name, message, 0.0, data, path.relative_to(self.root.parent).as_posix())

    @cached_property
    def _known(self) -> dict[str, _Known]:
        """Every session's record; an empty one where only its messages are left."""
        found: dict[str, _Known] = {}
        for path in self._session_files():
            value = _value(_bytes(path))
            found[text(value.get("id")) or path.stem] = _Known(value, path)
        for folder in (self.root / "message", self.root / "session/message"):
            for place in sorted(folder.iterdir()) if folder.is_dir() else ():
                if place.is_dir():
                    found.setdefault(place.name, _Known({}, None))
        return found

    @cached_property
    def _loose(self) -> list[Path]:
        """Parts that stand in no folder of their message."""
        return _files(self.root / "part")

    def _session_files(self) -> list[Path]:
        folders = [folder for folder in sorted((self.root / "session").iterdir()) if folder.is_dir()]
        projects = [folder for folder in folders if folder.name not in _LEGACY]
        return [path for folder in (*projects, self.root / "session/info") for path in _files(folder)]


@dataclass(frozen=True, slots=True)
class _Known:
    info: dict[str, Any]
    path: Path | None


def _files(folder: Path) -> list[Path]:
    """JSON files of a folder by name: names ascend with time."""
    return sorted(path for path in folder.glob("*.json") if path.is_file()) if folder.is_dir() else []


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # the list shows it by its name; opening it says what is wrong


def _value(data: bytes) -> dict[str, Any]:
    try:
        return mapping(decode_value(data))
    except ValueError:
        return {}


def _literal(name: str) -> str:
    """The name as a pattern that matches only itself."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)


def _entry(key: str, info: dict[str, Any], path: Path) -> Entry:
    times = mapping(info.get("time"))
    return Entry(
        "opencode",
        path,
        key=key,
        id=key,
        title=text(info.get("title")),
        project=text(info.get("directory")),
        parent=text_or_none(info.get("parentID")),
        started=seconds(times.get("created")),
        updated=seconds(times.get("updated")),
    )
