"""The snapshots of a running engine as files: `snapshots/KEY/NAME.zst`, the first of a task whole, then differences."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from ravenglass.embed.files.workspace import EngineWorkspace
from ravenglass.errors import StoreError
from ravenglass.hub.snapshots.format import decode, encode
from ravenglass.hub.snapshots.snapshot import Snapshot, Taken, kept, snapshot_name
from ravenglass.replay.answers.snapshots import snapshot
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs


class SnapshotFiles:
    """Writes a snapshot when one is taken and deletes what retention drops."""

    def __init__(self, workspace: EngineWorkspace) -> None:
        self._workspace = workspace
        self._written = workspace.snapshot_names() if workspace.left else set()
        self._base: Snapshot | None = None
        """The full one of the latest task, as it was written: what differences refer to may not change."""

    def keep(self, inputs: Inputs, log: ChangeLog, taken: Sequence[Taken]) -> None:
        """Bring the files up to date with the snapshots taken so far, oldest first, the latest call's among them."""
        if taken and taken[-1].step == log.calls:
            self._put(inputs, log, taken[-1])
        there = {one.name for one in kept(taken, inputs.profile.snapshot_keep)}
        for name in self._written - there:
            self._workspace.put_snapshot(name, None)
        self._written &= there

    def _put(self, inputs: Inputs, log: ChangeLog, one: Taken) -> None:
        if self._base is None or (self._base.step, self._base.task) != (one.base, one.task) or one.kind == "full":
            self._base = None if one.kind == "full" else self._left(one)
            if self._base is None:
                self._base = snapshot(inputs, log, one.base, one.task)
                self._write(self._base, encode(self._base))
        if one.kind == "difference":
            held = snapshot(inputs, log, one.step, one.task)
            self._write(held, encode(held, self._base))

    def _left(self, one: Taken) -> Snapshot | None:
        """The full one that a difference is to refer to, where it was written before a pause."""
        data = self._workspace.snapshot(snapshot_name(one.task, one.base))
        with suppress(StoreError):
            return decode(data) if data is not None else None
        return None

    def _write(self, held: Snapshot, data: bytes) -> None:
        self._workspace.put_snapshot(held.name, data)
        self._written.add(held.name)
