"""The file by which the folder of a saved run is known, and which of the files in it are Ravenglass's own.

`ravenglass-run.json` holds {"format", "version", "session", "profile", "complete", "files": {path: [SHA-256, ...]}}.
While a run is being saved `complete` is false; a file has two digests where it may be the old or the new one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from ravenglass.errors import StoreError
from ravenglass.store.durable import write_whole

MARK_FILE: Final = "ravenglass-run.json"
_FORMAT: Final = "ravenglass-run"
_VERSION: Final = 1
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class RunMark:
    """What is known of a saved run. `files`: path below the folder -> digests that make it Ravenglass's own."""

    session: str
    profile: str
    complete: bool = False
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def owns(self, folder: Path, name: str) -> bool:
        """Whether the file of that name is as Ravenglass wrote it."""
        known = self.files.get(name, ())
        return bool(known) and digest_of(folder / name) in known


def read_mark(folder: Path) -> RunMark | None:
    """The mark of a folder; None where there is none. StoreError where it cannot be understood."""
    path = folder / MARK_FILE
    try:
        value = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} cannot be understood ({error}), so the folder was left as it is.") from error
    if not isinstance(value, dict) or value.get("format") != _FORMAT or value.get("version") != _VERSION:
        raise StoreError(f"{path} is not of this version of Ravenglass, so the folder was left as it is.")
    files = value.get("files")
    known = {
        name: tuple(filter(_is_text, digests))
        for name, digests in (files.items() if isinstance(files, dict) else ())
        if isinstance(digests, list) and _inside(name)
    }
    return RunMark(str(value.get("session")), str(value.get("profile")), value.get("complete") is True, known)


def write_mark(folder: Path, mark: RunMark, *, fresh: bool = False) -> None:
    """Write the mark; `fresh`: there is none yet. Raises OSError."""
    value = {
        "format": _FORMAT,
        "version": _VERSION,
        "session": mark.session,
        "profile": mark.profile,
        "complete": mark.complete,
        "files": {name: list(mark.files[name]) for name in sorted(mark.files)},
    }
    write_whole(folder / MARK_FILE, [json.dumps(value, indent=1).encode() + b"\n"], replace=not fresh)


def unfinished(folder: Path) -> str:
    """The sentence that a folder holds a run that was not saved to its end; empty where it does not."""
    try:
        mark = read_mark(folder)
    except StoreError as error:
        return str(error)
    if mark is None or mark.complete:
        return ""
    return f"{folder} is not complete: saving a run there was interrupted. `--save` with `--force` writes it anew."


def digest_of(path: Path) -> str:
    """SHA-256 of a plain file, hexadecimal; empty where it is none or cannot be read."""
    try:
        if path.is_symlink() or not path.is_file():
            return ""
        found = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                found.update(block)
    except OSError:
        return ""
    return found.hexdigest()


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _inside(name: str) -> bool:
    """Whether a path that stands in a mark stays in the folder: marks are files that others may have written."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name and bool(path.parts)
