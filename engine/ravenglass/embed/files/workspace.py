"""The files that a running engine leaves. Writing never interrupts the agent: what the disk does not take is kept,
told, and written as soon as it can be.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from ravenglass.embed.archive import Written
from ravenglass.embed.files.journal import Journal, whole_lines
from ravenglass.embed.files.layout import session_file
from ravenglass.errors import ArchiveError, StoreError
from ravenglass.profile import Profile
from ravenglass.safe.names import key_name
from ravenglass.store.archive.store import ArchiveRecord, ArchiveStore
from ravenglass.store.durable import make_folder, write_whole
from ravenglass.store.layout import CURATOR
from ravenglass.store.lock import WriteLock, holder
from ravenglass.store.workspace import Workspace
from ravenglass.trace import Json, TraceEvent
from ravenglass.traces.writer import line_of, log_path

_LOG = logging.getLogger("ravenglass")
_SEATS = ".sessions"
"""Folder of the locks, one a session."""


@dataclass(frozen=True, slots=True)
class Eviction:
    """A group that was archived. `created`: when, in seconds since the epoch."""

    records: Sequence[ArchiveRecord]
    reason: str
    created: float | None


class EngineWorkspace:
    """The workspace in the folder `root`, for one session, which is locked while it is open; other sessions of the
    workspace are written by other engines at the same time. Where nothing can be written `warnings` says so.

    Raises StoreError where a newer program wrote the workspace, and where another engine has the session open.
    """

    def __init__(self, root: Path, key: str, profile: Profile) -> None:
        self.key = key
        self.session_file = session_file(root, key)
        self.written: Written = {}
        self.problem = ""
        """What could not be written so far; empty while everything is on disk."""
        self._curator = root / CURATOR
        self._place = Workspace.open(self._curator, shared=True)
        self._seat: WriteLock | None = None
        try:
            self._sit_down()
            self.archive = ArchiveStore(self._place, profile)
            self._place.share()
            self.left = read_whole(self.session_file)
            """The session as it is there already, line by line; empty where it is new."""
            self.decisions_left = read_whole(self._decisions_file) if self.left else b""
        except BaseException:
            self._leave()
            raise
        self._session = Journal(self.session_file, fresh=not self.session_file.exists())
        self._decisions = Journal(self._decisions_file)
        self._earlier = [] if self.left else self._left_by_earlier()
        self._traces: dict[int, Journal] = {}
        self._evictions: list[Eviction] = []
        self._files: dict[Path, bytes | None] = {}
        """Path below the curator's folder -> what it shall hold; None: it shall be gone."""
        if not self.writable:
            _LOG.warning("%s", self._place.read_only)

    @property
    def writable(self) -> bool:
        return self._place.writable

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences on what is not on disk, and why."""
        return (*self._place.warnings, *([self.problem] if self.problem else []))

    @property
    def _decisions_file(self) -> Path:
        return self._curator / "decisions" / f"{key_name(self.key)}.jsonl"

    def _sit_down(self) -> None:
        """Lock the session."""
        if not self._place.writable:
            return
        folder = self._curator / _SEATS
        try:
            make_folder(folder)
            path = folder / f"{key_name(self.key)}.lock"
            self._seat = WriteLock.take(path)
        except OSError as error:
            raise StoreError(
                f"The session {self.key} cannot be locked in {folder}: {error.strerror or error}."
            ) from error
        if self._seat is None:
            raise StoreError(
                f"The session {self.key} is open in another engine ({holder(path)}); close that one, or give this one a"
                " key of its own."
            )

    def _leave(self) -> None:
        """Let others write."""
        if self._seat is not None:
            self._seat.release()
        self._place.close()

    def snapshot_names(self) -> set[str]:
        """Names of the snapshots that are there. Empty where they cannot be listed."""
        with suppress(OSError):
            return {path.stem for path in self._snapshot("").parent.glob("*.zst")}
        return set()

    def snapshot(self, name: str) -> bytes | None:
        """A snapshot that is there; None where it cannot be read."""
        with suppress(OSError):
            return self._snapshot(name).read_bytes()
        return None

    def _snapshot(self, name: str) -> Path:
        return self._curator / "snapshots" / key_name(self.key) / f"{name}.zst"

    def add_decisions(self, lines: bytes) -> None:
        """Append whole lines to the decision log."""
        self._decisions.add(lines)

    def add_record(self, line: bytes) -> None:
        """Append a line, with its ending, to the session file."""
        self._session.add(line)

    def add_events(self, turn: int, events: Iterable[TraceEvent]) -> None:
        """Append events to the trace of a turn."""
        lines = b"".join(line_of(event) + b"\n" for event in events)
        if turn not in self._traces:
            self._traces[turn] = Journal(log_path(self._curator, self.key, f"{turn:04}"))
        self._traces[turn].add(lines)

    def archive_group(self, eviction: Eviction) -> None:
        """Have a group archived."""
        self._evictions.append(eviction)

    def has_archived(self, records: Sequence[ArchiveRecord], created: float | None) -> bool:
        """Whether the archive on disk holds these records already."""
        try:
            self.archive.path(self.archive.ref_of(self.key, records, created))
        except ArchiveError:
            return False
        return True

    def put_document(self, kind: str, document: Json) -> None:
        """Have the file of a kind (`manifest`, `working_state`) replaced."""
        self._files[Path(kind, f"{key_name(self.key)}.json")] = json.dumps(document).encode()

    def put_snapshot(self, name: str, data: bytes | None) -> None:
        """Have the file of a snapshot written; None: deleted."""
        self._files[Path("snapshots", key_name(self.key), f"{name}.zst")] = data

    def flush(self) -> None:
        """Write everything that waits, as far as the disk lets it; `problem` says what was not."""
        if not self.writable:
            self._forget()
            return
        try:
            self._write()
        except OSError as error:
            self._failed(f"{error.filename or self._curator} cannot be written ({error.strerror or error})")
        except ArchiveError as error:
            self._failed(str(error).rstrip("."))
        else:
            self.problem = ""

    def _left_by_earlier(self) -> list[Path]:
        """What an earlier session of this key left whose file is gone (cleared, undone): it is about other messages."""
        name = key_name(self.key)
        places = [Path(kind, f"{name}.json") for kind in ("manifest", "working_state")]
        places += [Path("decisions", f"{name}.jsonl"), *(Path(kind, name) for kind in ("snapshots", "traces"))]
        return [place for place in places if (self._curator / place).exists()]

    def _set_aside(self) -> None:
        """Keep what the earlier session left under a name of its own, so that nothing of it is taken for this one's."""
        while self._earlier:
            path = self._curator / self._earlier[0]
            aside = (path.with_name(f"{path.stem}.earlier-{n}{path.suffix}") for n in count(1))
            path.rename(next(free for free in aside if not free.exists()))
            del self._earlier[0]

    def _write(self) -> None:
        self._set_aside()
        self._session.flush()
        while self._evictions:
            first = self._evictions[0]
            ref = self.archive.write(self.key, first.records, reason=first.reason, created=first.created)
            self.written[tuple(record.id for record in first.records)] = ref
            del self._evictions[0]
        for turn in list(self._traces):
            self._traces[turn].flush()
            if turn != max(self._traces):
                del self._traces[turn]
        self._decisions.flush()
        for path in list(self._files):
            self._write_file(self._curator / path, self._files[path])
            del self._files[path]

    def _write_file(self, path: Path, data: bytes | None) -> None:
        if data is None:
            path.unlink(missing_ok=True)
            return
        make_folder(path.parent)
        write_whole(path, [data])

    def sync_session(self) -> bool:
        """Have every record added so far in the session file, for good. False where the disk does not take it."""
        if not self.writable:
            return False
        try:
            self._session.sync()
        except OSError as error:
            self._failed(f"{error.filename or self.session_file} cannot be written ({error.strerror or error})")
            return False
        return True

    def _failed(self, why: str) -> None:
        if not self.problem:
            _LOG.warning("%s. The engine goes on in memory and tries again.", why)
        self.problem = f"{why}. What is missing is kept in memory and written when it can be."

    def _forget(self) -> None:
        """Nothing will be written, so nothing is kept for it."""
        self._session = Journal(self.session_file)
        self._decisions = Journal(self._decisions_file)
        self._traces.clear()
        self._evictions.clear()
        self._files.clear()

    def abandon(self) -> None:
        """Let others write, and write nothing: the engine was not made after all."""
        self._leave()

    def close(self) -> None:
        """Write what waits and let others write. Raises StoreError where something could not be written; then the
        files hold everything up to some message."""
        try:
            self.flush()
        finally:
            self._leave()
        if self.problem:
            raise StoreError(self.problem.replace("kept in memory and written when it can be", "lost"))


def read_whole(path: Path) -> bytes:
    """The whole lines of a file; empty where there is none. Raises StoreError where it cannot be read."""
    try:
        return whole_lines(path.read_bytes())
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise StoreError(f"{path} cannot be read ({error.strerror or error}), so the session cannot go on.") from error
