"""Files that a session's calls showed, and whether they are on the disk what they were then.

Each file's fingerprint is taken when a call that showed or changed it is seen first; when the session goes on after a
pause, what it is now is held against it. Only plain files of a reasonable size are read, and only at these two times.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ravenglass.embed.files.decision_log import FileMark
from ravenglass.hub.files.fingerprint import content_of_groups
from ravenglass.hub.files.uses import Use
from ravenglass.hub.registry.ttl import ttl_of
from ravenglass.replay.stepping.changes import FileChange
from ravenglass.rules import TtlRule

_MOST_BYTES: Final = 64 << 20
_BLOCK: Final = 1 << 20


class ShownFiles:
    """The state of every file that calls showed. `marks`: path as the session has it -> the file then."""

    def __init__(self, marks: dict[str, FileMark] | None = None) -> None:
        self.marks = dict(marks or {})
        self._looked: set[tuple[int, str]] = set()
        self._first = 0
        """Every use before this one was looked at."""

    def skip(self, uses: Sequence[Use]) -> None:
        """These were looked at before the pause."""
        for use in uses:
            if use.result is not None:
                self._looked.add((use.group, use.call.id))

    def look(self, uses: Sequence[Use]) -> list[FileMark]:
        """Take the fingerprints of files that calls answered since the last look showed or changed."""
        found: dict[str, FileMark] = {}
        for number in range(self._first, len(uses)):
            use = uses[number]
            key = (use.group, use.call.id)
            if use.result is None or key in self._looked:
                if number == self._first and key in self._looked:
                    self._first += 1
                continue
            self._looked.add(key)
            for file in use.files:
                disk = Path(file.path).absolute()
                digest = digest_of(disk)
                if digest is not None and (digest or file.path in self.marks):
                    found[file.path] = FileMark(file.path, str(disk), digest)
        self.marks.update(found)
        return list(found.values())

    def changed(self, uses: Sequence[Use], call: int, rules: tuple[TtlRule, ...]) -> list[FileChange]:
        """What is to expire at `call`, for all that it shows was changed on the disk. What is shown has to be the
        latest that the session knows of the file. The marks are brought up to date: it is said once."""
        how = dict(self._differing())
        by_group = content_of_groups(uses) if how else {}
        found = []
        for contents in by_group.values():
            ends = [c for c in contents if c.by is None]
            kept = any(ttl_of(uses[c.number], rules) == "none" for c in contents)
            if ends and not kept and all(c.file.path in how for c in ends):
                path = ends[-1].file.path
                message = next(use.result for use in (uses[c.number] for c in ends) if use.result is not None)
                found.append(FileChange(call, message, path, how[path]))
        for path in how:
            before = self.marks[path]
            self.marks[path] = FileMark(path, before.disk, digest_of(Path(before.disk)) or "")
        return found

    def _differing(self) -> Iterator[tuple[str, str]]:
        for path, mark in self.marks.items():
            digest = digest_of(Path(mark.disk))
            if digest is not None and digest != mark.digest:
                yield path, "changed" if digest and mark.digest else "made" if digest else "removed"


def digest_of(path: Path) -> str | None:
    """SHA-256 of a file, hexadecimal; empty where there is none; None where that cannot be said: a device, a folder, a
    file of another user, one that is too large."""
    try:
        if not path.is_file():
            return None if path.exists() else ""
        if path.stat().st_size > _MOST_BYTES:
            return None
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except (OSError, ValueError):
        return None
    return digest.hexdigest()
