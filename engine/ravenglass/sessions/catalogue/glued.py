"""Reads a file in which sessions stand one behind the other: the first is the file's, the others its children.

Nothing is lost: what is no session by itself is given to the reading before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ravenglass.errors import SessionError
from ravenglass.sessions.catalogue.seams import Seams
from ravenglass.sessions.importing.importer import Importer, Reading, read
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.model.texts import keeping
from ravenglass.sessions.records.reader import Record, Records


@dataclass
class _Part:
    """Records behind a seam, and who reads them."""

    importer: Importer
    reading: Reading
    records: list[Record] = field(default_factory=list)

    def take(self, record: Record) -> None:
        self.records.append(record)
        self.reading.take(record)


def read_glued(importer: Importer, records: Records, importers: Sequence[Importer]) -> Session:
    """The session of a whole file, with the others that were glued to it. Raises SessionError where it holds none."""
    if records.container != "jsonl":
        return read(importer, records)
    seams, parts = Seams(importer, importers), list[_Part]()
    with keeping(records.opened.spool):
        first = importer.begin(records)
        for record in records:
            begins = seams.at(record)
            if begins is not None:
                parts.append(_Part(begins, begins.begin(records)))
            if parts:
                parts[-1].take(record)
            else:
                first.take(record)
        found = [(part, _session(part, first)) for part in parts]
        session = first.session()
    glued = [(part, made) for part, made in found if made is not None]
    return _joined(session, glued) if glued else session


def _session(part: _Part, first: Reading) -> Session | None:
    """The session of a part; where it is none, its records go to the reading before it."""
    try:
        made: Session | None = part.reading.session()
    except SessionError:
        made = None
    if made is None or not made.messages:
        for record in part.records:
            first.take(record)
        return None
    return made


def _joined(session: Session, glued: Sequence[tuple[_Part, Session]]) -> Session:
    """The first session with the others as children, each under an id that is the only one of its kind."""
    taken = {session.id, *(child.id for child in session.children)}
    children, said = list(session.children), list[str]()
    for part, made in glued:
        name = next(_names(made.id, taken))
        taken.add(name)
        own = tuple(child for child in made.children if child.path == made.path)
        other = replace(
            made, id=name, key=name, damage=(), pending=None, warnings=(), children=own, parent=None,
            title=f"another session of this file: {made.title}",
        )  # fmt: skip
        children.append(other)
        line = part.records[0].span.line
        said.append(
            f"From line {line:,} on {session.path.name} holds another session, {made.id} ({part.importer.label},"
            f" {len(made.messages):,} messages): it is listed below this one, and opened as {session.path.name}#{name}."
        )
    return replace(session, children=tuple(children), warnings=(*session.warnings, *said))


def _names(name: str, taken: set[str]) -> Iterator[str]:
    yield from (n for n in (name, *(f"{name}-{number}" for number in range(2, 10_000))) if n not in taken)
