"""The transcript of a running session: its file in the workspace, brought to the disk before a summary is made."""

from __future__ import annotations

from ravenglass.curator.summary.build import RecordedTranscript
from ravenglass.embed.files.workspace import EngineWorkspace


class SessionTranscript:
    """Without a workspace there is no transcript, and so never a summary: what it leaves out would be lost."""

    def __init__(self) -> None:
        self.path = ""
        self._workspace: EngineWorkspace | None = None
        self._safe = 0
        """So many messages are on the disk for good."""
        self._failed: set[int] = set()

    def keep_in(self, workspace: EngineWorkspace) -> None:
        """The workspace whose session file holds every message that was observed."""
        self._workspace = workspace
        self.path = RecordedTranscript(workspace.session_file).path

    def dump(self, count: int) -> bool:
        """Have everything observed so far on the disk. What was refused once stays so: a window was decided on it."""
        if self._workspace is None or count in self._failed:
            return False
        if count > self._safe:
            if not self._workspace.sync_session():
                self._failed.add(count)
                return False
            self._safe = count
        return True
