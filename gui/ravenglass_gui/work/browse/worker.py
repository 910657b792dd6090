"""Lists folders and databases in a thread of its own, then reads the sessions one by one for what only that tells.

What is known from last time comes at once, what is found comes in portions, and details come in batches: those that
somebody looks at first. Files are only read; what was found is kept in the library.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from ravenglass.errors import RavenglassError, StoreError
from ravenglass.sessions.catalogue.listing import described, discovered, settled
from ravenglass.sessions.catalogue.places import places
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.records.progress import Cancelled
from ravenglass.store.library.records import ListedSession
from ravenglass_gui.work.library_owner import LibraryOwner

if TYPE_CHECKING:
    from ravenglass.store.library.library import Library

_log = logging.getLogger(__name__)

LARGE = 64_000_000
"""Bytes of a session from which its details are read only when they are asked for."""
_PORTION = 50
_PORTION_S = 0.25
_BATCH_S = 0.2
_IDLE_MS = 200
_REST = 0.5
"""After reading a session, a rest of so many times as long: the window and the replay need the interpreter too."""


class BrowseWorker(QObject):
    """Attributes without underscore are set from the GUI thread."""

    found = Signal(object)
    """Tuple of Place: where agents keep sessions on this machine."""
    listed = Signal(object, object, bool)
    """(root, tuple of ListedSession, whether that is all of it)."""
    left_out = Signal(object, object)
    """(root, tuple of (path, why)): what the whole list, which comes next, does not hold."""
    failed = Signal(object, str)
    """(root, sentence)."""
    detailed = Signal(object, object)
    """(root, tuple of ListedSession)."""
    settled = Signal()
    """Nothing is left to be listed or read."""

    def __init__(self, library: LibraryOwner | None) -> None:
        super().__init__()
        self.paused = False
        self.first: tuple[tuple[Path, Path], ...] = ()
        """(root, place) of sessions whose details are wanted before others'."""
        self.halt = False
        """What is being read is left for later."""
        self.closing = False
        """The program ends: what is being listed is of no use any more."""
        self._library = library
        self._waiting: dict[tuple[Path, Path], HolderEntry] = {}
        self._asked: set[tuple[Path, Path]] = set()
        self._done: dict[Path, list[ListedSession]] = {}
        self._told = 0.0
        self._timer: QTimer | None = None

    # -- lists -----------------------------------------------------------------------------------------------

    @Slot()
    def find(self) -> None:
        """Look where agents keep sessions."""
        self.found.emit(places())

    @Slot(object)
    def list_root(self, root: Path) -> None:
        """List a root: what is known of it at once, then what is there now."""
        self.halt = False
        known = {item.entry.place: item for item in self._known(root)}
        if known:
            self.listed.emit(root, tuple(known.values()), False)
        left_out: list[tuple[Path, str]] = []
        try:
            entries = self._entries(root, left_out, quiet=bool(known))
        except (RavenglassError, OSError) as error:
            self.failed.emit(root, str(error))
            self._go_on()
            return
        except Exception as error:  # a defect of ours may not end the list
            _log.exception("listing %s failed", root)
            self.failed.emit(root, f"{root} was not listed: {type(error).__name__}: {error}.")
            self._go_on()
            return
        items = tuple(_now(entry, known.get(entry.place)) for entry in entries)
        self._waiting = {key: entry for key, entry in self._waiting.items() if key[0] != root}
        self._queue(root, items)
        self.left_out.emit(root, tuple(left_out))
        self.listed.emit(root, items, True)
        self._store(lambda library: library.listed.replace(root, items))
        self._go_on()

    def _entries(self, root: Path, left_out: list[tuple[Path, str]], *, quiet: bool) -> list[HolderEntry]:
        """All that is there; told in portions on the way unless something is shown already. What cannot be looked at
        is put into `left_out`."""
        found: list[HolderEntry] = []
        told, portion, began = 0, _PORTION, time.monotonic()
        for entry in discovered(root, lambda path, why: left_out.append((path, why))):
            if self.closing:
                raise Cancelled(f"Listing {root} was cancelled; nothing was changed.")
            found.append(entry)
            enough = len(found) - told >= portion and time.monotonic() - began >= _PORTION_S
            if enough and not quiet:
                # Portions grow with what is there, so that putting them in order costs little in all.
                told, portion, began = len(found), max(portion, len(found)), time.monotonic()
                self.listed.emit(root, tuple(ListedSession.of(entry) for entry in settled(found)), False)
        return settled(found)

    @Slot(object)
    def forget(self, root: Path) -> None:
        """The root is listed no more."""
        self.halt = False
        self._waiting = {key: entry for key, entry in self._waiting.items() if key[0] != root}
        self._done.pop(root, None)
        self._store(lambda library: library.listed.forget(root))
        self._go_on()

    # -- details ---------------------------------------------------------------------------------------------

    @Slot(object, object)
    def describe(self, root: Path, entry: HolderEntry) -> None:
        """Read one session whole now, whatever its size."""
        self.halt = False
        self._waiting[root, entry.place] = entry
        self._asked.add((root, entry.place))
        self._go_on()

    def _queue(self, root: Path, items: Iterable[ListedSession]) -> None:
        plain = [item.entry for item in items if _wants_details(item)]
        # Sub-agents are read with their parents already when those are opened; their own figures can wait.
        for entry in sorted(plain, key=lambda entry: entry.parent is not None):
            self._waiting[root, entry.place] = entry

    def _go_on(self) -> None:
        if self.closing:
            return
        if self._timer is None:
            self._timer = QTimer(self, singleShot=True)
            self._timer.timeout.connect(self._one)
        if not self._timer.isActive():
            self._timer.start(0)

    @Slot()
    def _one(self) -> None:
        """Read the next session, or tell that there is none."""
        if self._timer is None or self.closing:
            return
        if self.paused and self._waiting:
            self._timer.start(_IDLE_MS)
            return
        key = self._next()
        if key is None:
            self._tell()
            self.settled.emit()
            return
        entry = self._waiting.pop(key)
        began = time.monotonic()
        try:
            item = self._described(entry)
        except Cancelled:
            self._waiting[key] = entry
            self.halt = False
            self._timer.start(_IDLE_MS)
            return
        self._asked.discard(key)
        self._done.setdefault(key[0], []).append(item)
        if time.monotonic() - self._told > _BATCH_S:
            self._tell()
        self._timer.start(round(_REST * 1_000 * (time.monotonic() - began)))

    def _next(self) -> tuple[Path, Path] | None:
        for key in (*self._asked, *self.first):
            if key in self._waiting:
                return key
        return next(iter(self._waiting), None)

    def _described(self, entry: HolderEntry) -> ListedSession:
        try:
            whole = described(entry, lambda *_: not (self.halt or self.paused))
        except Cancelled:
            raise
        except (RavenglassError, OSError) as error:
            return ListedSession(entry, entry.updated, detailed=True, fault=str(error))
        except Exception as error:  # a defect of ours may not end the list
            _log.exception("reading %s failed", entry.place)
            return ListedSession(entry, entry.updated, True, f"It was not read: {type(error).__name__}: {error}.")
        return ListedSession(whole, entry.updated, detailed=True)

    def _tell(self) -> None:
        self._told = time.monotonic()
        done, self._done = self._done, {}
        for root, items in done.items():
            self.detailed.emit(root, tuple(items))
            self._store(lambda library, root=root, items=items: library.listed.keep(root, items))  # type: ignore[misc]

    # -- the library -----------------------------------------------------------------------------------------

    def _known(self, root: Path) -> tuple[ListedSession, ...]:
        try:
            return self._library.ask(lambda library: library.listed.of(root)).result() if self._library else ()
        except StoreError:
            return ()

    def _store(self, act: Callable[[Library], None]) -> None:
        """A list that is not kept is only read again next time: nothing is said."""
        if self._library is not None:
            self._library.tell(act)

    @Slot()
    def close(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None


def _now(entry: HolderEntry, known: ListedSession | None) -> ListedSession:
    """The entry with the details that were read before, where the session is unchanged since."""
    if known is not None and known.detailed and known.stands_for(entry):
        return known
    return ListedSession.of(entry)


def _wants_details(item: ListedSession) -> bool:
    return not item.detailed and item.entry.calls is None and (item.entry.size or 0) <= LARGE
