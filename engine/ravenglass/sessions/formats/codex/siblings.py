"""Finds the rollouts that a session's sub-agents wrote, by names and first lines only.

They stand beside it: in the same folder, in the neighbouring days of `sessions/YYYY/MM/DD`, in `archived_sessions`.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

from ravenglass.sessions.formats.codex.lines import Meta, codex_line
from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records.decode import Record, decode_value
from ravenglass.sessions.records.decompress import compression

_NAME = re.compile(r"rollout-(\d{4})-(\d\d)-(\d\d)T.*\.jsonl(?:\.zst|\.gz)?\Z")
_ARCHIVE = "archived_sessions"
_LIMIT = 16 << 20
"""Bytes of a first line beyond which it is no description of a session."""
_DAYS = (0, -1, 1)


@dataclass(frozen=True, slots=True)
class Sibling:
    path: Path
    meta: Meta


@dataclass(slots=True)
class Siblings:
    """The other sessions around one file. Remembers first lines, which never change."""

    path: Path
    _known: dict[Path, Meta] = field(default_factory=dict)

    def by_parent(self) -> dict[str, list[Sibling]]:
        """Sub-agents' rollouts by the thread that started them, each session once, in the order of their names."""
        found: dict[str, list[Sibling]] = {}
        seen: set[str] = set()
        for path in _rollouts(self.path):
            meta = self._meta(path)
            if meta is None or meta.parent is None or meta.id is None or meta.id in seen or meta.id == meta.parent:
                continue
            seen.add(meta.id)
            found.setdefault(meta.parent, []).append(Sibling(path, meta))
        return {parent: sorted(group, key=lambda one: one.path.name) for parent, group in found.items()}

    def _meta(self, path: Path) -> Meta | None:
        if path not in self._known:
            meta = first_meta(path)
            if meta is None:
                return None
            self._known[path] = meta
        return self._known[path]


def first_meta(path: Path) -> Meta | None:
    """What a rollout's first line says of its session, None where it says nothing. Reads no further."""
    try:
        with path.open("rb") as file, _plain(file) as stream:
            data = stream.readline(_LIMIT)
    except (OSError, EOFError, zstandard.ZstdError):
        return None  # opening it by hand says why
    try:
        what = codex_line(Record(decode_value(data.removeprefix(b"\xef\xbb\xbf")), Span(1, 0, len(data)))).what
    except ValueError:
        return None
    return what if isinstance(what, Meta) else None


def stem(path: Path) -> str:
    """The name without its endings: equal for a file and its compressed twin."""
    return path.name.split(".jsonl", 1)[0]


def _plain(file: BinaryIO) -> BinaryIO:
    """The decompressed stream of a file."""
    kind = compression(file.read(4))
    file.seek(0)
    if kind == "gzip":
        return cast(BinaryIO, gzip.GzipFile(fileobj=file))
    if kind == "zstd":
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        return cast(BinaryIO, io.BufferedReader(reader))
    return file


def _rollouts(path: Path) -> Iterator[Path]:
    """The rollouts around a file, without itself and its twins; of twins the plain one."""
    own = stem(path)
    day = _day(path)
    for folder in _folders(path, day):
        try:
            names = [beside for beside in folder.iterdir() if _NAME.match(beside.name) and _near(beside, day)]
        except OSError:
            continue  # no such folder, or none that may be read
        plain = {stem(beside) for beside in names if beside.name.endswith(".jsonl")}
        for beside in sorted(names):
            twin = not beside.name.endswith(".jsonl") and stem(beside) in plain
            if stem(beside) != own and not twin and beside.is_file():
                yield beside


def _folders(path: Path, day: date | None) -> list[Path]:
    here = path.parent
    found = [here]
    if here.name == _ARCHIVE:
        found += _days(here.parent / "sessions", day)
    elif (root := _root(here)) is not None:
        found += [*_days(root, _folder_day(here)), root.parent / _ARCHIVE]
    return list(dict.fromkeys(found))


def _days(root: Path, day: date | None) -> list[Path]:
    if day is None:
        return []
    days = [day + timedelta(days=shift) for shift in _DAYS]
    return [root / f"{one.year:04}" / f"{one.month:02}" / f"{one.day:02}" for one in days]


def _root(folder: Path) -> Path | None:
    """The folder that holds the years, where `folder` is one of a day."""
    return folder.parents[2] if _folder_day(folder) is not None else None


def _folder_day(folder: Path) -> date | None:
    parts = folder.parts[-3:]
    if len(parts) < 3 or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    return _date(*map(int, parts))


def _day(path: Path) -> date | None:
    """The day in a rollout's name."""
    found = _NAME.match(path.name)
    return _date(*map(int, found.groups())) if found else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if 1 < year < 9999 else None
    except ValueError:
        return None


def _near(path: Path, day: date | None) -> bool:
    """Whether a rollout began on the day or beside it: a sub-agent does not run a week before its parent."""
    other = _day(path)
    return day is None or (other is not None and abs((other - day).days) <= 1)
