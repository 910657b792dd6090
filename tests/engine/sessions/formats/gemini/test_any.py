"""Any records and any damage in sessions of Gemini CLI."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.follow import Follower
from tests.engine.sessions.conftest import encoded
from tests.engine.sessions.formats.gemini.lines import HEAD, TALK, answer, ask, call, document, note
from tests.engine.sessions.stepwise import check, held, read_stepwise, value_of

Write = Callable[..., Path]


SEQUENCE = st.lists(
    st.one_of(
        st.builds(ask, st.sampled_from(["a", "b", "c"]), st.sampled_from(["one", "two", "/help", [{"text": "three"}]])),
        st.builds(
            lambda name, words, made, done: answer(name, words, *[call(made, done)] if made else []),
            st.sampled_from(["b", "c", "d"]), st.sampled_from(["", "yes"]), st.sampled_from(["", "c1", "c2"]),
            st.sampled_from(["x", "y"]),
        ),
        st.builds(note, st.sampled_from(["a", "n"])),
        st.builds(lambda target: {"$rewindTo": target}, st.sampled_from(["a", "b", "d", "nowhere"])),
        st.builds(
            lambda chosen: {"$set": {"messages": chosen}},
            st.lists(st.sampled_from([ask("a", "one"), answer("b", "", call("c1", "z")), ask("z", "new")]), max_size=3),
        ),
        st.sampled_from([{"id": 3}, {"$set": None}, {"$set": {"messages": {}}}, {"type": "user"}, 5, None, [], [[]]]),
        st.dictionaries(
            st.sampled_from(["id", "type", "content", "toolCalls", "thoughts", "tokens", "messages", "$set", "parts"]),
            st.sampled_from(["gemini", "user", None, 0, True, [], {}, [None], ["x"], [{}], [{"result": []}], {"a": 0}]),
            max_size=5,
        ),
    ),
    max_size=9,
)  # fmt: skip


@given(SEQUENCE)
def test_that_no_record_of_any_sequence_is_lost_and_reading_on_is_reading_at_once(
    tmp_path_factory: pytest.TempPathFactory, records: list[object]
) -> None:
    path = tmp_path_factory.mktemp("any") / "session.jsonl"
    lines = [encoded(record) for record in (HEAD, *records)]
    path.write_bytes(b"\n".join(lines) + b"\n")
    session = open_session(path)
    check(session)
    assert value_of(read_stepwise(path)) == value_of(session)
    places = held(session)
    starts = [sum(map(len, lines[:n])) + n for n in range(len(lines))]
    for start, line in zip(starts, lines, strict=True):
        assert any(start <= span.offset and span.offset + span.length <= start + len(line) for span in places), line


@given(st.data())
def test_that_damage_costs_only_the_records_it_hits(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    lines = [encoded(record) for record in (HEAD, *TALK, *(ask(f"u{n}", f"words {n}") for n in range(2, 6)))]
    hit = data.draw(st.integers(1, len(lines) - 1))
    at = data.draw(st.integers(0, len(lines[hit]) - 1))
    lines[hit] = (
        lines[hit][:at] + data.draw(st.sampled_from([b"", b"\x00", b"\xff", b'"', b"}{"])) + lines[hit][at + 1 :]
    )
    path = tmp_path_factory.mktemp("hurt") / "session.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    session = open_session(path)
    check(session)
    raws = {session.source.read(span) for span in held(session)}
    assert {line for number, line in enumerate(lines) if number != hit} <= raws


@given(st.integers(0, 4000), st.sampled_from([b"", b'"', b"\x00", b"}"]))
def test_that_a_damaged_document_raises_nothing_and_keeps_what_stands_before(
    tmp_path_factory: pytest.TempPathFactory, at: int, byte: bytes
) -> None:
    whole = document(*TALK, *(ask(f"u{n}", f"words {n}") for n in range(2, 6)))
    at %= len(whole)
    path = tmp_path_factory.mktemp("hurt") / "session-h.json"
    path.write_bytes(whole[:at] + byte + (whole[at + 1 :] if byte else b""))
    before = [n for n in range(2, 6) if 0 <= whole.find(f'"words {n}"'.encode()) < at - 20]
    try:
        session = open_session(path)
    except SessionError:
        assert not before
        return
    check(session)
    assert value_of(read_stepwise(path)) == value_of(session)
    texts = [message.text for message in session.messages]
    assert all(f"words {n}" in texts for n in before)


def test_that_a_followed_file_is_at_every_line_what_opening_it_gives(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    more = [{"$set": {"messages": TALK[:2]}}, ask("u2", "on"), {"$rewindTo": "u2"}, answer("g9", "last")]
    path.write_bytes(encoded(HEAD) + b"\n")
    follower = Follower(path)
    follower.look()
    for record in (*TALK, *more):
        line = encoded(record) + b"\n"
        for piece in (line[:9], line[9:]):
            with path.open("ab") as file:
                file.write(piece)
            look = follower.look()
        assert look is not None
        assert value_of(look.session) == value_of(open_session(path))
    assert look is not None
    assert len(look.session.children) == 2
