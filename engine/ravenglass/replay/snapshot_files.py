"""Snapshots of a run as files: one a snapshot, those that retention leaves, named `task-2-call-37.zst`."""

from __future__ import annotations

from collections.abc import Iterator

from ravenglass.hub.snapshots.format import encode
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
