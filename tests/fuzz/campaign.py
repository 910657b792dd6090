"""Runs mutations of seeds and says of each whether the rules held. Every mutation can be made again from its number."""

from __future__ import annotations

import os
import signal
import sqlite3
import tempfile
import threading
import traceback
import zipfile
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from ravenglass.errors import SessionError
from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.listing import listing
from ravenglass.sessions.model.session import Session
from tests.fuzz import oracle
from tests.fuzz.mutate_stores import mutated
from tests.fuzz.oracle import FaultError, family, require
from tests.fuzz.records import Element, elements, is_json, whole_lines
from tests.fuzz.seeds import Seed

_HANGS = 60
"""Seconds after which a mutation counts as hanging; a usual one takes a few milliseconds."""
_REPLAYED, _FOLLOWED, _LISTED = 0.08, 0.15, 0.1
"""Shares of mutations that are also replayed, followed and listed."""
_MOST_REPLAYED = 400
"""Messages of a session that is still replayed."""


@dataclass
class Tally:
    """What became of the mutations of one seed."""

    name: str
    ran: int = 0
    refused: int = 0
    damaged: int = 0
    """Opened, and said what was lost."""
    records: int = 0
    """Whole records that were looked for and found."""
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Origin:
    """A seed, and what of it is held before anything was done to it."""

    seed: Seed

    @cached_property
    def held(self) -> dict[str, frozenset[str]]:
        """Per file what is held of it: lines, rows and elements, as text."""
        with tempfile.TemporaryDirectory(prefix="ravenglass-fuzz-") as name:
            path = self.seed.write(Path(name))
            try:
                found = _everything(self.seed, path)
            except SessionError:
                return {}  # a journal, an archive, a trace: no session, whatever is done to it
            return {
                file: frozenset(unit for unit, there in _units(self.seed, Path(name) / file, data, found) if there)
                for file, data in self.seed.files.items()
            }


def tried(origin: Origin, number: int, seed: int = 0) -> Tally:
    """One mutation."""
    rng = Random(f"{seed}:{origin.seed.name}:{number}")
    tally = Tally(origin.seed.name, ran=1)
    made = mutated(origin.seed, rng)
    with tempfile.TemporaryDirectory(prefix="ravenglass-fuzz-") as folder:
        try:
            with _watched():
                _judge(origin, made, Path(folder), rng, tally)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = "" if isinstance(error, FaultError) else f" at {Path(where.filename).name}:{where.lineno}"
            tally.faults.append(
                f"{made.name} --seed {seed} --number {number}: {type(error).__name__}{place}: {str(error)[:900]}"
            )
    return tally


def _judge(origin: Origin, made: Seed, folder: Path, rng: Random, tally: Tally) -> None:
    path = made.write(folder)
    try:
        found = _everything(made, path)
    except SessionError as error:
        tally.refused = 1
        oracle.check_sentence(str(error), path)
        _check_refusal(origin, made, path)
        return
    for session in found:
        oracle.check(session)
        require(session.place.name, "cannot be opened again")
    tally.damaged = int(any(session.damage or session.pending for session in found))
    tally.records = _check_records(origin, made, folder, found)
    if rng.random() < _LISTED:
        for entry in listing(folder):
            require(entry.place.name, "cannot be opened by its place")
    if rng.random() < _REPLAYED and sum(len(session.messages) for session in found) <= _MOST_REPLAYED:
        for session in found:
            oracle.check_replay(session)
    if made.shape == "lines" and rng.random() < _FOLLOWED:
        data = made.files[made.opened]
        oracle.check_following(path, data, [rng.randint(0, len(data)) for _ in range(rng.randint(1, 4))], found[0])


def _everything(seed: Seed, path: Path) -> list[Session]:
    """The session; of what holds several, all."""
    if seed.shape in ("lines", "document"):
        return [open_session(path)]
    entries = list(listing(path))
    if not entries:
        return [open_session(path)]
    refusals: list[SessionError] = []
    found: list[Session] = []
    for entry in entries:
        try:
            found.append(open_session(entry.path, entry.key))
        except SessionError as error:
            oracle.check_sentence(str(error), path)
            refusals.append(error)
    if not found:
        raise refusals[0]
    return found


def _check_refusal(origin: Origin, made: Seed, path: Path) -> None:
    """A file of lines half of which are untouched is not refused whole, unless they say nothing of their format."""
    known = origin.held.get(made.opened, frozenset())
    if made.shape != "lines" or made.opened not in made.files:
        return
    whole = sum(unit in known for unit in _lines(made.files[made.opened]))
    if made.name.startswith("sample:"):
        path.write_text("\n".join(unit for unit in _lines(made.files[made.opened]) if unit in known), encoding="utf-8")
        try:
            open_session(path)
        except SessionError:
            return
    require(whole * 2 < len(known) or whole < 2, f"was refused, though {whole} of {len(known)} records are untouched")


