"""What an engine takes in, and what it refuses."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass import open_session
from ravenglass.embed.conversation import RunningConversation
from ravenglass.errors import MessageError
from tests.engine.embed.conversations import MOMENT, Chat, answers, asks, conversations, said

HEAD = b'{"_type": "metadata", "key": "agent:demo"}\n'


def conversation() -> RunningConversation:
    return RunningConversation("agent:demo", Path("demo.jsonl"), HEAD, None)


@given(conversations())
def test_that_the_session_in_memory_is_the_one_that_its_bytes_open_as(
    tmp_path_factory: pytest.TempPathFactory, messages: list[Chat]
) -> None:
    held = conversation()
    for message in messages:
        held.add(message, MOMENT)
    path = tmp_path_factory.mktemp("session") / "demo.jsonl"
    path.write_bytes(held.data)
    opened, snapshot = open_session(path), held.snapshot(next_call=False)
    assert (opened.id, opened.format) == (snapshot.id, snapshot.format)
    assert (opened.messages, opened.structure) == (snapshot.messages, snapshot.structure)
    assert [opened.raw(m) for m in range(len(held))] == [snapshot.raw(m) for m in range(len(held))]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=12,
    ),
    st.text(st.sampled_from("a语\ud800\u2028\u0085\x00\n\r")),
)
def test_that_any_json_value_in_a_message_is_kept(content: Any, name: str) -> None:
    held = conversation()
    held.add({"role": "user", "content": content, "x": {"name": name}}, MOMENT)
    held.add(said("assistant", "ok"), MOMENT)
    raw = held.snapshot(next_call=False).raw(0)
    assert b"\n" not in raw
    value = json.loads(raw)
    assert (value["content"], value["x"]) == (content, {"name": name})


def test_that_the_next_call_is_the_last_one_of_a_snapshot() -> None:
    held = conversation()
    held.add(said("user", "Hello"), MOMENT)
    calls = held.snapshot(next_call=True).structure.calls
    assert [(call.number, call.message, call.turn) for call in calls] == [(1, 1, 0)]
    assert held.snapshot(next_call=False).structure.calls == ()
    held.add(said("assistant", "Hi"), MOMENT)
    held.add(said("user", "And now?"), MOMENT)
    calls = held.snapshot(next_call=True).structure.calls
    assert [(call.number, call.message, call.turn) for call in calls] == [(1, 1, 0), (2, 3, 1)]
    assert held.answered == 1


def test_that_a_snapshot_does_not_grow() -> None:
    held = conversation()
    held.add(said("user", "Hello"), MOMENT)
    before = held.snapshot(next_call=False)
    raw = before.raw(0)
    held.add(said("user", "x" * 100_000), MOMENT)
    assert (len(before.messages), before.raw(0)) == (1, raw)


@pytest.mark.parametrize("name", ["timestamp", "created_at"])
def test_that_a_message_keeps_the_time_it_has_and_gets_one_if_it_has_none(name: str) -> None:
    held = conversation()
    held.add(said("user", "Hello"), MOMENT)
    held.add(said("user", "Hello", **{name: "2020-01-01T00:00:00+00:00"}), MOMENT)
    first, second = held.snapshot(next_call=False).messages
    assert (first.ts, second.ts) == (MOMENT, 1_577_836_800.0)
    assert json.loads(held.snapshot(next_call=False).raw(0))["timestamp"] == "2026-03-02T00:00:00+00:00"


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ({}, "the role None; it can be system, developer, user, assistant, tool, function"),
        ({"role": "critic", "content": "x"}, "the role 'critic'"),
        ({"role": ["user"]}, "the role ['user']"),
        ({"role": "user", "_type": "metadata"}, "the key '_type'"),
        ({"role": "user", "content": {1, 2}}, "cannot be written as JSON (Object of type set"),
        ({"role": "user", "content": math.nan}, "cannot be written as JSON (Out of range float"),
        ({"role": "user", "content": b"x"}, "cannot be written as JSON (Object of type bytes"),
        ({"role": "user", ("a", "b"): 1}, "cannot be written as JSON (keys must be"),
        ({"role": "user", "content": nested(100_000)}, "cannot be written as JSON (maximum recursion depth"),
        (answers("c9"), "answers 'c9', but no message before it holds an open call"),
        ({"role": "tool", "content": "x"}, "answers None, but no message"),
    ],
)
def test_that_what_is_no_message_is_refused_and_nothing_is_added(message: Any, sentence: str) -> None:
    held = conversation()
    held.add(asks("c1"), MOMENT)
    held.add(answers("c1"), MOMENT)
    before = bytes(held.data)
    with pytest.raises(MessageError) as error:
        held.add(message, MOMENT)
    assert sentence in str(error.value)
    assert str(error.value).endswith("Nothing was added.")
    assert (len(held), bytes(held.data), held.answered) == (2, before, 1)


def test_that_a_second_answer_to_a_call_is_refused() -> None:
    held = conversation()
    held.add(asks("c1"), MOMENT)
    held.add(answers("c1"), MOMENT)
    with pytest.raises(MessageError, match="no message before it holds an open call of that id"):
        held.add(answers("c1"), MOMENT)
    held.add(asks("c1"), MOMENT)
    assert held.add(answers("c1"), MOMENT) == 3  # the id was used again, so it is open again
