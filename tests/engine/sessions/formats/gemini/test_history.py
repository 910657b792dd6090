"""Histories that Gemini CLI rewrites, rewinds and replaces (formats.md, section 5)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from ravenglass.sessions import counts, open_session
from tests.engine.sessions.formats.gemini.lines import HEAD, SHAPE, TALK, Json, answer, ask, call, labels, note, shape

Write = Callable[..., Path]


def test_that_a_rewritten_message_keeps_its_place_and_its_last_version(write: Write) -> None:
    early = answer("g1", "I look.", call("c1", result=None, status="executing"))
    session = open_session(write(HEAD, ask("u1"), early, answer("g2", "Done."), TALK[1]))
    assert shape(session) == SHAPE
    assert labels(session) == ["header", "earlier version"]
    assert json.loads(session.source.read(session.other[1].span)) == early
    assert json.loads(session.raw(1)) == TALK[1]


def test_that_patches_change_the_metadata_and_are_kept(write: Write) -> None:
    patches = [{"$set": {"lastUpdated": "t"}}, {"$set": {"summary": "a title", "directories": [None, "/tmp/a"]}}]
    session = open_session(write(HEAD, *TALK, *patches, {"$set": 3}))
    assert (session.title, session.project) == ("a title", "/tmp/a")
    assert labels(session) == [
        "header",
        "$set lastUpdated",
        "$set summary, directories",
        "an object with the keys $set",
    ]
    assert shape(session) == SHAPE


def test_that_what_was_rewound_is_a_child_and_the_place_is_marked(write: Write) -> None:
    more = [ask("u2", "wrong way"), answer("g3", "as you like", call("c2"))]
    session = open_session(write(HEAD, *TALK, *more, {"$rewindTo": "u2"}, ask("u3", "right way"), answer("g4", "yes")))
    assert shape(session) == [*SHAPE, ("user", "right way"), ("assistant", "yes")]
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("rollback", 4, None)
    assert "2 messages that were taken back" in marker.note
    (child,) = session.children
    assert (child.title, child.id) == ("rolled back: wrong way", "s-1#rolled-back-1")
    assert shape(child) == [("user", "wrong way"), ("assistant", "as you like"), ("tool", "done")]
    assert labels(session) == ["header", "$rewindTo"]


def test_that_a_rewind_to_an_unknown_message_takes_everything_back(write: Write) -> None:
    session = open_session(write(HEAD, *TALK, {"$rewindTo": "nowhere"}, ask("u2", "again")))
    assert shape(session) == [("user", "again")]
    assert [shape(child) for child in session.children] == [SHAPE]
    empty = open_session(write(HEAD, {"$rewindTo": "nowhere"}, *TALK))
    assert (shape(empty), empty.markers, empty.children) == (SHAPE, (), ())


def test_that_a_rewound_message_may_come_again(write: Write) -> None:
    session = open_session(write(HEAD, *TALK, {"$rewindTo": "g1"}, TALK[1], TALK[2]))
    assert shape(session) == SHAPE
    assert [len(child.messages) for child in session.children] == [3]


def test_that_notes_among_what_was_rewound_are_kept(write: Write) -> None:
    session = open_session(write(HEAD, *TALK, note("i1", "error"), {"$rewindTo": "i1"}))
    assert shape(session) == SHAPE
    assert (session.children, session.markers) == ((), ())
    assert labels(session) == ["header", "error", "$rewindTo"]


def snapshot(*kept: Json) -> Json:
    new = [
        ask("s1", "<state_snapshot>what happened</state_snapshot>"),
        {"id": "s2", "type": "gemini", "content": "Got it."},
    ]
    return {"$set": {"messages": [*new, *kept], "lastUpdated": "t"}}


def test_that_a_compression_is_a_marker_with_what_stayed(write: Write) -> None:
    lines = [HEAD, *TALK, ask("u2", "more"), answer("g3", "yes"), snapshot(ask("u2", "more"), answer("g3", "yes"))]
    session = open_session(write(*lines, ask("u3", "on"), answer("g4", "ok")))
    assert shape(session)[4:] == [
        ("user", "more"), ("assistant", "yes"), ("user", "<state_snapshot>what happened</state_snapshot>"),
        ("assistant", "Got it."), ("user", "on"), ("assistant", "ok"),
    ]  # fmt: skip
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("compaction", 6, (4, 5))
    assert session.messages[6].kind == "summary"
    assert session.messages[7].flags == {"synthetic"}
    assert counts(session).calls == 4
    assert json.loads(session.raw(6))["id"] == "s1"
    assert session.children == ()


def test_that_a_second_compression_counts_from_the_first(write: Write) -> None:
    again = {"$set": {"messages": [ask("s3", "<state_snapshot>two</state_snapshot>"), answer("g4", "ok")]}}
    session = open_session(write(HEAD, *TALK, snapshot(), ask("u3", "on"), answer("g4", "ok"), again))
    assert [(marker.before, marker.keep) for marker in session.markers] == [(4, ()), (8, (7,))]


def test_that_a_checkpoint_that_changes_nothing_is_no_compaction(write: Write) -> None:
    first = {"$set": {"messages": [ask("c0", "<session_context>Today</session_context>")]}}
    parts = ask("u1", [{"text": "do it"}])
    same = {"$set": {"messages": [ask("c0", "<session_context>Today</session_context>"), parts, *TALK[1:]]}}
    session = open_session(write(HEAD, first, TALK[0], note("i1"), ask("x1", "/stats"), *TALK[1:], same))
    assert [message.kind for message in session.messages if message.role == "user"] == ["meta", "prompt", "command"]
    assert session.markers == ()
    assert labels(session) == ["header", "$set messages", "info", "$set messages"]


def test_that_known_messages_under_new_ids_do_not_come_twice(write: Write) -> None:
    same = [{**message, "id": f"new-{message['id']}"} for message in TALK]
    session = open_session(
        write(HEAD, *TALK, {"$set": {"messages": [*same, ask("u2", "on")]}}, {"$rewindTo": "new-g2"})
    )
    assert shape(session) == SHAPE[:3]
    assert [marker.kind for marker in session.markers] == ["rollback"]
    assert labels(session).count("message repeated") == 3


def test_that_a_history_without_its_end_is_a_rollback(write: Write) -> None:
    session = open_session(write(HEAD, *TALK, note("i1"), {"$set": {"messages": TALK[:2]}}, ask("u2", "on")))
    assert shape(session) == [*SHAPE[:3], ("user", "on")]
    assert [(marker.kind, marker.before) for marker in session.markers] == [("rollback", 3)]
    assert [shape(child) for child in session.children] == [[("assistant", "Done.")]]


def test_that_an_emptied_history_leaves_nothing_in_the_window(write: Write) -> None:
    session = open_session(write(HEAD, *TALK, {"$set": {"messages": []}}, ask("u2", "on")))
    assert [shape(child) for child in session.children] == [SHAPE]
    assert shape(session) == [("user", "on")]


def test_that_a_shortened_result_is_cleared_and_its_text_kept(write: Write) -> None:
    masked = [TALK[0], answer("g1", "I look.", call("c1", "<tool_output_masked>")), TALK[2]]
    patch = {"$set": {"messages": masked}}
    session = open_session(write(HEAD, *TALK, patch, patch, ask("u2", "on")))
    assert shape(session) == [*SHAPE, ("user", "on")]
    assert [(marker.kind, marker.before, marker.keep, marker.cleared) for marker in session.markers] == [
        ("clearing", 4, None, (2,))
    ]


def test_that_a_checkpoint_may_bring_a_result_that_was_missing(write: Write) -> None:
    early = [TALK[0], answer("g1", "I look.", call("c1", result=None)), TALK[2]]
    session = open_session(write(HEAD, *early, {"$set": {"messages": TALK}}))
    assert shape(session) == SHAPE
    assert session.markers == ()
    assert labels(session) == ["header", "earlier version", "$set messages"]
