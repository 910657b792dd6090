"""Faults that `make fuzz` found, each as the smallest file that showed it."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from ravenglass.errors import SessionError
from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.follow import Follower
from ravenglass.sessions.catalogue.listing import listing
from ravenglass.sessions.catalogue.registry import located
from ravenglass.sessions.importing.holder import HolderEntry
from tests.engine.sessions.conftest import Write, assistant, encoded, say, use, user
from tests.engine.sessions.damaged import is_held, spans
from tests.engine.sessions.formats.gemini.lines import answer, ask, document
from tests.engine.sessions.formats.inspect.test_importer import HEADER, SAMPLE, packed
from tests.engine.sessions.formats.opencode.store import Chat, database, put, storage, tool, words
from tests.engine.sessions.formats.otel.test_importer import TRACE
from tests.engine.sessions.formats.responses.test_importer import ASK, SAY, request, response


def holds_everything(path: Path) -> bool:
    """Whether every line of the file is in a message or another record."""
    session, start = open_session(path), 0
    found = []
    for row in path.read_bytes().split(b"\n"):
        found.append(not row or is_held(session, start, start + len(row)))
        start += len(row) + 1
    return all(found)


def held(path: Path, key: str = "") -> bytes:
    """Everything that a session's messages and other records hold, of all below it too."""
    session = open_session(path, key)
    return b"\n".join(session.source.read(span) for span in spans(session))


def test_that_a_session_id_that_is_no_file_name_does_not_refuse_the_file(write: Write) -> None:
    for name in ("a" * 5_000, "../..", "x\x00y", "/etc"):
        path = write({**user("go"), "sessionId": name}, assistant(say("done")))
        assert [message.text for message in open_session(path).messages] == ["go", "done"]
        path = write({"sessionId": name, "projectHash": "h", "kind": "main"}, ask("u1"), name="chats/x.jsonl")
        assert [message.text for message in open_session(path).messages] == ["do it"]


def test_that_a_description_nested_without_end_is_a_warning(write: Write) -> None:
    write({**user("look", uuid="c1"), "isSidechain": True, "agentId": "ag1"}, name="s/subagents/agent-ag1.jsonl")
    write(b"[" * 5_000 + b"]" * 5_000, name="s/subagents/agent-ag1.meta.json")
    session = open_session(write(user("go"), assistant(use("t1", "Task", prompt="look")), name="s.jsonl"))
    assert [child.id for child in session.children] == ["ag1"]
    assert "could not be read" in session.children[0].warnings[0]


def test_that_a_record_that_lost_its_mark_does_not_push_the_sub_agents_others_aside(write: Write) -> None:
    own: dict[str, object] = {"isSidechain": True, "agentId": "ag1"}
    strange = [{"type": {"type": "text"}, "content": "a.txt: found"}]
    path = write(
        {**user("look", uuid="c1"), **own},
        {**assistant(say("found"), uuid="c2"), **own, "parentUuid": "c1"},
        {**user(strange, uuid="c3"), **own, "isSidechain": "2026-13-45", "parentUuid": "c2"},
        name="agent-ag1.jsonl",
    )
    session = open_session(path)
    assert [message.text for message in session.messages][:2] == ["look", "found"]
    assert "a.txt: found" in session.messages[2].text
    assert (session.id, session.other, session.children) == ("ag1", (), ())


def test_that_a_sub_agents_file_keeps_records_that_are_marked_differently(write: Write) -> None:
    side = {**assistant(say("found"), uuid="c2"), "isSidechain": True, "agentId": "ag1", "parentUuid": "c1"}
    child = write(user("look", uuid="c1"), side, name="s/subagents/agent-ag1.jsonl")
    write(user("go"), assistant(say("done")), name="s.jsonl")
    assert holds_everything(child)
    (inner,) = open_session(child.parents[2] / "s.jsonl").children
    assert [record.label for record in inner.other] == ["sidechain/assistant"]


def test_that_a_logged_answer_in_no_known_role_is_kept(write: Write) -> None:
    log = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "a"}], "model": "m"}
    path = write({**log, "response": {"choices": [{"message": {"role": "critic", "content": "b"}}]}})
    session = open_session(path)
    assert [message.text for message in session.messages] == ["hi", "a\nb"]


@pytest.mark.parametrize("given", [{"message": {"content": "b"}}, "none", 7, None])
def test_that_choices_that_are_no_list_are_no_error(write: Write, given: object) -> None:
    path = write({"messages": [{"role": "user", "content": "hi"}], "model": "m", "response": {"choices": given}})
    assert [message.text for message in open_session(path).messages] == ["hi"]


