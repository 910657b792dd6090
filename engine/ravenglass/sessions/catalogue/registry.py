"""Finds what reads a path, by content and not by name, and reads it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.safe.limits import RECORD, most_record
from ravenglass.sessions.catalogue.claims import checked
from ravenglass.sessions.catalogue.demand import HolderOnDemand
from ravenglass.sessions.catalogue.glued import read_glued
from ravenglass.sessions.catalogue.known import HOLDERS, IMPORTERS
from ravenglass.sessions.catalogue.signs import likely
from ravenglass.sessions.catalogue.unsupported import partly, recognise
from ravenglass.sessions.importing.holder import Holder, HolderEntry
from ravenglass.sessions.importing.importer import Head, Importer, read
from ravenglass.sessions.model.counts import family
from ravenglass.sessions.model.session import Session, Span
from ravenglass.sessions.records.collecting import uncollected
from ravenglass.sessions.records.progress import Progress, Reporter
from ravenglass.sessions.records.reader import Records, read_records
from ravenglass.sessions.records.source import Opened, known_binary, open_path
from ravenglass.sessions.records.values import kind_of

HEAD = 20
"""Records that are enough to tell the format."""
_HEAD_OF_DOCUMENT = 1_000
"""Of a damaged document, whose first objects may be tool definitions and not messages."""
_SURE = 0.8
"""A score that only marks of the format's own give; below, a format that cannot be read goes first."""
_PROBE = 4096
"""Bytes that tell text from binary data."""


def importers() -> tuple[Importer, ...]:
    """Every importer there is, most specific first."""
    return IMPORTERS


def holders() -> tuple[Holder, ...]:
    """Everything that reads folders and databases, most specific first."""
    return HOLDERS


def holder_of(path: Path) -> Holder | None:
    """What lists the sessions of a folder or database; None where it is none that is known."""
    if not (path.is_file() or path.is_dir()):
        return None  # whoever opened a pipe would wait for its writer
    found = next((holder for holder in HOLDERS if holder.recognises(path)), None)
    return found.holder if isinstance(found, HolderOnDemand) else found


def open_session(
    path: Path | str, key: str = "", *, format_name: str = "", progress: Progress | None = None
) -> Session:
    """Read a recorded session of any known format, also .gz and .zst; `key` says which of a database or folder, and
    `format_name` which importer or holder reads it, whatever its content looks like.

    `progress` is called with bytes done and in total and returns False to cancel, which raises `Cancelled`.
    Raises `SessionError` for what is no session of a known format, or turns out not to be what it looked like, and
    for a name of no format; damaged lines are no error but `Session.damage`. Of several sessions without a key, the
    latest is read, and a warning names the others. `path#key` is understood as well.
    """
    path = Path(path)
    if not key:
        path, key = located(path)
    reporter = Reporter(progress, path.name)
    try:
        forced = reader_named(format_name) if format_name else None
        holder = holder_of(path)
        with uncollected():
            if forced is not None and not (holder is not None and holder.name == forced.name):
                return replace(_forced(forced, path, key, reporter), forced=True)
            return _read(path, key, reporter) if holder is None else _held(holder, path, key, reporter)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SessionError(f"{path} could not be read to its end ({reason}).", path=str(path)) from error


def located(place: Path) -> tuple[Path, str]:
    """Path and key of a session's place (`Session.place`); a file that has a # in its name is a path.

    A key may hold a # or a / itself.
    """
    whole = str(place)
    for mark in (match.start() for match in re.finditer("#", whole)):
        path = Path(whole[:mark])
        if mark and path.name and not _there(place) and _there(path):
            return path, whole[mark + 1 :]
    return place, ""


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False  # a key can be longer than a name may be


def reader_named(name: str) -> Importer | Holder:
    """The importer of that name, else the holder. Raises SessionError, which names all, where there is none."""
    found = next((reader for reader in _readers() if reader.name == name), None)
    if found is not None:
        return found
    raise SessionError(f"{name!r} is no format; there are {', '.join(format_names())}.", tried=(name,))


def format_names() -> tuple[str, ...]:
    """Names of all formats that can be asked for."""
    return tuple(dict.fromkeys(reader.name for reader in _readers()))


def _readers() -> tuple[Importer | Holder, ...]:
    return (*IMPORTERS, *HOLDERS)


def _forced(reader: Importer | Holder, path: Path, key: str, reporter: Reporter) -> Session:
    """The session as one format reads it, with a sentence on what the file looks like by itself."""
    beside = next((holder for holder in HOLDERS if holder.name == reader.name), None)
    if beside is not None and (path.is_dir() or beside is reader):
        if not beside.recognises(path):
            raise SessionError(f"{path} is not {beside.label}.", path=str(path), tried=(beside.name,))
        return _held(beside, path, key, reporter)
    records, looks_like = _looked_at(open_path(path, reporter), reporter)
    importer = next(item for item in IMPORTERS if item.name == reader.name)
    session = checked(read(importer, records), importer, forced=True)
    if not session.messages and not session.children:
        why = f"holds no message that is one of {importer.label}; it was read so because --format asked for it"
        raise SessionError(f"{path} {why}.", path=str(path), tried=(importer.name,))
    if looks_like is importer:
        return session
    by_itself = f"by its content it is {looks_like.label}" if looks_like is not None else "its content is of no format"
    kept = len(session.other)
    asked = f"Read as {importer.label} because --format asked for it; {by_itself}."
    aside = f" {kept:,} records are kept beside the messages." if kept > 1 else ""
    return replace(session, warnings=(f"{asked}{aside}", *session.warnings))


