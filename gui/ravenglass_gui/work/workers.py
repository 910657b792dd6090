"""The objects that live in worker threads: one reads files, one replays, one saves and tells what is remembered.

Each answers by signals that carry the ticket it was given. Nothing here touches a widget or the shared state.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from ravenglass.errors import RavenglassError, StoreError
from ravenglass.profile import Profile
from ravenglass.replay import SimulatedRun, branch, replay
from ravenglass.replay.bulk import RunPart
from ravenglass.replay.growing import grown
from ravenglass.replay.stepping.changes import Change
from ravenglass.saving import remember_run, save_run
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.progress import Cancelled
from ravenglass.store.library.records import OpenedSession
from ravenglass.tokens import CountStore
from ravenglass_gui.state.recorded.kept import keep_recorded, make_recorded
from ravenglass_gui.work.library_owner import LibraryOwner
from ravenglass_gui.work.loading import Loaded, load
from ravenglass_gui.work.memory import no_full_collections, settle

if TYPE_CHECKING:
    from ravenglass.store.library.library import Library

T = TypeVar("T")

_log = logging.getLogger(__name__)


JobKind = Literal["replay", "growing", "recorded"]
"""A replay of what is on screen; one of a later state of it, with its recorded run; the recorded run alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One run that was asked for."""

    session: Session
    profile: Profile
    changes: tuple[Change, ...]
    base: SimulatedRun | None = None
    """A run that is gone on with: of an earlier state of the session, or of the same one before further changes."""
    kind: JobKind = "replay"
    later: Loaded | None = None
    """What is shown with the run once it is there, where the session is a later state of the one on screen."""

    @property
    def awaited(self) -> bool:
        """Whether a person waits for it."""
        return self.kind != "recorded"

    def asks_for(self, other: Job) -> bool:
        """Whether both ask for the same run."""
        same = (self.kind, self.profile, self.changes) == (other.kind, other.profile, other.changes)
        return same and self.session is other.session


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of what runs under `ticket`: `done` of `total` (bytes read, messages counted or calls replayed)."""

    ticket: int
    done: int
    total: int


