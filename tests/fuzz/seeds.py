"""What a mutation starts from: a whole session as files in memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Shape = Literal["lines", "document", "folder", "database", "archive"]
"""`lines` and `document` are one file (others may stand beside it); the rest is read by a holder."""


@dataclass(frozen=True)
class Seed:
    """A session of one format. `opened` names the file or folder to open, relative to where the files are written."""

    name: str
    shape: Shape
    files: dict[str, bytes]
    opened: str

    def write(self, folder: Path) -> Path:
        """Write the files; returns what is to be opened."""
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return folder / self.opened


def taken(name: str, shape: Shape, folder: Path, opened: str) -> Seed:
    """A seed of everything that stands in a folder."""
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return Seed(name, shape, files, opened)
