"""References of archived messages, `2026-03-02/session_4_7_0badcafe.jsonl#4-7`, and the files they lead to.

A reference may come from a model or from a foreign trace, so none may lead out of the archive folder.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ravenglass.errors import ArchiveError
from ravenglass.safe.names import key_name

EXAMPLE = "2026-03-02/session_4_7_0badcafe.jsonl#4-7"

_FRAGMENT = re.compile(r"(?P<path>.+)#(?P<first>\d{1,18})-(?P<last>\d{1,18})\Z", re.DOTALL | re.ASCII)
_LABEL = re.compile(r"_(?P<first>\d{1,18})_(?P<last>\d{1,18})_[^_]*\.jsonl\Z", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:")
_SHOWN = 160
"""Characters of a refused reference that its sentence repeats."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Messages `first` to `last` (ids, both included; ids between may be missing) of one archive file."""

    path: str
    """Path of the file below the archive folder, `/` between its parts."""
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.path}#{self.first}-{self.last}"


def parse(ref: str) -> Reference:
    """The reference in a text. ArchiveError says what is wrong with one that cannot be meant or allowed."""
    found = _FRAGMENT.match(ref)
    if found is None:
        raise ArchiveError(f"{shown(ref)} is no archive reference; one looks like {EXAMPLE}.")
    path, first, last = found["path"], int(found["first"]), int(found["last"])
    if first > last:
        raise ArchiveError(f"{shown(ref)} names messages {first} to {last}, which is backwards; nothing was read.")
    parts = path.split("/")
    if _CONTROL.search(path) or "\\" in path or _DRIVE.match(path) or any(part in ("", ".", "..") for part in parts):
        raise ArchiveError(f"{shown(ref)} leads out of the archive folder or is no plain path; nothing was read.")
    if not path.endswith(".jsonl"):
        raise ArchiveError(f"{shown(ref)} names no archive file; one looks like {EXAMPLE}.")
    return Reference(path, first, last)


def resolve(folder: Path, reference: Reference) -> Path:
    """The file of a reference, no link on its way. ArchiveError if there is none or it lies outside `folder`.

    The reference implementation writes paths from its workspace on; what repeats the end of the path to the
    archive folder, such as `memory/.curator/archive/`, is skipped.
    """
    try:
        inside = os.path.realpath(folder, strict=True)
        found = next((path for path in _candidates(folder, reference) if os.path.lexists(path)), None)
        if found is None:
            raise FileNotFoundError
        real = os.path.realpath(found, strict=True)
    except FileNotFoundError as error:
        raise ArchiveError(f"{shown(str(reference))} is not in the archive {folder}.") from error
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "no name that a file can have"
        raise ArchiveError(f"{shown(str(reference))} cannot be followed ({reason}); nothing was read.") from error
    if os.path.commonpath([inside, real]) != inside or real == inside:
        raise ArchiveError(f"{shown(str(reference))} leads out of the archive folder by a link; nothing was read.")
    return Path(real)


def file_name(session_key: str, first: int, last: int, tag: str) -> str:
    """Name of an archive file as the reference implementation forms it; `tag` tells archives of equal ids apart."""
    return f"{key_name(session_key)}_{first}_{last}_{tag}.jsonl"


def label(name: str) -> tuple[int, int] | None:
    """First and last id that a file's name promises, or None."""
    found = _LABEL.search(name)
    return (int(found["first"]), int(found["last"])) if found else None


def shown(ref: str) -> str:
    """A reference as a sentence can hold it."""
    return repr(ref if len(ref) <= _SHOWN else ref[:_SHOWN] + "...")


def _candidates(folder: Path, reference: Reference) -> list[Path]:
    parts, above = reference.path.split("/"), folder.absolute().parts
    skips = [0, *(n for n in range(min(len(parts) - 1, len(above)), 0, -1) if tuple(parts[:n]) == above[-n:])]
    return [folder.joinpath(*parts[skip:]) for skip in skips]