def _looked_at(opened: Opened, reporter: Reporter) -> tuple[Records, Importer | None]:
    """The file's records, and what would read them if nothing else were asked for."""
    try:
        importer, records = choose(opened, reporter)
        return records, importer
    except SessionError:
        records = read_records(opened, reporter)
        if not records.peek(1):
            raise
        return records, None


def _held(holder: Holder, path: Path, key: str, reporter: Reporter) -> Session:
    if key:
        return replace(checked(holder.open(path, key, reporter), holder), key=key)
    roots = [entry for entry in holder.entries(path) if entry.parent is None]
    if not roots:
        raise SessionError(f"{path} is {holder.label}, but holds no session.", path=str(path), tried=(holder.name,))
    latest = max(roots, key=lambda entry: (_time(entry), entry.id))
    session = checked(holder.open(path, latest.key, reporter), holder)
    if len(roots) == 1:
        return session
    sentence = (
        f"{path.name} holds {len(roots):,} sessions; this is the latest. Another one is opened as"
        f" {path.name}#KEY; `ravenglass sessions {path.name}` lists them."
    )
    return replace(session, key=latest.key, warnings=(sentence, *session.warnings))


def _time(entry: HolderEntry) -> float:
    known = entry.updated if entry.updated is not None else entry.started
    return known if known is not None else float("-inf")


def _read(path: Path, key: str, reporter: Reporter) -> Session:
    """The session of a file, or with a key one of its children in the same file."""
    importer, records = choose(open_path(path, reporter), reporter)
    session = checked(read_glued(importer, records, IMPORTERS), importer)
    if not key:
        return session
    found = next((part for part in family(session) if part.id == key and part.path == path), None)
    if found is not None:
        return replace(found, key="" if found is session else key)
    inside = ", ".join(part.id for part in family(session) if part.path == path)
    raise SessionError(f"{path} holds no session {key!r}; it holds {inside}.", path=str(path))


def choose(opened: Opened, reporter: Reporter) -> tuple[Importer, Records]:
    """The importer for an opened file, by its content, and the file's records, none of them taken yet.

    Raises SessionError for what no importer reads.
    """
    path = opened.path
    if (name := known_binary(opened.source.read(Span(1, 0, min(opened.source.size, 16))))) is not None:
        raise SessionError(f"{path} is {name}, no session file; {_tried()}.", path=str(path), tried=_names())
    reporter.report(0, opened.source.size)
    records = read_records(opened, reporter)
    first = records.peek(HEAD if records.container == "jsonl" else _HEAD_OF_DOCUMENT)
    if not first:
        raise _unreadable(path, records)
    head = Head(records.container, tuple(record.value for record in first))
    score, best = _surest(head)
    looks_like = recognise(head) if score < _SURE else None
    if looks_like is None and score > 0:
        if score < 1 and (sentence := partly(head)) is not None:
            records.warn(sentence)
        return best, records
    line, what = first[0].span.line, kind_of(first[0].value)
    problem = f"looks like {looks_like}" if looks_like else f"is JSON, but no known session format; {_tried()}"
    raise SessionError(f"{path} {problem}. Line {line} holds {what}.", path=str(path), line=line, tried=_names())


def _surest(head: Head) -> tuple[float, Importer]:
    """The importer that is surest of a file, and how sure; of several the one whose marks come first, for what another
    format wrote may stand behind."""
    scores = [(item.sniff(head), item) for item in likely(head, IMPORTERS)]
    score = max((score for score, _ in scores), default=0.0)
    if score <= 0:
        return 0.0, IMPORTERS[-1]
    alike = [item for one, item in scores if one == score]
    if len(alike) > 1 and head.container == "jsonl":
        for n in range(1, len(head.records)):
            before = Head(head.container, head.records[:n])
            first = next((item for item in alike if item.sniff(before) >= score), None)
            if first is not None:
                return score, first
    return score, alike[0]


def _names() -> tuple[str, ...]:
    return tuple(importer.name for importer in IMPORTERS)


def _tried() -> str:
    """What was tried, short: the formats are many, and `SessionError.tried` names each."""
    return f"tried all {len(IMPORTERS)} formats, from {IMPORTERS[0].label} to {IMPORTERS[-1].label}"


def _unreadable(path: Path, records: Records) -> SessionError:
    """The sentence for a file in which nothing decodes."""
    source = records.opened.source
    head = source.read(Span(1, 0, min(source.size, _PROBE)))
    first = records.damage[0].span if records.damage else records.pending
    line = first.line if first is not None else 1
    if not head.strip(b" \t\r\n\xef\xbb\xbf"):
        why = "holds nothing but blanks" if first is None else "holds no readable record"
    elif _is_binary(head):
        why = "is binary data, no session file"
    elif source.size > (most := most_record()):
        why = (
            f"holds a line or is a document of more than {most:,} bytes, the limit of a record ({RECORD} sets another)"
        )
    elif head.lstrip().startswith(b"{") and not records.damage:
        why = "holds one line that is cut, so no whole record"
    else:
        why = "is no JSON"
    shown = head.splitlines()[0][:60].decode("utf-8", "replace") if head.splitlines() and not _is_binary(head) else ""
    where = f"; line {line} is the first that does not decode" if first is not None else ""
    quoted = f" and begins with {shown!r}" if shown and line == 1 and where else ""
    return SessionError(f"{path} {why}; {_tried()}{where}{quoted}.", path=str(path), line=line, tried=_names())


def _is_binary(head: bytes) -> bool:
    strange = sum(byte < 9 or 13 < byte < 32 for byte in head)
    return b"\x00" in head or strange * 20 > len(head)
