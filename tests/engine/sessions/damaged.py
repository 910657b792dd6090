"""Damage to session files for property tests, and what must hold of every importer all the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.sessions import open_session
from ravenglass.sessions.importing.importer import Head, Importer
from ravenglass.sessions.model.session import Session, Span
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import read_records
from ravenglass.sessions.records.source import open_path

JUNK: st.SearchStrategy[object] = st.sampled_from(
    [None, True, 0, -1, 1.5, "", "x", "\ud800", [], [None], [[]], {}, {"type": 7}, {"": []}, [{}]]
)


@st.composite
def mistyped(draw: st.DrawFn, value: Any) -> Any:
    """The value with something inside replaced by a value of another type, or left out."""
    places: list[tuple[Any, Any]] = []
    whole = json.loads(json.dumps(value))
    _places(whole, places)
    for _ in range(draw(st.integers(1, 3))):
        container, key = draw(st.sampled_from(places))
        if isinstance(container, dict) and draw(st.booleans()):
            container.pop(key, None)
        else:
            container[key] = draw(JUNK)
    return whole


def _places(value: Any, found: list[tuple[Any, Any]]) -> None:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    for key in keys:
        found.append((value, key))
        _places(value[key], found)


@st.composite
def hurt(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes cut, with a byte changed, with NUL bytes in, or with a piece missing or written twice."""
    at, more = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
    return draw(
        st.sampled_from(
            [
                data[:more],
                data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :],
                data[:at] + b"\x00" * 3 + data[at:],
                data[:at] + data[more:],
                data[:more] + data[at:],
            ]
        )
    )


def family(session: Session) -> list[Session]:
    """The session and everything below it."""
    return [session, *(inner for child in session.children for inner in family(child))]


def opened(path: Path) -> Session | None:
    """The session, or None where the file is refused with a sentence; anything else is an error of the test."""
    try:
        session = open_session(path)
    except SessionError as error:
        refused = str(error)
        if not refused.endswith("."):
            raise
        return None
    for inner in family(session):
        assert [message.id for message in inner.messages] == list(range(len(inner.messages)))
        for marker in inner.markers:
            assert 0 <= marker.before <= len(inner.messages)
            assert list(marker.keep or ()) == sorted(m for m in marker.keep or () if m < marker.before)
        for message in inner.messages:
            inner.raw(message.id)
    return session


def spans(session: Session) -> list[Span]:
    """Everything that messages and other records of a family stand at."""
    return [
        span
        for inner in family(session)
        for span in [*(s for m in inner.messages for s in m.spans), *(record.span for record in inner.other)]
    ]


def is_held(session: Session, start: int, stop: int) -> bool:
    """Whether something of the bytes is in a message or another record, or they are inside of one."""
    return any(span.offset < stop and start < span.offset + span.length for span in spans(session))


def facts(session: Session) -> list[object]:
    """What two readings of the same records must agree on."""
    return [
        (inner.id, inner.title, inner.messages, inner.markers, inner.other, inner.model, inner.parent_call_id)
        for inner in family(session)
    ]


def check_pieces(path: Path, importer: Importer) -> None:
    """Reading record by record, asking for the session in between, gives what reading at once gives."""
    whole = read_records(open_path(path, Reporter(None, "")), Reporter(None, ""))
    at_once = importer.begin(whole)
    for record in whole:
        at_once.take(record)
    pieces = read_records(open_path(path, Reporter(None, "")), Reporter(None, ""))
    slowly = importer.begin(pieces)
    seen: list[int] = []
    for record in pieces:
        slowly.take(record)
        seen.append(len(spans(slowly.session())))
    assert seen == sorted(seen), "records that were there are gone"
    assert facts(at_once.session()) == facts(slowly.session()) == facts(at_once.session())


def head_of(path: Path) -> Head:
    """What importers are asked with."""
    records = read_records(open_path(path, Reporter(None, "")), Reporter(None, ""))
    return Head(records.container, tuple(record.value for record in records.peek(20)))


Write = Callable[..., Path]
