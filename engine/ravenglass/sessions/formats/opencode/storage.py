"""The sessions in opencode's JSON storage, of before its database: one file for each session, message and part.

Two layouts: `session/<project>/<id>.json` with `message/<session>/` and `part/<message>/` beside it, and the legacy one
with everything below `session/` (`info`, `message/<session>`, `part/<session>/<message>`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ravenglass.sessions.formats.opencode.stored import Row
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import is_file_name, mapping, text, text_or_none

_LEGACY = ("info", "message", "part", "share")
"""Folders below `session/` that are no project."""
_MAIN = ("session", "message", "part")
_STRAY = "part of no message"
"""Stands for a table: the record is kept, but in no message."""


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

    def entries(self, opened_as: Path) -> list[HolderEntry]:
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
        for folder in (_inside(self.root / "message", session), _inside(self.root / "session/message", session)):
            for path in _files(folder):
                data = path.read_bytes()
                messages[path.stem] = text(_value(data).get("id")) or path.stem
                yield self._row("message", messages[path.stem], path, data)
        yield from self._parts(session, messages)
        for path in sorted(self.root.glob(f"*/{_literal(session)}.json")) if is_file_name(session) else ():
            if path.parent.name not in _MAIN:
                yield self._row(path.parent.name, session, path, path.read_bytes())

    def _parts(self, session: str, messages: dict[str, str]) -> Iterator[Row]:
        """`messages` are ids by file names: the two are the same unless one of them is damaged."""
        legacy = _inside(self.root / "session/part", session)
        below = [folder.name for folder in _folders(legacy)]
        lost = self._lost.get(session, [])
        for name in dict.fromkeys([*messages, *messages.values(), *below, *lost]):
            for folder in (_inside(self.root / "part", name), _inside(legacy, name)):
                for path in _files(folder):
                    yield self._row("part", path.stem, path, path.read_bytes(), messages.get(name, name))
        for path in self._loose.get(session, ()):
            data = path.read_bytes()
            message = text(_value(data).get("messageID"))
            known = message in messages.values() or text(_value(data).get("sessionID")) == session
            yield self._row("part" if known else _STRAY, path.stem, path, data, message)
        for folder in self._strays.get(session, ()):
            for path in _files(folder):
                yield self._row(_STRAY, path.stem, path, path.read_bytes(), folder.name)

    def _row(self, table: str, name: str, path: Path, data: bytes, message: str = "") -> Row:
        place = str(path).removeprefix(f"{self.root.parent}{os.sep}").replace(os.sep, "/")
        return Row(table, name, message, 0.0, data, place)

    @cached_property
    def _known(self) -> dict[str, _Known]:
        """Every session's record; an empty one where only its messages are left."""
        found: dict[str, _Known] = {}
        for path in self._session_files():
            value = _value(_bytes(path))
            found[text(value.get("id")) or path.stem] = _Known(value, path)
        for folder in (self.root / "message", self.root / "session/message"):
            for place in _folders(folder):
                found.setdefault(place.name, _Known({}, None))
        return found

    @cached_property
    def _loose(self) -> dict[str, list[Path]]:
        """Parts that stand in no folder of their message, by session; those of no message go to the first."""
        found: dict[str, list[Path]] = {}
        paths = _files(self.root / "part")
        owners = self._owners() if paths else {}
        for path in paths:
            value = _value(_bytes(path))
            owner = text(value.get("sessionID"))
            owner = owner if owner in self._known else owners.get(text(value.get("messageID")), self._first)
            found.setdefault(owner, []).append(path)
        return found

    def _owners(self) -> dict[str, str]:
        """The session of every message, by the ids in the files."""
        found: dict[str, str] = {}
        for folder in (self.root / "message", self.root / "session/message"):
            for path in folder.glob("*/*.json"):
                found[text(_value(_bytes(path)).get("id")) or path.stem] = path.parent.name
        return found

    @property
    def _first(self) -> str:
        return min(self._known, default="")

    @property
    def _strays(self) -> dict[str, list[Path]]:
        """Folders of parts that name no session, and whose message has no file: the first session keeps them."""
        return {self._first: [self.root / "part" / name for name in self._lost.get("", [])]}

    @cached_property
    def _lost(self) -> dict[str, list[str]]:
        """Folders of parts whose message has no file any more, by the session that a part names; "" where none does."""
        folder = self.root / "part"
        known = {path.stem for place in _folders(self.root / "message") for path in _files(place)}
        found: dict[str, list[str]] = {}
        for place in _folders(folder):
            if place.name not in known:
                owners = (text(_value(_bytes(path)).get("sessionID")) for path in _files(place))
                owner = next((owner for owner in owners if owner in self._known), "")
                found.setdefault(owner, []).append(place.name)
        return found

    def _session_files(self) -> list[Path]:
        projects = [folder for folder in _folders(self.root / "session") if folder.name not in _LEGACY]
        return [path for folder in (*projects, self.root / "session/info") for path in _files(folder)]


@dataclass(frozen=True, slots=True)
class _Known:
    info: dict[str, Any]
    path: Path | None


def _files(folder: Path) -> list[Path]:
    """JSON files of a folder by name: names ascend with time. A store has one for every part, so this is not slow."""
    try:
        with os.scandir(folder) as found:
            names = sorted(item.name for item in found if item.name.endswith(".json") and item.is_file())
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [folder / name for name in names]


def _inside(folder: Path, name: str) -> Path:
    """The folder of that name; one that is not there where the name, which damage may have made, is none."""
    return folder / (name if is_file_name(name) else ".no-such-folder")


def _folders(folder: Path) -> list[Path]:
    """Folders inside a folder, by name."""
    try:
        with os.scandir(folder) as found:
            names = sorted(item.name for item in found if item.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [folder / name for name in names]


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


def _entry(key: str, info: dict[str, Any], path: Path) -> HolderEntry:
    times = mapping(info.get("time"))
    return HolderEntry(
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