def test_that_a_request_without_items_is_kept(write: Write) -> None:
    assert holds_everything(write(request(ASK), response(SAY), request(), request(ASK, SAY, ASK)))


def test_that_a_message_that_a_document_holds_twice_is_kept_twice(write: Write) -> None:
    data = document(ask("u1", "first"), answer("g1", "a"), ask("u1", "first"))
    path = write(data, name="chats/session-x.json", end=b"")
    session = open_session(path)
    assert [message.text for message in session.messages] == ["first", "a"]
    start = data.rindex(b'"id": "u1"')
    assert is_held(session, start, start + 10)


@pytest.mark.parametrize(
    "value",
    [
        {"resourceSpans": {"type": 7}}, {"resourceSpans": []}, {"resourceSpans": [[{"scopeSpans": []}], None]},
        {"resourceSpans": [{"scopeSpans": "x"}]}, {"resourceSpans": [{"scopeSpans": [{"spans": {}}, 7]}]},
    ],
)  # fmt: skip
def test_that_what_leads_to_no_span_is_kept(write: Write, value: object) -> None:
    path = write(value)
    session = open_session(path)
    assert session.other
    assert holds_everything(path)


def test_that_a_number_without_end_in_a_span_is_no_error(write: Write) -> None:
    text = json.dumps(TRACE[0]).replace('{"intValue": "9"}', '{"intValue": 1e999}')
    assert "1e999" in text
    assert open_session(write(text.encode())).messages


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, 93])
def test_that_an_archive_that_points_outside_itself_is_refused_with_a_sentence(tmp_path: Path, method: int) -> None:
    path = packed(tmp_path, {"header.json": HEADER, "samples/a_epoch_1.json": SAMPLE}, method)
    data = bytearray(path.read_bytes())
    place = data.rindex(b"PK\x05\x06") + 16  # where the directory begins: every member is looked for that much earlier
    begins = int.from_bytes(data[place : place + 4], "little")
    data[place : place + 4] = (begins + 100_000).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(SessionError, match=r"log\.eval .*\.$"):
        open_session(path)
    assert len(list(listing(path))) <= 1


def test_that_a_damaged_member_is_not_quoted_at_length(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    name = "samples/a_epoch_1.json"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("header.json", json.dumps(HEADER))
        archive.writestr(name, json.dumps(SAMPLE))
    data = bytearray(path.read_bytes())
    header = data.index(b"PK\x03\x04", 4)
    data[header + 26 : header + 28] = (3_000).to_bytes(2, "little")  # the name's length
    path.write_bytes(data)
    with pytest.raises(SessionError) as refused:
        open_session(path)
    assert len(str(refused.value)) < 600


def test_that_a_key_with_a_slash_or_a_mark_in_it_opens_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(HEADER))
        for name in ("HumanEval/0", "a#b/c"):
            archive.writestr(f"samples/{name}_epoch_1.json", json.dumps({**SAMPLE, "id": name, "uuid": name}))
    found = sorted(listing(path), key=lambda entry: entry.key)
    assert [entry.key for entry in found] == ["HumanEval/0_epoch_1", "a#b/c_epoch_1"]
    for entry in found:
        assert located(entry.place) == (path, entry.key)
        session = open_session(entry.place)
        assert (session.key, session.place) == (entry.key, entry.place)
    long = HolderEntry("x", path, key="k" * 5_000)
    assert located(long.place) == (path, long.key)


def test_that_parts_of_a_message_whose_file_is_gone_or_renamed_are_kept(tmp_path: Path) -> None:
    chat = Chat().user(words("first")).assistant(words("second"), tool("c1"))
    folder = storage(tmp_path / "storage", chat)
    path = folder / "message/ses_1/msg_ses_1_02.json"
    whole = path.read_bytes()
    path.write_text(json.dumps({**json.loads(whole), "id": "another"}))
    assert b"second" in held(folder)
    assert [message.text for message in open_session(folder).messages][:2] == ["first", "second"]
    path.unlink()
    assert b"second" in held(folder)
    path.write_bytes(b"{")
    assert b"second" in held(folder)


@pytest.mark.parametrize("moment", ["9" * 500, "1e400", "NaN", "-1e300", "true"])
def test_that_a_time_that_is_no_time_is_no_error(tmp_path: Path, moment: str) -> None:
    folder = storage(tmp_path / "storage", Chat().user(words("first")).assistant(words("second")))
    path = folder / "message/ses_1/msg_ses_1_02.json"
    value = json.loads(path.read_bytes())
    path.write_text(json.dumps({**value, "time": {"created": "@"}}).replace('"@"', moment))
    assert sorted(message.text for message in open_session(folder).messages) == ["first", "second"]


