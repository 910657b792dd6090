"""What becomes of paths that a person gives to the window: files are opened, folders and databases are listed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.settings import Settings
from ravenglass_gui.state.shelf import Shelf
from ravenglass_gui.work.browse.browsing import Browser
from ravenglass_gui.work.loading import is_store, is_workspace
from ravenglass_gui.work.replay_bridge import Bridge


class Stores(QObject):
    """Without `settings` opened folders are not remembered."""

    shown = Signal(Path)
    """A folder is listed and should be brought into view."""

    def __init__(
        self,
        state: DebuggerState,
        bridge: Bridge,
        browser: Browser,
        *,
        settings: Settings | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state, self._bridge, self._browser, self._settings = state, bridge, browser, settings
        self._asked: set[Path] = set()
        browser.listed.connect(self._listed)

    def open(self, paths: Sequence[Path]) -> None:
        """Open files; list folders and databases, of which the latest session is shown where none is yet."""
        stores = [path for path in paths if is_store(path)]
        for path in stores:
            self._asked.add(path.absolute())
            self._browser.add(path.absolute())
        files = [path for path in paths if path not in stores]
        if files:
            self._bridge.open(files)

    @Slot(Path)
    def forget(self, root: Path) -> None:
        """List a folder no more."""
        self._browser.remove(root)
        self._remember()

    @Slot(object)
    def _listed(self, shelf: Shelf) -> None:
        """A folder that the person opened is listed: one with a single session, or none, is opened like a file."""
        if shelf.root not in self._asked:
            return
        self._asked.discard(shelf.root)
        sessions = shelf.sessions
        if len(sessions) <= 1:
            self._browser.remove(shelf.root)
            self._bridge.open([sessions[0].entry.place if sessions else shelf.root])
            return
        self._remember()
        self.shown.emit(shelf.root)
        nothing_open = self._state.root is None and self._state.log is None and not self._bridge.busy
        if is_workspace(shelf.root):
            self._bridge.open([shelf.root])
        elif nothing_open:
            self._bridge.open([sessions[0].entry.place])
        else:
            self._state.post("info", f"{shelf.place.agent}: {len(sessions):,} sessions are listed under Sessions.")

    def _remember(self) -> None:
        if self._settings is not None:
            self._settings.folders = [shelf.root for shelf in self._browser.shelves if shelf.opened]
