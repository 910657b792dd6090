"""What of a running engine goes to its workspace, and when. Without a workspace nothing does."""

from __future__ import annotations

from collections.abc import Callable

from ravenglass.curator.working_state.state import WorkingState
from ravenglass.embed import layout
from ravenglass.embed.archive import EngineArchive, Written, records_of
from ravenglass.embed.decider import Decided, Decider
from ravenglass.embed.manifest_file import ManifestFile
from ravenglass.embed.snapshot_files import SnapshotFiles
from ravenglass.embed.workspace import EngineWorkspace, Eviction
from ravenglass.replay.answers.events import response_event
from ravenglass.replay.run import SimulatedRun
from ravenglass.sessions.model.session import Message
from ravenglass.store.archive.store import ArchiveStore


class Keeper:
    """Every method has its part on the disk when it returns, as far as the disk takes it."""

    def __init__(self, workspace: EngineWorkspace | None, decider: Decider, clock: Callable[[], float]) -> None:
        self.workspace = workspace
        self._decider = decider
        self._clock = clock
        self._manifest = ManifestFile()
        self._snapshots = SnapshotFiles(workspace) if workspace is not None else None
        self._turn = 0
        self._state = WorkingState()

    @property
    def on_disk(self) -> tuple[ArchiveStore | None, Written]:
        """The archive on disk, and what this session has in it."""
        return (self.workspace.archive, self.workspace.written) if self.workspace is not None else (None, {})

    def archive(self) -> EngineArchive:
        """The archive as of the latest decision."""
        inputs = self._decider.inputs
        return EngineArchive(inputs, self._decider.log, *self.on_disk, inputs.time_of(len(inputs.features.calls)))

    def lines(self, lines: bytes) -> None:
        """Lines of the session file, each with its ending."""
        if self.workspace is not None:
            self.workspace.add_record(lines)
            self.workspace.flush()

    def decided(self, decided: Decided) -> None:
        """A call was decided, and those before it that were not: trace, archive, working state, snapshot, manifest."""
        workspace, inputs, log = self.workspace, self._decider.inputs, self._decider.log
        if workspace is None:
            return
        self._turn = inputs.features.calls[decided.last - 1].turn
        workspace.add_events(self._turn, decided.events)
        for call in range(decided.first, decided.last + 1):
            for group, reason in log.archived.get(call, {}).items():
                workspace.archive_group(Eviction(records_of(inputs, group), reason, inputs.time_of(call)))
        workspace.flush()  # the manifest names the references that this gives
        state = inputs.working_state(inputs.version_at(decided.last))
        if state != self._state:
            self._state = state
            workspace.put_document("working_state", layout.working_state(state, self._clock()))
        if self._snapshots is not None:
            self._snapshots.keep(inputs, log, self._decider.snapshots())
        if log.paths[-1] != "fast":
            self._put_manifest(workspace)
        workspace.flush()

    def answered(self, call: int, response: Message) -> None:
        """A call was answered: the last event of its trace."""
        if self.workspace is not None:
            self.workspace.add_events(self._turn, [response_event(response, call)])
            self.workspace.flush()

    def close(self) -> None:
        """Write what is left and unlock the workspace. Raises StoreError where the disk does not take it."""
        if self.workspace is not None:
            self._put_manifest(self.workspace)
            self.workspace.close()

    def _put_manifest(self, workspace: EngineWorkspace) -> None:
        inputs, log = self._decider.inputs, self._decider.log
        if workspace.writable and log.calls:
            workspace.put_document(
                "manifest", self._manifest.document(SimulatedRun(inputs, log, self.archive()), self._clock())
            )
