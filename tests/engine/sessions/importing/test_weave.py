"""One conversation out of requests that repeat their history."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions.importing.weave import Weave, joined, key_of
from ravenglass.sessions.model.session import Message, Part, ToolCall, Usage


def said(role: str, words: str, call: str | None = None) -> Message:
    calls = (ToolCall(call, "t", "{}"),) if call and role == "assistant" else ()
    answers = call if role == "tool" else None
    parts = (Part("text", words),) if words else ()
    return Message(0, role, parts, tool_calls=calls, tool_call_id=answers)  # type: ignore[arg-type]


def test_that_a_message_is_known_by_its_calls_else_by_its_text() -> None:
    assert key_of(said("tool", "short", "c1")) == key_of(said("tool", "another text", "c1"))
    assert key_of(said("assistant", "a", "c1")) == key_of(said("assistant", "", "c1"))
    assert key_of(said("user", " a\n b")) == key_of(said("user", "a b<system-reminder>x</system-reminder>"))
    assert key_of(said("user", "a")) != key_of(said("assistant", "a"))


def test_that_a_reworded_answer_is_the_same_message() -> None:
    weave = Weave()
    weave.request([said("user", "a")])
    weave.answer(said("assistant", "b"))
    assert weave.request([said("user", "a"), said("assistant", "b!"), said("user", "c")]) == 1
    assert weave.request([said("user", "a"), said("assistant", "b!"), said("user", "c")]) == 0
    assert (len(weave.messages), weave.markers) == (3, [])


def test_that_a_provider_that_keeps_the_history_loses_nothing() -> None:
    weave = Weave()
    weave.request([said("user", "a")], 10)
    weave.answer(said("assistant", "b"))
    weave.request([said("user", "c")], 30)
    assert (weave.window, weave.markers) == (3, [])
    weave.request([said("user", "d")], 12)
    assert [(m.before, m.keep) for m in weave.markers] == [(3, ())]


def test_that_an_answer_continues_what_was_begun_for_it() -> None:
    weave = Weave()
    weave.request([said("user", "a"), said("assistant", "{")])
    weave.answer(said("assistant", "}"))
    assert [message.text for message in weave.messages] == ["a", "{\n}"]
    # What another call said is no beginning: the answer stands beside it.
    weave.request([said("user", "x")])
    weave.answer(Message(0, "assistant", (Part("text", "y"),), usage=Usage(1, 1)))
    weave.request([said("user", "x"), said("assistant", "y")])
    weave.answer(said("assistant", "z"))
    assert [message.text for message in weave.messages[-2:]] == ["y", "z"]
    usage = Usage(1, 1)
    second = Message(0, "assistant", (), usage=usage)
    assert joined(said("assistant", "x"), second).usage == usage


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), max_size=8))
def test_that_the_window_after_each_request_is_exactly_what_was_sent(requests: list[list[str]]) -> None:
    weave = Weave()
    for number, words in enumerate(requests):
        sent = [said("user", word) for word in words]
        before = len(weave.messages)
        weave.request(sent)
        assert weave.window == len(sent)
        marker = weave.markers[-1] if weave.markers and weave.markers[-1].before >= before else None
        kept = list(range(before)) if marker is None else list(marker.keep or ())
        if marker is not None:
            now = [*kept, *range(marker.before, len(weave.messages))]
            assert sorted(weave.messages[id_].text for id_ in now) == sorted(words), number
    assert [message.id for message in weave.messages] == list(range(len(weave.messages)))


def test_that_a_request_that_drops_what_it_had_sent_itself_is_not_sent_again() -> None:
    weave = Weave()
    weave.request([said("user", "a"), said("user", "b")])
    weave.request([said("user", "a")])
    weave.answer(said("assistant", "c"))
    weave.request([said("user", "a")])
    assert [(marker.kind, marker.keep) for marker in weave.markers] == [("compaction", (0,)), ("rollback", (0,))]