def _check_records(origin: Origin, made: Seed, folder: Path, found: list[Session]) -> int:
    """Every record that is whole and was held before is held now. Returns how many there are."""
    count = 0
    for name, data in made.files.items():
        known = origin.held.get(name, frozenset())
        for unit, there in _units(made, folder / name, data, found, strict=name == made.opened):
            if unit in known or (known and made.shape == "lines" and name == made.opened and not unit.startswith("[")):
                # A file beside it that no longer belongs to the session is a session of its own.
                require(there or unit in _alone(made, folder / name), f"lost of {name}: {unit[:300]}")
                count += 1
    return count


def _alone(made: Seed, path: Path) -> frozenset[str]:
    """What a file beside the session's own holds when it is opened for itself."""
    if made.shape != "lines" or path.name == Path(made.opened).name:
        return frozenset()
    try:
        found = [open_session(path)]
    except SessionError:
        return frozenset()
    return frozenset(unit for unit, there in _units(made, path, path.read_bytes(), found, strict=False) if there)


def _units(
    seed: Seed, path: Path, data: bytes, found: list[Session], *, strict: bool = True
) -> Iterator[tuple[str, bool]]:
    """The records of a file as text, each with whether something in the sessions holds it."""
    held = _Held(path, found)
    if path.name.endswith(".jsonl") or seed.shape == "lines":
        for start, stop in whole_lines(data):
            yield data[start:stop].decode("utf-8"), held.at(start, stop)
        if seed.shape != "lines" or not strict:
            return
    if seed.shape == "database":
        for row in _rows(path):
            yield row.decode("utf-8", "replace"), held.verbatim(row)
    elif seed.shape == "archive":
        for row in _members(path):
            for element in elements(row):
                yield _text(element), held.verbatim(row[slice(*element.place)])
    elif seed.shape == "document":
        for element in elements(data):
            yield _text(element), held.at(*element.place)
    elif seed.shape == "folder" and is_json(data):
        yield data.decode("utf-8"), held.verbatim(data.strip())


def _text(element: Element) -> str:
    return f"[{'/'.join(element.path)}] {element.text}"


def _lines(data: bytes) -> list[str]:
    return [data[start:stop].decode("utf-8") for start, stop in whole_lines(data)]


class _Held:
    """What the sessions hold of a file: by place where they are read from that very file, else by content."""

    def __init__(self, path: Path, found: list[Session]) -> None:
        everyone = [inner for session in found for inner in family(session)]
        here = [inner for inner in everyone if inner.path == path]
        self._here = bool(here)
        self._places = sorted((s.offset, s.offset + s.length) for inner in here for s in oracle.spans(inner))
        self._sessions = everyone

    @cached_property
    def _texts(self) -> frozenset[bytes]:
        return frozenset(inner.source.read(span) for inner in self._sessions for span in oracle.spans(inner))

    @cached_property
    def _joined(self) -> bytes:
        return b"\xff".join(self._texts)

    @cached_property
    def _reach(self) -> list[int]:
        """For every place the furthest end of all places up to it."""
        reach: list[int] = []
        for _, stop in self._places:
            reach.append(max(stop, reach[-1] if reach else 0))
        return reach

    def at(self, start: int, stop: int) -> bool:
        """Whether a place of the sessions touches these bytes."""
        before = bisect_left(self._places, (stop, 0))
        return before > 0 and self._reach[before - 1] > start

    def verbatim(self, data: bytes) -> bool:
        """Whether the bytes are held as they are, or pieces of them are."""
        if data in self._texts or data in self._joined:
            return True
        return any(len(text) > 1 and text in data for text in self._texts)


def _rows(path: Path) -> list[bytes]:
    """The JSON of every row of a database; none where damage to its pages may hide rows from whoever asks."""
    found: list[bytes] = []
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    except sqlite3.Error:
        return []
    try:
        if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            return []
        connection.text_factory = bytes
        for table in ("message", "part"):
            try:
                rows: list[tuple[Any]] = connection.execute(f"SELECT data FROM {table}").fetchall()
            except sqlite3.Error:
                continue
            found += [row for (row,) in rows if isinstance(row, bytes) and is_json(row)]
    except sqlite3.Error:
        return []
    finally:
        connection.close()
    return found


def _members(path: Path) -> list[bytes]:
    """The samples of an archive that the standard library can unpack."""
    try:
        with zipfile.ZipFile(path) as archive:
            return [archive.read(name) for name in archive.namelist() if name.startswith("samples/")]
    except Exception:
        return []


@contextmanager
def _watched() -> Iterator[None]:
    """Turns a hang into an error, where the system can."""
    if os.name == "nt" or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise TimeoutError(f"hangs: nothing came within {_HANGS} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(_HANGS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def campaign(
    origins: list[Origin], count: int, seed: int = 0, told: Callable[[Tally], None] = lambda _: None
) -> list[Tally]:
    """So many mutations spread over the seeds; `told` is called with each seed's tally when it is done."""
    tallies = []
    for index, origin in enumerate(origins):
        share = count // len(origins) + (index < count % len(origins))
        total = Tally(origin.seed.name)
        for number in range(share):
            one = tried(origin, number, seed)
            total.ran += one.ran
            total.refused += one.refused
            total.damaged += one.damaged
            total.records += one.records
            total.faults += one.faults
        told(total)
        tallies.append(total)
    return tallies
