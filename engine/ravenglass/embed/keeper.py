"""What of a running engine goes to its workspace, and when. Without a workspace nothing does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ravenglass.curator.working_state.state import WorkingState
from ravenglass.embed.archive import EngineArchive, Written, records_of
from ravenglass.embed.decider import Decided, Decider
from ravenglass.embed.files import layout
from ravenglass.embed.files.decision_log import call_line, change_line, head_line, mark_line, read_log
from ravenglass.embed.files.manifest_file import ManifestFile
from ravenglass.embed.files.snapshot_files import SnapshotFiles
from ravenglass.embed.files.workspace import EngineWorkspace, Eviction
from ravenglass.embed.paused import ShownFiles
from ravenglass.replay.answers.events import response_event
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepping.changes import Change, FileChange
from ravenglass.sessions.model.session import Message
from ravenglass.store.archive.store import ArchiveStore
from ravenglass.trace import TraceEvent
from ravenglass.trace.items import Archived


@dataclass(frozen=True, slots=True)
class Resumed:
    """A session that went on. `messages` and `calls`: those that were there. `notes`: sentences on what is not as it
    was, such as files that were changed on the disk meanwhile."""

    messages: int
    calls: int
    notes: tuple[str, ...]


SESSION_CLOSED = "the session was closed"
"""Why what the session tier held was archived."""


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
        self._files = ShownFiles()
        self._headed = False
        """Whether the decision log says under what the decisions behind it are made."""

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

    def go_on(self) -> Resumed | None:
        """Take over what the workspace holds of the session; None where that begins here."""
        workspace, decider = self.workspace, self._decider
        if workspace is None or not workspace.left:
            return None
        inputs = decider.inputs
        kept = read_log(workspace.decisions_left.split(b"\n")[:-1], inputs.profile, inputs.budget.system)
        notes = [kept.problem] if kept.problem else []
        decider.go_on(kept)
        calls = decider.log.calls
        self._headed = bool(calls)
        self._files = ShownFiles(kept.files)
        uses = decider.inputs.features.uses
        self._files.skip(uses)
        changes = self._files.changed(uses, decider.next_to_answer, inputs.profile.ttl_rules)
        self._outside(workspace, changes)
        notes += [f"#{c.message}: {c.path} was {c.how} on the disk while the session was paused." for c in changes]
        self._take_up(workspace)
        workspace.flush()
        return Resumed(len(inputs.session.messages), min(calls, len(inputs.session.structure.calls)), tuple(notes))

    def _outside(self, workspace: EngineWorkspace, changes: Sequence[FileChange]) -> None:
        self._decider.decide_anew(changes)
        for change in changes:
            workspace.add_decisions(change_line(change) + mark_line(self._files.marks[change.path]))

    def _take_up(self, workspace: EngineWorkspace) -> None:
        """Stand where the decided calls ended. What they archived and a killed writer did not is archived now."""
        inputs, log = self._decider.inputs, self._decider.log
        if not log.calls:
            return
        self._turn = inputs.features.calls[log.calls - 1].turn
        self._state = inputs.working_state(inputs.version_at(log.calls))
        for call, groups in log.archived.items():
            for group, reason in groups.items():
                workspace.archive_group(Eviction(records_of(inputs, group), reason, inputs.time_of(call)))

    def changed(self, change: Change) -> None:
        """A change by hand."""
        if self.workspace is not None:
            self.workspace.add_decisions(change_line(change))
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
        self._write_down(workspace, decided)
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

    def _write_down(self, workspace: EngineWorkspace, decided: Decided) -> None:
        """The lines that let the session go on after a pause."""
        inputs = self._decider.inputs
        if not self._headed:
            workspace.add_decisions(head_line(inputs.profile, inputs.budget.system))
            self._headed = True
        for mark in self._files.look(inputs.features.uses):
            workspace.add_decisions(mark_line(mark))
        for record in self._decider.records(decided):
            workspace.add_decisions(call_line(record))

    def answered(self, call: int, response: Message) -> None:
        """A call was answered: the last event of its trace."""
        if self.workspace is not None:
            self.workspace.add_events(self._turn, [response_event(response, call)])
            self.workspace.flush()

    def close(self) -> None:
        """Write what is left and unlock the workspace. Raises StoreError where the disk does not take it."""
        if self.workspace is not None:
            self._archive_session(self.workspace)
            self._put_manifest(self.workspace)
            self.workspace.close()

    def _archive_session(self, workspace: EngineWorkspace) -> None:
        """What the session tier holds in the last window goes to the archive, where other sessions find it. The state
        of the items stays what it was: a session that goes on stands where it stood."""
        inputs, log = self._decider.inputs, self._decider.log
        call = log.calls
        if not workspace.writable or not call:
            return
        for g in range(inputs.features.known[call]):
            group = inputs.features.groups[g]
            if inputs.standing.tier[g] != "session" or not log.tracks[g].form_at(call):
                continue
            records, created = records_of(inputs, g), inputs.session.messages[group.messages[-1]].ts
            if workspace.has_archived(records, created):
                continue  # closed before, or archived for another reason
            ref = self.archive().ref(g)
            workspace.archive_group(Eviction(records, SESSION_CLOSED, created))
            body = Archived(ref=ref, reason=SESSION_CLOSED, by="scheduler")
            workspace.add_events(self._turn, [TraceEvent(body, call, inputs.time_of(call), group.messages)])

    def _put_manifest(self, workspace: EngineWorkspace) -> None:
        inputs, log = self._decider.inputs, self._decider.log
        if workspace.writable and log.calls:
            workspace.put_document(
                "manifest", self._manifest.document(SimulatedRun(inputs, log, self.archive()), self._clock())
            )