class Worker(QObject):
    """Runs one thing at a time under a ticket. `wanted` is set from the GUI thread: another value cancels."""

    progressed = Signal(object)
    finished = Signal(int, object, float)
    """(ticket, result, seconds)."""
    failed = Signal(int, object)
    """(ticket, RavenglassError)."""
    cancelled = Signal(int)
    came = Signal(int, object)
    """(ticket, `RunPart`): the beginning of a run that is still being made."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted = 0

    def attempt(self, ticket: int, what: str, work: Callable[[], object]) -> None:
        """Run `work` and answer with exactly one of finished, failed, cancelled. `what` begins the sentence on a defect
        of ours; without it only the defect is named."""
        started = time.perf_counter()
        try:
            with no_full_collections():
                result = work()
                settle(_size(result))
        except Cancelled:
            self.cancelled.emit(ticket)
        except RavenglassError as error:
            self.failed.emit(ticket, error)
        except Exception as error:  # a defect of ours may not leave the window waiting for an answer
            _log.exception("%s failed", what or "work")
            failed = f"{type(error).__name__}: {error}"
            sentence = f"{what} failed: {failed}. What was open is still there." if what else failed
            self.failed.emit(ticket, RavenglassError(sentence))
        else:
            self.finished.emit(ticket, result, time.perf_counter() - started)

    def reporter(self, ticket: int) -> Callable[[int, int], bool]:
        """A progress function for the engine: reports, and answers whether the result is still wanted."""

        def report(done: int, total: int) -> bool:
            self.progressed.emit(Step(ticket, done, total))
            return self.wanted == ticket

        return report


FIRST_PART_S = 0.03
"""A replay that is done sooner shows no parts: they would only flicker."""
NEXT_PART_S = 0.06


class _PartTeller:
    """Tells the window of the part of a run that is there: now and then, and of all of it before its figures are."""

    def __init__(self, worker: Worker, ticket: int) -> None:
        self._worker, self._ticket = worker, ticket
        self._due = time.perf_counter() + FIRST_PART_S

    def __call__(self, part: Callable[[], RunPart]) -> None:
        if time.perf_counter() >= self._due:
            self._tell(part())
            self._due = time.perf_counter() + NEXT_PART_S

    def whole(self, run: SimulatedRun) -> None:
        """Every call is there; what panels ask besides takes longer than many a replay."""
        self._tell(RunPart(run.calls, run.budget, dict(run.tier_tokens)))

    def _tell(self, part: RunPart) -> None:
        if self._worker.wanted == self._ticket and part.calls:
            self._worker.came.emit(self._ticket, part)


def _further(job: Job) -> tuple[Change, ...]:
    """The changes that a job adds to its base; none where it is no base for them."""
    base = job.base
    if base is None or base.session is not job.session or base.profile != job.profile:
        return ()
    further = list(job.changes)
    for change in base.changes:
        if change not in further:
            return ()
        further.remove(change)
    both = tuple(sorted((*base.changes, *further), key=lambda change: change.call))
    return tuple(further) if both == job.changes else ()


def _simulated(
    job: Job, report: Callable[[int, int], bool], store: CountStore | None, teller: _PartTeller
) -> SimulatedRun:
    further = _further(job)
    if job.base is not None and further:
        at = min(change.call for change in further)
        # Before that call the run on screen answers, which is the GUI thread's to ask: nothing is asked here.
        return branch(job.base, at, changes=further, progress=report, store=store)
    if job.kind == "growing":
        made = grown(job.base, job.session) if job.base is not None else _replayed(job, report, store)
        keep_recorded(make_recorded(job.session, job.profile, report, store))
    else:
        made = replay(job.session, job.profile, job.changes, progress=report, store=store, came=teller)
        teller.whole(made)
    _look_at(made)
    return made


def _replayed(job: Job, report: Callable[[int, int], bool], store: CountStore | None) -> SimulatedRun:
    return replay(job.session, job.profile, job.changes, progress=report, store=store)


def _look_at(run: SimulatedRun) -> None:
    """Ask what the panels will ask first, so that what is made for that is made here and not on the GUI thread."""
    _ = run.metrics, run.regrets, run.markers()
    message = run.frame(run.calls).user_message if run.calls else None
    if message is not None:
        run.why(run.calls, message)


def _size(result: object) -> int:
    """Messages of the session in a result."""
    session = result.session if isinstance(result, Loaded | SimulatedRun) else None
    return len(session.messages) if session is not None else 0


class OpenWorker(Worker):
    """Reads sessions and trace logs; the result is a `Loaded`."""

    @Slot(int, object, str)
    def open(self, ticket: int, path: Path, format_name: str = "") -> None:
        self.attempt(ticket, f"Reading {path.name}", lambda: load(path, self.reporter(ticket), format_name))


class ReplayWorker(Worker):
    """Replays sessions, and makes their recorded runs: one thread for both, since both fill in what is kept with a
    session. Token counts of long texts are kept in the library, where there is one."""

    def __init__(self, counts: CountStore | None) -> None:
        super().__init__()
        self._counts = counts

    @Slot(int, object)
    def run(self, ticket: int, job: Job) -> None:
        """The run that a job asks for: a `RecordedRun` for one of that kind, else a `SimulatedRun`."""
        report, store = self.reporter(ticket), self._counts
        if job.kind == "recorded":
            self.attempt(ticket, "", lambda: make_recorded(job.session, job.profile, report, store))
        else:
            self.attempt(ticket, "The replay", lambda: _simulated(job, report, store, _PartTeller(self, ticket)))


class LibraryWorker(QObject):
    """Saves runs, and asks the owner of the library: this object's thread may wait for it."""

    recent = Signal(object)
    """Tuple of OpenedSession, newest first."""
    runs = Signal(object)
    """Tuple of SavedRun, newest first."""
    complained = Signal(str)
    saved = Signal(str)
    """A sentence: where a run was saved."""

    def __init__(self, library: LibraryOwner) -> None:
        super().__init__()
        self._library = library

    @Slot()
    def load(self) -> None:
        """Answer with what is remembered."""
        self._guard(_nothing)
        self._tell_runs()

    @Slot(object)
    def remember(self, session: Session) -> None:
        """Put a session on top of the list and answer with the new list."""
        self._guard(lambda library: library.remember(OpenedSession.of(session)))

    @Slot(object, object, bool)
    def save(self, job: Job, folder: Path, force: bool) -> None:
        """Write a run into a folder and put it on the list. It is replayed here, where it has no base: the one on
        screen stays there."""
        try:
            run = job.base if job.base is not None else replay(job.session, job.profile, job.changes)
            save_run(run, folder, force=force)
            self._ask(lambda library: remember_run(run, folder, library))
        except (RavenglassError, OSError) as error:
            self.complained.emit(f"The run was not saved: {error}")
        else:
            self._tell_runs()
            self.saved.emit(f"The run was saved in {folder}: profile, manifest, trace, windows.")

    def _tell_runs(self) -> None:
        try:
            self.runs.emit(self._ask(lambda library: library.runs()))
        except (StoreError, OSError) as error:
            self.complained.emit(f"Saved runs are not listed: {error}")

    def _guard(self, act: Callable[[Library], None]) -> None:
        try:
            self._ask(act)
            self.recent.emit(self._ask(lambda library: library.recent()))
        except (StoreError, OSError) as error:
            self.complained.emit(f"The list of opened sessions was not updated: {error}")

    def _ask(self, act: Callable[[Library], T]) -> T:
        try:
            return self._library.ask(act).result()
        finally:
            for sentence in self._library.complaints():
                self.complained.emit(sentence)


def _nothing(library: Library) -> None:
    """Ask nothing of the library but its list."""
