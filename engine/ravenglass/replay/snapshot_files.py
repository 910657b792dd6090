"""Snapshots of a run as files: one a snapshot, those that retention leaves, named `task-2-call-37.zst`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ravenglass.errors import StoreError
from ravenglass.hub.snapshots.format import base_name, decode, encode
from ravenglass.hub.snapshots.snapshot import Snapshot
from ravenglass.replay.run import Run

SUFFIX = ".zst"


def snapshot_files(run: Run) -> Iterator[tuple[str, bytes]]:
    """(file name, bytes) of every snapshot of a run, in the order in which they were taken."""
    base: Snapshot | None = None
    for taken in run.snapshots():
        held = run.snapshot(taken)
        if taken.kind == "full":
            base = held
        yield taken.name + SUFFIX, encode(held, None if taken.kind == "full" else base)


def read_snapshot(path: Path) -> Snapshot:
    """The snapshot in a file; what it is a difference from is read from beside it. Raises StoreError."""
    data = _read(path)
    name = base_name(data)
    return decode(data, None if name is None else decode(_read(path.with_name(name + SUFFIX))))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StoreError(f"The snapshot {path} cannot be read ({error.strerror or error}).") from error
