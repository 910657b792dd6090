"""Replies read from their bytes: whole and streamed, by the book and by endpoints that have their own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.policies.reply import BadReplyError, CallReply, Reply, ended, read_reply
from tests.engine.curator.policies.endpoint_server import call, message, pieces


def streamed(*deltas: dict[str, Any], end: bytes = b"data: [DONE]\n\n") -> bytes:
    chunks = (json.dumps({"choices": [{"delta": delta}]}).encode() for delta in deltas)
    return b"".join(b"data: " + chunk + b"\n\n" for chunk in chunks) + end


def whole(said: dict[str, Any], finish: str = "stop") -> bytes:
    return json.dumps({"choices": [{"message": said, "finish_reason": finish}]}).encode()


SAID = message(call("curator_check_budget", {"message_ids": [1, 2]}, "a"), call("x", "{}", "b"), content="配额 ok")
READ = Reply(
    "配额 ok", (CallReply("a", "curator_check_budget", '{"message_ids": [1, 2]}'), CallReply("b", "x", "{}")), "stop"
)


@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_that_a_stream_says_the_same_as_the_whole(size: int) -> None:
    assert read_reply(b"".join(pieces(SAID, size, "stop"))) == read_reply(whole(SAID)) == READ


@given(content=st.text(), arguments=st.text(), size=st.integers(1, 9))
def test_that_any_text_comes_through_a_stream(content: str, arguments: str, size: int) -> None:
    said = message(call("x", arguments), content=content)
    assert read_reply(b"".join(pieces(said, size, "stop"))) == read_reply(whole(said))


def test_that_pieces_without_numbers_are_put_together_by_id() -> None:
    deltas = (
        {"tool_calls": [{"id": "a", "function": {"name": "one", "arguments": "{"}}]},
        {"tool_calls": [{"function": {"arguments": "}"}}]},
        {"tool_calls": [{"id": "b", "function": {"name": "two", "arguments": "{}"}}]},
    )
    assert read_reply(streamed(*deltas)).calls == (CallReply("a", "one", "{}"), CallReply("b", "two", "{}"))


def test_that_a_name_repeated_in_every_piece_is_one_name() -> None:
    deltas = [{"tool_calls": [{"index": 0, "id": "a", "function": {"name": "one", "arguments": "x"}}]}] * 2
    assert read_reply(streamed(*deltas)).calls == (CallReply("a", "one", "xx"),)


def test_that_arguments_sent_as_an_object_are_text() -> None:
    said = message({"id": "a", "function": {"name": "x", "arguments": {"n": "é"}}})
    assert read_reply(whole(said)).calls == (CallReply("a", "x", '{"n": "é"}'),)


def test_that_comments_event_names_and_windows_line_ends_are_fine() -> None:
    body = b": ping\r\nevent: message\r\n" + streamed({"content": "hi"}).replace(b"\n", b"\r\n")
    assert read_reply(body).content == "hi"


def test_that_a_stream_without_an_end_mark_is_complete_by_its_reason() -> None:
    chunk = {"choices": [{"delta": {"content": "hi"}, "finish_reason": "length"}]}
    body = b"data: " + json.dumps(chunk).encode() + b"\n\n"
    assert read_reply(body) == Reply("hi", (), "length")


def test_that_usage_chunks_without_choices_say_nothing() -> None:
    body = streamed({"content": "hi"}, end=b'data: {"choices": [], "usage": {}}\n\ndata: [DONE]\n\n')
    assert read_reply(body).content == "hi"


@pytest.mark.parametrize(
    ("said", "finish"), [(message(refusal="no"), "stop"), (message(content="no"), "content_filter")]
)
def test_that_a_refusal_is_known_as_one(said: dict[str, Any], finish: str) -> None:
    reply = read_reply(whole(said, finish))
    assert (reply.content, reply.refused, reply.calls) == ("no", True, ())


def test_that_content_in_parts_is_their_text() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
    assert read_reply(whole({"content": parts})).content == "ab"


@pytest.mark.parametrize(
    ("tail", "end"), [(b"x\n\ndata: [DONE]\n\n", True), (b"\ndata:[DONE]", True), (b'"data: [DONE]"', False)]
)
def test_that_only_an_end_mark_on_its_own_line_ends_a_stream(tail: bytes, end: bool) -> None:
    assert ended(tail) is end


_VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=4) | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ("choices", "message", "delta", "tool_calls", "function", "name", "arguments", "id", "index", "content")
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
_BODIES = st.one_of(
    st.binary(max_size=40),
    _VALUES.map(lambda value: json.dumps(value).encode()),
    st.lists(_VALUES, max_size=4).map(
        lambda values: b"".join(b"data: " + json.dumps(value).encode() + b"\n" for value in values) + b"data: [DONE]\n"
    ),
    _VALUES.map(lambda value: json.dumps({"choices": [{"message": value}]}).encode()),
)


@given(_BODIES)
def test_that_whatever_comes_is_an_answer_or_a_bad_reply(body: bytes) -> None:
    try:
        reply = read_reply(body)
    except BadReplyError:
        return
    assert all(isinstance(part, str) for one in reply.calls for part in (one.id, one.name, one.arguments))