@pytest.mark.parametrize("name", ["x\x00y", "a" * 5_000, "../..", "/", "*"])
def test_that_an_id_that_is_no_file_name_is_no_error(tmp_path: Path, name: str) -> None:
    folder = storage(tmp_path / "storage", Chat().user(words("first")).assistant(words("second")))
    path = folder / "message/ses_1/msg_ses_1_02.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "id": name}))
    assert b"second" in held(folder)
    path = folder / "session/prj/ses_1.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "id": name}))
    assert any(b"second" in held(folder, entry.key) for entry in listing(folder))


def test_that_parts_that_name_nobody_are_kept_once(tmp_path: Path) -> None:
    folder = storage(tmp_path / "storage", Chat().user(words("a")), Chat("ses_2").user(words("b")))
    put(folder / "part/prt_loose.json", {"id": "p1", "messageID": "gone", "type": "text", "text": "loose"})
    put(folder / "part/msg_gone/prt_1.json", {"id": "p2", "type": "text", "text": "stray"})
    first, second = held(folder, "ses_1"), held(folder, "ses_2")
    for said in (b"loose", b"stray"):
        assert (first.count(said), second.count(said)) == (1, 0)
    assert [message.text for message in open_session(folder, "ses_1").messages] == ["a"]


def test_that_rows_that_an_index_hides_are_read(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", Chat().user(words("first")).assistant(words("second")))
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA writable_schema = ON")
    (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'message_session'").fetchone()
    # An index that holds no row: it was made for a table that was empty, and the rows came without it.
    connection.execute("DELETE FROM sqlite_master WHERE name = 'message_session'")
    connection.close()
    connection = sqlite3.connect(path, isolation_level=None)
    rows = connection.execute("SELECT * FROM message").fetchall()
    connection.execute("DELETE FROM message")
    connection.execute(sql)
    (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'message_session'").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    empty = path.read_bytes()[(page - 1) * size : page * size]
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executemany("INSERT INTO message VALUES (?, ?, ?, ?, ?)", rows)
    connection.close()
    data = bytearray(path.read_bytes())
    data[(page - 1) * size : page * size] = empty
    path.write_bytes(data)
    session = open_session(path)
    assert [(message.role, message.text) for message in session.messages] == [
        ("user", "first"),
        ("assistant", "second"),
    ]
    assert all(len(message.spans) > 1 for message in session.messages)


@pytest.mark.parametrize("given", ["CAST(x'9f00ff' AS BLOB)", "''"])
def test_that_rows_whose_session_id_is_no_id_are_read(tmp_path: Path, given: str) -> None:
    path = database(tmp_path / "opencode.db", Chat().user(words("first")).assistant(words("second")))
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"UPDATE message SET session_id = {given} WHERE id LIKE '%02'")
    connection.close()
    keys = [entry.key for entry in listing(path)]
    assert len(keys) == 2
    assert any(b'"role":"assistant"' in held(path, key) for key in keys)


def test_that_damage_without_a_new_record_is_told_while_following(write: Write) -> None:
    path = write(user("go"), assistant(say("done")))
    follower = Follower(path)
    assert follower.look() is not None
    with path.open("ab") as file:
        file.write(b'{"type": "user", "mess\n')
    look = follower.look()
    assert look is not None
    assert look.session.damage == open_session(path).damage != ()
    with path.open("ab") as file:
        file.write(b'{"type":')
    look = follower.look()
    assert look is not None
    assert look.session.pending is not None
    assert follower.look() is None


def test_that_the_format_is_told_anew_while_there_are_few_records(write: Write) -> None:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}
    path = write(item)
    follower = Follower(path)
    first = follower.look()
    assert first is not None
    assert first.session.format == "openai-responses"
    with path.open("ab") as file:
        file.write(encoded({"record_type": "state"}) + b"\n")
    look = follower.look()
    assert look is not None
    assert (look.reason, look.session.format) == ("grown", open_session(path).format) == ("grown", "codex")


def test_that_every_choice_of_a_logged_answer_is_kept_at_its_own_place(write: Write) -> None:
    choices = [{"message": {"role": "assistant", "content": words}} for words in ("one", "two", "three")]
    log = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "response": {"choices": [{}, *choices]}}
    path = write(json.dumps(log).encode(), name="log.json")
    session = open_session(path)
    assert [message.text for message in session.messages] == ["hi", "one"]
    kept = [record for record in session.other if record.label.startswith("choice")]
    assert [(record.label, json.loads(session.source.read(record.span))["content"]) for record in kept] == [
        ("choice 3", "two"),
        ("choice 4", "three"),
    ]
