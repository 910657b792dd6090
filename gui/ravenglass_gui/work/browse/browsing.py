"""The shelves of the session browser: one for every place where an agent keeps sessions, and for every folder opened.

The worker lists and reads behind, and answers here, on the GUI thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from ravenglass.sessions.catalogue.places import AgentPlace
from ravenglass.store.library.records import ListedSession
from ravenglass_gui.state.shelf import Shelf
from ravenglass_gui.work.browse.worker import BrowseWorker
from ravenglass_gui.work.library_owner import LibraryOwner


class Browser(QObject):
    """Nothing is looked for before `begin`; `shutdown` must be called before the application ends."""

    changed = Signal()
    """A shelf came, went, or was listed."""
    detailed = Signal(object, object)
    """(Shelf, tuple of ListedSession) whose details are known now."""
    listed = Signal(object)
    """The Shelf whose list is complete, or failed."""
    settled = Signal()

    _find_asked = Signal()
    _list_asked = Signal(object)
    _forget_asked = Signal(object)
    _describe_asked = Signal(object, object)

    def __init__(self, *, library: LibraryOwner | None = None, remember: bool = True) -> None:
        """`library` belongs to the caller, who closes it after `shutdown`. Without one the user's own is opened, unless
        nothing is to be remembered."""
        super().__init__()
        self._shelves: list[Shelf] = []
        self.looked = False
        """Whether it is known where agents keep sessions."""
        self._own = LibraryOwner() if library is None and remember else None
        self._worker = BrowseWorker(library if library is not None else self._own)
        self._worker.found.connect(self._found)
        self._worker.listed.connect(self._listed)
        self._worker.left_out.connect(self._left_out)
        self._worker.failed.connect(self._failed)
        self._worker.detailed.connect(self._detailed)
        self._worker.settled.connect(self.settled)
        self._find_asked.connect(self._worker.find)
        self._list_asked.connect(self._worker.list_root)
        self._forget_asked.connect(self._worker.forget)
        self._describe_asked.connect(self._worker.describe)
        self._thread = QThread()
        self._thread.setObjectName("ravenglass browse")
        self._worker.moveToThread(self._thread)
        self._thread.finished.connect(self._worker.close, Qt.ConnectionType.DirectConnection)

    @property
    def shelves(self) -> Sequence[Shelf]:
        return tuple(self._shelves)

    def shelf(self, root: Path) -> Shelf | None:
        return next((shelf for shelf in self._shelves if shelf.root == root), None)

    def begin(self, folders: Iterable[Path] = ()) -> None:
        """Find where agents keep sessions, and list that and the folders opened before."""
        for folder in folders:
            self.add(folder)
        self._ask(self._find_asked)

    def add(self, root: Path) -> Shelf:
        """List a folder or database; one that is listed already is listed again."""
        known = self.shelf(root)
        if known is not None:
            self._again(known)
            return known
        shelf = Shelf(AgentPlace(root.name or str(root), root), opened=True, folder=root.is_dir())
        self._shelves.append(shelf)
        self.changed.emit()
        self._ask(self._list_asked, root)
        return shelf

    def remove(self, root: Path) -> None:
        """Take a folder off the list; its files stay."""
        self._shelves = [shelf for shelf in self._shelves if shelf.root != root]
        self.changed.emit()
        self._ask(self._forget_asked, root)

    def refresh(self) -> None:
        """List everything again, and look again where agents keep sessions."""
        for shelf in self._shelves:
            self._again(shelf)
        self._ask(self._find_asked)

    def want(self, seen: Sequence[tuple[Path, Path]]) -> None:
        """(root, place) of sessions that somebody looks at: their details come first."""
        self._worker.first = tuple(seen)

    def describe(self, root: Path, place: Path) -> None:
        """Read one session whole for its details, whatever its size."""
        shelf = self.shelf(root)
        item = shelf.items.get(place) if shelf is not None else None
        if item is not None:
            self._ask(self._describe_asked, root, item.entry)

    def pause(self, busy: object) -> None:
        """While something is read or replayed for the window, details wait."""
        self._worker.paused = busy is not None

    def shutdown(self) -> None:
        """End the thread; a second call does nothing."""
        self._worker.halt = self._worker.closing = True
        if self._thread.isRunning():
            self._thread.quit()
            self._thread.wait()
        if self._own is not None:
            self._own.close()

    def _again(self, shelf: Shelf) -> None:
        shelf.listing, shelf.fault = True, ""
        self.changed.emit()
        self._ask(self._list_asked, shelf.root)

    def _ask(self, wish: object, *what: object) -> None:
        if not self._thread.isRunning():
            self._thread.start()
        self._worker.halt = True
        wish.emit(*what)  # type: ignore[attr-defined]

    # -- answers ---------------------------------------------------------------------------------------------

    @Slot(object)
    def _found(self, places: tuple[AgentPlace, ...]) -> None:
        self.looked = True
        for place in places:
            if self.shelf(place.path) is None:
                self._shelves.append(Shelf(place, opened=False))
                self._ask(self._list_asked, place.path)
        self.changed.emit()

    @Slot(object, object, bool)
    def _listed(self, root: Path, items: tuple[ListedSession, ...], whole: bool) -> None:
        shelf = self.shelf(root)
        if shelf is None:
            return
        shelf.fill(items)
        shelf.listing = not whole
        self.changed.emit()
        if whole:
            self.listed.emit(shelf)

    @Slot(object, object)
    def _left_out(self, root: Path, entries: tuple[tuple[Path, str], ...]) -> None:
        shelf = self.shelf(root)
        if shelf is not None:
            shelf.left_out = entries  # the list that comes right behind it tells the change

    @Slot(object, str)
    def _failed(self, root: Path, sentence: str) -> None:
        shelf = self.shelf(root)
        if shelf is not None:
            shelf.listing, shelf.fault = False, sentence
            self.changed.emit()
            self.listed.emit(shelf)

    @Slot(object, object)
    def _detailed(self, root: Path, items: tuple[ListedSession, ...]) -> None:
        shelf = self.shelf(root)
        if shelf is not None:
            self.detailed.emit(shelf, shelf.update(items))
