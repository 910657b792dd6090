"""What goes to the model: the messages as they were given, or what stands for them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass import Engine, Profile
from ravenglass.curator.dialects import DIALECTS, Dialect, check
from ravenglass.errors import MessageError
from tests.engine.builders import filler, profiles
from tests.engine.embed.conversations import Chat, answers, asks, conversations, drive, odd_conversations, said
from tests.engine.embed.files.leftovers import long_chat
from tests.engine.embed.files.test_workspace import TIGHT

PICTURE = [
    {"type": "text", "text": "What is this?"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
]


def sent(*messages: Chat) -> list[Chat]:
    """The window over these messages, without the working state."""
    engine = Engine()
    for message in messages:
        engine.observe(message)
    return [m for m in engine.window() if not str(m.get("content")).startswith("# Curator Working State")]


def test_that_pictures_and_what_providers_add_go_out_as_they_came() -> None:
    call = asks("c1")
    call["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "abc"}}
    call["reasoning_content"] = "hm"
    given = [said("user", PICTURE, name="ann"), call, answers("c1") | {"cache_control": {"type": "ephemeral"}}]  # type: ignore[arg-type]
    assert sent(*given) == given


def test_that_what_no_provider_takes_stays_at_home() -> None:
    given = [said("user", "x", timestamp="2026-03-02T00:00:00"), said("assistant", "y", usage={"prompt_tokens": 1})]
    assert sent(*given, said("user", "z")) == [said("user", "x"), said("assistant", "y"), said("user", "z")]


def test_that_messages_without_call_ids_or_of_old_forms_go_out_in_the_present_form() -> None:
    function = {"name": "Read", "arguments": {"path": "a.py"}}
    call = said("assistant", None, tool_calls=[{"type": "function", "function": function}])  # type: ignore[arg-type]
    made = sent(said("user", "x"), call, said("tool", "ok"))
    assert made[1]["tool_calls"][0]["id"] == made[2]["tool_call_id"] == "call-1-0"
    assert made[1]["tool_calls"][0]["function"]["arguments"] == '{"path": "a.py"}'
    legacy = said("assistant", None, function_call={"name": "Read", "arguments": "{}"})  # type: ignore[arg-type]
    made = sent(said("user", "x"), legacy, said("function", "ok", name="Read"))
    assert [m["role"] for m in made] == ["user", "assistant", "tool"]
    assert made[1]["tool_calls"][0]["id"] == made[2]["tool_call_id"]
    assert sent(said("user", "x"), said("assistant", None))[1] == said("assistant", "")  # type: ignore[arg-type]


def test_that_a_group_whose_result_is_not_there_yet_gets_a_stand_in() -> None:
    made = sent(said("user", "x"), asks("c1"))
    assert made[2] == answers("c1", "[no result was recorded for this call]")


def test_that_stubs_stand_for_large_results() -> None:
    engine = Engine(TIGHT.with_values(offload_tokens=100, archive_below=0.0, trim_target=1.0))
    drive(engine, long_chat(25))
    bodies = [m for m in engine.window() if "moved out of the window; retrieve cxt://" in str(m["content"])]
    assert bodies
    assert all(set(m) == {"role", "content", "tool_call_id"} for m in bodies)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_that_every_dialect_takes_its_request(dialect: Dialect) -> None:
    engine = Engine(TIGHT)
    drive(engine, long_chat(25)[:-1])
    made = engine.request(dialect)
    assert check(dialect, made) == []
    assert dialect != "openai-chat" or made == {"messages": engine.window()}
    json.dumps(made)


@pytest.mark.rule("6.33")
def test_that_thinking_is_sent_with_the_signature_it_came_with_and_not_without_one() -> None:
    signed = {"type": "thinking", "thinking": "First the file.", "signature": "c2ln"}
    hidden = {"type": "redacted_thinking", "data": "ZGF0YQ=="}
    first: Any = asks("c1") | {"thinking_blocks": [signed, hidden]}
    first["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "Zm9v"}}
    engine = Engine()
    for message in (said("user", "x"), first, answers("c1"), asks("c2") | {"reasoning_content": "hm"}, answers("c2")):
        engine.observe(message)
    made: Any = engine.request("anthropic")
    assert check("anthropic", made) == []
    assert made["messages"][1]["content"][:2] == [signed, hidden]
    assert [block["type"] for block in made["messages"][3]["content"]] == ["tool_use"]
    made = engine.request("gemini")
    assert check("gemini", made) == []
    assert [
        part.get("thoughtSignature") for c in made["contents"] for part in c["parts"] if "functionCall" in part
    ] == [
        "Zm9v",
        None,
    ]
    assert not any(part.get("thought") for content in made["contents"] for part in content["parts"])
    made = engine.request("openai-responses")
    assert check("openai-responses", made) == []
    assert not any(item["type"] == "reasoning" for item in made["input"])


@pytest.mark.rule("6.33")
def test_that_pictures_go_out_in_the_words_of_every_provider() -> None:
    far = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    engine = Engine()
    engine.observe(said("user", [*PICTURE, far]))  # type: ignore[arg-type]
    data = "iVBORw0KGgo="
    made: Any = {dialect: engine.request(dialect) for dialect in DIALECTS}
    assert [check(dialect, made[dialect]) for dialect in DIALECTS] == [[]] * len(DIALECTS)
    assert made["openai-chat"]["messages"][0]["content"] == [*PICTURE, far]
    shown = made["anthropic"]["messages"][0]["content"]
    assert [block.get("source") for block in shown] == [
        {"type": "base64", "media_type": "image/png", "data": data},
        {"type": "url", "url": "https://example.org/a.png"},
        None,
    ]
    shown = made["openai-responses"]["input"][0]["content"]
    assert [p["image_url"] for p in shown if p["type"] == "input_image"] == [
        f"data:image/png;base64,{data}", "https://example.org/a.png",
    ]  # fmt: skip
    shown = made["gemini"]["contents"][0]["parts"]
    assert shown[0] == {"inlineData": {"mimeType": "image/png", "data": data}}
    assert "What is this?" in shown[1]["text"]


@pytest.mark.rule("6.33")
@given(conversations() | odd_conversations(), profiles(), st.sampled_from(DIALECTS))
def test_that_every_request_is_one_that_its_provider_takes(
    messages: list[Chat], profile: Profile, dialect: Dialect
) -> None:
    engine = Engine(profile)
    for message in messages:
        try:
            engine.observe(message)
        except MessageError:
            continue
        if any(m.role not in ("system", "developer") for m in engine.decide().messages):
            assert check(dialect, engine.request(dialect)) == []


@pytest.mark.rule("6.33")
@given(conversations() | odd_conversations(), profiles())
def test_that_every_window_is_one_that_chat_completions_take(messages: list[Chat], profile: Profile) -> None:
    for body in drive(Engine(profile), messages).bodies:
        if any(m["role"] not in ("system", "developer") for m in body):
            assert check("openai-chat", {"messages": body}) == []


def test_that_a_text_larger_than_the_window_is_cut_and_said_so() -> None:
    engine = Engine(TIGHT)
    engine.observe(said("user", filler(30_000)))
    assert engine.decide().impossible
    assert "characters cut to fit; retrieve cxt://" in str(engine.window()[0]["content"])
    assert engine.decide().tokens <= engine.run().budget.available


@pytest.mark.rule("11.2", "11.4")
@given(conversations(), profiles())
def test_that_the_breakpoints_of_a_running_engine_are_those_of_the_replay(
    messages: list[Chat], profile: Profile
) -> None:
    engine = Engine(profile)
    decided = drive(engine, messages).windows
    run = engine.run()
    for number, window in decided.items():
        assert window.breakpoints == run.window(number).breakpoints
