"""Sub-agents of Gemini CLI, in files beside the session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.registry import choose
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.source import open_path
from tests.engine.sessions.conftest import encoded
from tests.engine.sessions.formats.gemini.lines import HEAD, SHAPE, TALK, Json, answer, ask, call, document, shape

Write = Callable[..., Path]


def sub(name: str, *lines: Json) -> list[Json]:
    return [{**HEAD, "sessionId": name, "kind": "subagent", "directories": ["/tmp/p"]}, *lines]


def test_that_files_in_the_folder_of_the_session_are_children_of_their_calls(write: Write) -> None:
    started = answer("g1", "", call("c1", agentId="sub-1"), call("c2", agentId="sub-2"))
    write(*sub("sub-1", ask("u", "first task"), answer("g", "done")), name="chats/s-1/sub-1.jsonl")
    write(document(ask("u", "old form")), name="chats/s-1/sub-3.json")
    path = write(HEAD, ask("u1"), started, name="chats/session-x.jsonl")
    session = open_session(path)
    assert [(child.id, child.parent_call_id, child.title) for child in session.children] == [
        ("sub-1", "c1", "first task"),
        ("s-1", None, "old form"),
    ]
    assert session.children[0].project == "/tmp/p"
    assert session.warnings == ()


def test_that_all_levels_of_sub_agents_are_found_and_none_twice(write: Write) -> None:
    write(*sub("sub-1", ask("u"), answer("g", "", call("c9", agentId="sub-2"))), name="chats/s-1/sub-1.jsonl")
    write(*sub("sub-2", ask("u", "deep")), name="chats/sub-1/sub-2.jsonl")
    write(*sub("s-1", ask("u", "in a circle")), name="chats/sub-2/s-1.jsonl")
    session = open_session(write(HEAD, *TALK, name="chats/session-x.jsonl"))
    (child,) = session.children
    (inner,) = child.children
    assert (inner.id, inner.parent_call_id) == ("sub-2", "c9")
    assert [deepest.title for deepest in inner.children] == ["in a circle"]
    assert inner.children[0].children == ()


def test_that_files_that_are_no_sessions_give_a_warning_each(write: Write) -> None:
    write({"a": 1}, name="chats/s-1/notes.json")
    write(b"\xff\xfe", name="chats/s-1/other.jsonl", end=b"")
    write(b"text", name="chats/s-1/readme.txt")
    session = open_session(write(HEAD, *TALK, name="chats/session-x.jsonl"))
    assert (shape(session), session.children) == (SHAPE, ())
    assert len(session.warnings) == 2
    assert all("was left out" in sentence for sentence in session.warnings)


def test_that_an_id_never_leads_out_of_the_folder(write: Write) -> None:
    write(*sub("sub-1", ask("u")), name="secret/sub-1.jsonl")
    session = open_session(write({**HEAD, "sessionId": "../secret"}, *TALK, name="chats/session-x.jsonl"))
    assert session.children == ()


def test_that_a_sub_agent_that_grows_is_seen_and_an_unchanged_one_is_kept(write: Write) -> None:
    path = write(HEAD, ask("u1"), answer("g1", "", call("c1", agentId="sub-1")), name="chats/session-x.jsonl")
    beside = write(*sub("sub-1", ask("u")), name="chats/s-1/sub-1.jsonl")
    reporter = Reporter(None, path.name)
    importer, records = choose(open_path(path, reporter), reporter)
    reading = importer.begin(records)
    for record in records:
        reading.take(record)
    first, second = reading.session().children[0], reading.session().children[0]
    assert first.messages is second.messages
    with beside.open("ab") as file:
        file.write(encoded(answer("g", "done")) + b"\n")
    (child,) = reading.session().children
    assert (len(child.messages), child.parent_call_id) == (2, "c1")
