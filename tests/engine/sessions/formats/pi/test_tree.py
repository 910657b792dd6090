"""Trees of pi and OpenClaw: the path that is the session, and what was left behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.follow import Follower
from tests.engine.sessions.conftest import Write, encoded
from tests.engine.sessions.formats.pi.lines import (
    HEAD,
    Json,
    at,
    call,
    entry,
    linear,
    reply,
    result,
    shape,
    tree,
    typed,
)
from tests.engine.sessions.stepwise import check, family, held, read_stepwise, value_of


def words(*lines: object, write: Write) -> list[list[str]]:
    """Texts of the session and of its branches."""
    return [[message.text for message in inner.messages] for inner in family(open_session(write(*lines)))]


def test_that_a_branch_that_was_left_is_a_child_and_the_place_is_marked(write: Write) -> None:
    lines = tree(typed("a"), reply("b"), typed("wrong"), reply("no"))
    session = open_session(write(*lines, at("f1", "e2", typed("right")), at("f2", "f1", reply("yes"))))
    assert shape(session) == [("user", "a"), ("assistant", "b"), ("user", "right"), ("assistant", "yes")]
    (child,) = session.children
    assert shape(child) == [("user", "wrong"), ("assistant", "no")]
    assert (child.title, child.id, child.project) == ("branch: wrong", "s-1#e4", "/tmp/a")
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("rollback", 2, None)
    assert "2 messages" in marker.note


def test_that_going_back_before_the_first_entry_begins_a_new_path(write: Write) -> None:
    lines = tree(typed("a"), reply("b"))
    session = open_session(write(*lines, at("f1", None, typed("c"))))
    assert shape(session) == [("user", "c")]
    assert [marker.before for marker in session.markers] == [0]
    assert [len(child.messages) for child in session.children] == [2]


def test_that_branches_of_branches_stand_in_file_order_and_mark_their_owner(write: Write) -> None:
    lines = tree(typed("a"), reply("b"))
    more = [
        at("f1", "e2", typed("c")),
        at("f2", "f1", reply("d")),
        at("g1", "f1", reply("e")),
        at("h1", "e1", reply("f")),
    ]
    session = open_session(write(*lines, *more))
    assert words(*lines, *more, write=write) == [["a", "f"], ["d"], ["b", "c", "e"]]
    assert [(marker.kind, marker.before) for marker in session.markers] == [("rollback", 1)]
    assert [(marker.kind, marker.before) for marker in session.children[1].markers] == [("rollback", 2)]


def test_that_a_parent_may_be_a_tool_call_or_the_session(write: Write) -> None:
    lines = [
        HEAD, at("x", "s-1", entry("model_change", modelId="m")), at("y", "x", entry("custom_message", content="note")),
        at("a", "s-1", typed("look")), at("b", "a", reply("I look", call("c1"))), at("c", "c1", result("c1")),
        at("d", "c", reply("done")),
    ]  # fmt: skip
    assert words(*lines, write=write) == [["note", "look", "I look", "ok", "done"]]


def test_that_a_parent_that_is_lost_is_the_entry_before_and_a_sentence_says_so(write: Write) -> None:
    lines = tree(typed("a"), reply("b"), typed("c"), reply("d"))
    session = open_session(write(*lines[:2], encoded(lines[2])[:-4], *lines[3:]))
    assert [text for _, text in shape(session)] == ["a", "c", "d"]
    assert session.warnings[-1] == "1 entry names a parent that is not in the file; it follows the entry before."


@pytest.mark.parametrize("parent", ["later", "self", 3, [], True])
def test_that_a_parent_that_cannot_be_one_does_no_harm(write: Write, parent: object) -> None:
    lines = [HEAD, at("a", None, typed("a")), at("self", parent, typed("b")), at("later", "self", typed("c"))]
    assert words(*lines, write=write) == [["a", "b", "c"]]


def test_that_of_equal_ids_the_latest_is_the_parent(write: Write) -> None:
    lines = tree(typed("a"), reply("b"))
    assert words(*lines, *lines[1:], write=write) == [["a", "b"], ["a", "b"]]


def test_that_a_compaction_of_a_branch_keeps_what_is_on_its_own_path(write: Write) -> None:
    lines = tree(typed("a"), reply("b"), typed("c"))
    kept_all = at("k", "e3", entry("compaction", summary="s", firstKeptEntryId="e1"))
    session = open_session(write(*lines, kept_all, at("m", "e2", reply("d"))))
    (child,) = session.children
    assert [(marker.before, marker.keep) for marker in child.markers] == [(1, (0,))]
    aside = at("k", "e3", entry("compaction", summary="s", firstKeptEntryId="z"))
    session = open_session(write(*lines, at("z", "e1", typed("z")), aside, at("m", "e2", reply("d"))))
    assert session.children[1].markers[0].keep == ()


def test_that_a_thousand_steps_back_are_read(write: Write) -> None:
    lines = tree(*(typed(f"t{n}") for n in range(1500)))
    back = [at(f"b{n}", f"e{1500 - n}", reply(f"r{n}")) for n in range(1, 1500)]
    session = open_session(write(*lines, *back))
    assert [text for _, text in shape(session)] == ["t0", "r1499"]
    assert len(session.children) == 1499
    assert sum(len(inner.messages) for inner in family(session)) == 2999


NAMES = st.sampled_from(["a", "b", "c", "c1", "s-1", "nowhere", None, 3])
ITEM = st.one_of(
    st.builds(typed, st.sampled_from(["one", "/mode", None, [], {}, 4, [{"type": "image", "data": 3}], [None]])),
    st.builds(lambda *blocks: reply("r", *blocks), st.sampled_from([call("c1"), call("c2"), {"type": "toolCall"}, {}])),
    st.builds(result, st.sampled_from(["c1", "c2", "c9"]), st.sampled_from(["ok", [], None, [{"type": "text"}]])),
    st.builds(
        lambda said, kept, index: entry("compaction", summary=said, firstKeptEntryId=kept, firstKeptEntryIndex=index),
        st.sampled_from(["s", "", None, 1]), NAMES, st.sampled_from([None, 0, 1, 2, 99, "x"]),
    ),
    st.builds(
        lambda role, value: {"role": role, "content": value, "summary": value, "usage": value, "command": value},
        st.sampled_from(["assistant", "toolResult", "bashExecution", "custom", "branchSummary", "new", 4, None]),
        st.sampled_from(["x", None, [], {}, 3, True, [[]], [{"type": "toolCall", "id": 4, "arguments": 3}]]),
    ),
    st.builds(entry, st.sampled_from(["session", "custom", "custom_message", "branch_summary", "model_change"])),
)  # fmt: skip
RECORD: st.SearchStrategy[object] = st.one_of(
    st.builds(at, st.sampled_from(["a", "b", "c", "d"]), NAMES, ITEM),
    st.sampled_from([7, None, [], "x", {}, {"type": 3}, {"type": "message"}, {"type": "message", "message": []}]),
)


@given(st.lists(RECORD, max_size=10))
def test_that_no_record_of_any_tree_is_lost_and_reading_on_is_reading_at_once(
    tmp_path_factory: pytest.TempPathFactory, records: list[object]
) -> None:
    path = tmp_path_factory.mktemp("any") / "session.jsonl"
    lines = [encoded(record) for record in (HEAD, *records)]
    path.write_bytes(b"\n".join(lines) + b"\n")
    session = open_session(path)
    check(session)
    assert value_of(read_stepwise(path)) == value_of(session)
    assert len(held(session)) == len(lines)
    spans = [span for inner in family(session) for message in inner.messages for span in message.spans]
    assert len(set(spans)) == len(spans)


@given(st.data())
def test_that_damage_costs_only_the_records_it_hits(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    talk: list[Json] = [typed("a"), reply("b", call("c1")), result("c1"), reply("d"), typed("e"), reply("f")]
    lines = [encoded(record) for record in data.draw(st.sampled_from([tree(*talk), linear(*talk)]))]
    hit = data.draw(st.integers(0, len(lines) - 1))
    place = data.draw(st.integers(0, len(lines[hit]) - 1))
    change = data.draw(st.sampled_from([b"", b"\x00", b"\xff", b'"', b"}{"]))
    lines[hit] = lines[hit][:place] + change + lines[hit][place + 1 :]
    path = tmp_path_factory.mktemp("hurt") / "session.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    session = open_session(path)
    check(session)
    raws = {session.source.read(span) for span in held(session)}
    assert {line for number, line in enumerate(lines) if number != hit} <= raws


def test_that_a_followed_file_is_at_every_line_what_opening_it_gives(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    lines = [
        *tree(typed("a"), reply("b", call("c1")), result("c1")),
        at("f", "e1", reply("d")),
        at("g", "e3", typed("e")),
    ]
    follower = Follower(path)
    for line in lines:
        with path.open("ab") as file:
            file.write(encoded(line) + b"\n")
        look = follower.look()
        assert look is not None
        assert value_of(look.session) == value_of(open_session(path))
    assert look is not None
    assert shape(look.session)[-1] == ("user", "e")
    assert [child.id for child in look.session.children] == ["s-1#f"]


def test_that_a_retried_error_is_no_branch(write: Write) -> None:
    lines = tree(typed("a"), {"role": "assistant", "content": [], "stopReason": "error", "errorMessage": "overloaded"})
    session = open_session(write(*lines, at("r", "e1", reply("b")), at("n", "r", typed("c")), at("m", "n", reply("d"))))
    assert (session.children, session.markers) == ((), ())
    sent = [m.text for m in session.messages if m.id not in session.structure.never_sent]
    assert sent == ["a", "b", "c", "d"]


def test_that_figures_which_go_on_growing_disprove_a_step_back(write: Write) -> None:
    def used(context: int) -> dict[str, object]:
        return {"usage": {"input": context, "output": 5, "cacheRead": 0, "cacheWrite": 0}}

    lines = tree(typed("a"), reply("b", **used(9_000)), typed("word " * 3_000), reply("d", **used(14_000)))
    back = at("x", "e2", typed("e"))
    left, stayed = (
        open_session(write(*lines, back, at("y", "x", reply("f", **used(context))))) for context in (9_100, 14_100)
    )
    assert [len(left.children), len(stayed.children)] == [1, 0]
    assert [len(left.messages), len(stayed.messages)] == [4, 6]
