"""`opencode export` files: places, damage, and random values where others are expected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.sessions import open_session
from ravenglass.sessions.formats.opencode.export import OpenCodeExport
from ravenglass.sessions.importing.importer import read
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import read_records
from ravenglass.sessions.records.source import MemorySource, Opened
from tests.engine.sessions.formats.opencode.store import Chat, export, finish, start, tool, words
from tests.engine.sessions.mutations import damaged, mistyped

CHAT = (
    Chat(revert={"messageID": "msg_ses_1_05"})
    .user(words("first prompt"), {"type": "file", "mime": "image/png", "url": "data:image/png;base64,QUJD"})
    .assistant(start(), words("first answer"), tool("c1", time={"compacted": 1_785_000_002_500}), finish(input=9))
    .user({"type": "compaction", "auto": True, "tail_start_id": "msg_ses_1_01"})
    .assistant(words("a summary"), summary=True, mode="compaction")
    .user(words("undone"))
    .assistant(tool("c2", "running"), error={"name": "APIError", "data": {"message": "x"}})
)


def session_of(data: bytes) -> Session:
    opened = Opened(Path("session.json"), MemorySource(data))
    return read(OpenCodeExport(), read_records(opened, Reporter(None, "session.json")))


def everything(session: Session) -> list[str]:
    """Texts of all messages, children included."""
    return [m.text for m in session.messages] + [words for child in session.children for words in everything(child)]


def test_that_an_export_is_recognised_and_its_records_are_its_own_bytes(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_text(json.dumps(export(CHAT), indent=2))
    session = open_session(path)
    assert (session.format, session.id, session.title) == ("opencode", "ses_1", "A title")
    data = path.read_bytes()
    for message in session.messages:
        for span in message.spans:
            piece = data[span.offset : span.offset + span.length]
            assert session.source.read(span) == piece
            assert json.loads(piece)
            assert data.count(b"\n", 0, span.offset) + 1 == span.line


def test_that_a_cut_export_keeps_every_whole_message(tmp_path: Path) -> None:
    data = json.dumps(export(CHAT)).encode()
    path = tmp_path / "session.json"
    path.write_bytes(data[: data.index(b"a summary")])
    session = open_session(path)
    assert (session.format, session.id) == ("opencode", "ses_1")
    assert [m.text for m in session.messages][:2] == ["first prompt\n[image image/png, 3 bytes]", "first answer"]
    assert len(session.damage) == 1


def test_that_further_exports_of_a_file_are_children_and_unknown_members_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "sessions.jsonl"
    second = export(Chat("ses_2").user(words("other"))) | {"extra": [1]}
    path.write_text(json.dumps(export(CHAT)) + "\n" + json.dumps(second) + "\n")
    session = open_session(path)
    assert [child.id for child in session.children] == ["ses_2", "ses_1:rolled-back"]
    assert "extra" in {record.label for record in session.children[0].other}


def test_that_an_export_without_messages_says_so(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_text(json.dumps(export(Chat())))
    session = open_session(path)
    assert session.warnings == ("The file holds no messages.",)


def test_that_a_single_record_of_the_storage_folder_is_named(tmp_path: Path) -> None:
    path = tmp_path / "prt.json"
    path.write_text(json.dumps({"id": "prt_1", "messageID": "msg_1", "type": "text", "text": "x"}))
    with pytest.raises(SessionError, match="looks like a single record of opencode's storage folder"):
        open_session(path)


@given(value=mistyped(export(CHAT)))
def test_that_values_of_any_type_are_read_without_an_error(value: Any) -> None:
    session = session_of(json.dumps(value).encode())
    for inner in (session, *session.children):
        assert [m.id for m in inner.messages] == list(range(len(inner.messages)))
        for marker in inner.markers:
            assert all(m < marker.before for m in (*(marker.keep or ()), *marker.cleared))


@given(at=st.integers(0, 5), data=st.data())
def test_that_damage_to_one_message_loses_no_other_message(at: int, data: st.DataObject) -> None:
    whole = export(CHAT)
    kept = [*whole["messages"][:at], *whole["messages"][at + 1 :]]
    value = {**whole, "messages": [*kept[:at], data.draw(mistyped(whole["messages"][at])), *kept[at:]]}
    found = " ".join(everything(session_of(json.dumps(value).encode())))
    for said in kept:
        for part in said["parts"]:
            if part["type"] == "text":
                assert part["text"] in found


@given(data=damaged(json.dumps(export(CHAT)).encode()))
def test_that_damaged_bytes_are_read_or_refused_with_a_sentence(data: bytes) -> None:
    session = session_of(data)
    for message in session.messages:
        assert session.raw(message.id)


@given(count=st.integers(1, 6))
def test_that_taking_records_one_by_one_gives_the_same_session(count: int) -> None:
    lines = [json.dumps(message) for message in export(CHAT)["messages"][:count]]
    records = read_records(Opened(Path("x.jsonl"), MemorySource("\n".join(lines).encode())), Reporter(None, "x.jsonl"))
    reading = OpenCodeExport().begin(records)
    for record in records:
        reading.take(record)
        reading.session()
    assert reading.session().messages == session_of("\n".join(lines).encode()).messages
