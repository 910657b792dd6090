"""Reading a session record by record, and sessions as values that can be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ravenglass.sessions.catalogue.claims import checked
from ravenglass.sessions.catalogue.registry import choose
from ravenglass.sessions.model.session import Session, Span
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.source import open_path


def read_stepwise(path: Path) -> Session:
    """The session of the file when it is asked for after every single record."""
    reporter = Reporter(None, path.name)
    importer, records = choose(open_path(path, reporter), reporter)
    reading = importer.begin(records)
    for record in records:
        reading.take(record)
        reading.session()
    return checked(reading.session(), importer)


def value_of(session: Session) -> tuple[Any, ...]:
    """Everything in a session that an importer gives, without the session's identity."""
    return (
        session.id, session.title, session.project, session.model, session.forked_from, session.parent_call_id,
        session.messages, session.structure, session.markers, session.other, session.damage, session.warnings,
        tuple(value_of(child) for child in session.children),
    )  # fmt: skip


def family(session: Session) -> list[Session]:
    """The session and all below it."""
    return [session, *(inner for child in session.children for inner in family(child))]


def held(session: Session) -> set[Span]:
    """Places in the session's file that are in a message or in another record, of the session or of one below."""
    found: set[Span] = set()
    for inner in family(session):
        if inner.path == session.path:
            found.update(span for message in inner.messages for span in message.spans)
            found.update(record.span for record in inner.other)
    return found


def check(session: Session) -> None:
    """What holds for every session: positions, markers inside the session, readable places."""
    for inner in family(session):
        size = len(inner.messages)
        assert [message.id for message in inner.messages] == list(range(size))
        assert all(message.spans and inner.raw(message.id) for message in inner.messages)
        for marker in inner.markers:
            assert 0 <= marker.before <= size
            assert all(0 <= kept < marker.before for kept in marker.keep or ())
            assert all(inner.messages[result].role == "tool" for result in marker.cleared)
