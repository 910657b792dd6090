"""Windows as provider requests: what is made is taken, what a provider would refuse is named."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.curator.dialects import DIALECTS, Dialect, DialectBlock, check, request
from ravenglass.curator.dialects.block import NO_TEXT
from ravenglass.errors import RavenglassError
from ravenglass.presets import load
from ravenglass.profile import Profile
from ravenglass.replay import replay
from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from tests.engine import builders as b
from tests.proofs import examples


@dataclass(frozen=True)
class Said:
    """The least that a dialect needs."""

    role: str
    text: str = ""
    tool_calls: tuple[tuple[str, str, str], ...] = ()
    tool_call_id: str | None = None
    thinking: str = ""
    id: int | None = None


def call(call_id: str = "c1", name: str = "Read", arguments: str = '{"path": "a"}') -> tuple[str, str, str]:
    return (call_id, name, arguments)


CONVERSATION: tuple[DialectBlock, ...] = (
    Said("system", "be brief", id=0),
    Said("developer", "no tabs", id=1),
    Said("user", "read a and b", id=2),
    Said("assistant", "Both.", (call("c1"), call("c2", "Grep", "[1]")), thinking="two reads", id=3),
    Said("tool", "A", tool_call_id="c2", id=4),
    Said("tool", "B", tool_call_id="c1", id=5),
    Said("user", "thanks", id=6),
    Said("user", "and?", id=7),
)


def test_that_chat_messages_are_the_blocks_one_by_one() -> None:
    made = request("openai-chat", CONVERSATION)["messages"]
    assert isinstance(made, list)
    assert [m["id"] for m in made] == list(range(8))
    assert made[3] == {
        "id": 3, "role": "assistant", "content": "Both.", "reasoning_content": "two reads",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "Read", "arguments": '{"path": "a"}'}},
            {"id": "c2", "type": "function", "function": {"name": "Grep", "arguments": "[1]"}},
        ],
    }  # fmt: skip
    assert made[4] == {"id": 4, "role": "tool", "content": "A", "tool_call_id": "c2"}


def test_that_reasoning_stands_right_before_its_item() -> None:
    made: Any = request("openai-responses", CONVERSATION)["input"]
    assert [item["type"] for item in made] == [
        "message", "message", "message", "reasoning", "message", "function_call", "function_call",
        "function_call_output", "function_call_output", "message", "message",
    ]  # fmt: skip
    assert made[3]["summary"] == [{"type": "summary_text", "text": "two reads"}]
    assert made[4]["content"] == [{"type": "output_text", "text": "Both."}]
    assert (made[7]["call_id"], made[7]["output"]) == ("c2", "A")


def test_that_reasoning_without_an_item_of_its_own_is_left_out() -> None:
    blocks = (Said("user", "x"), Said("assistant", thinking="hm"), Said("user", "y"))
    made: Any = request("openai-responses", blocks)["input"]
    assert [item["type"] for item in made] == ["message", "message", "message"]
    calls = (Said("user", "x"), Said("assistant", "", (call(),), thinking="hm"), Said("tool", "r", tool_call_id="c1"))
    made = request("openai-responses", calls)["input"]
    assert [item["type"] for item in made] == ["message", "reasoning", "function_call", "function_call_output"]


def test_that_anthropic_has_system_on_top_and_results_first_behind_their_call() -> None:
    made: Any = request("anthropic", CONVERSATION)
    assert [block["text"] for block in made["system"]] == ["be brief", "no tabs"]
    assert [m["role"] for m in made["messages"]] == ["user", "assistant", "user"]
    assert [block["type"] for block in made["messages"][1]["content"]] == ["thinking", "text", "tool_use", "tool_use"]
    assert made["messages"][1]["content"][3]["input"] == {"value": [1]}
    last = made["messages"][2]["content"]
    assert [block["type"] for block in last] == ["tool_result", "tool_result", "text", "text"]
    assert (last[0]["tool_use_id"], last[0]["content"]) == ("c2", "A")


def test_that_anthropic_has_no_system_where_there_is_none() -> None:
    assert request("anthropic", (Said("user", "x"),)) == {
        "messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]
    }


def test_that_gemini_answers_calls_in_a_content_of_their_own() -> None:
    made: Any = request("gemini", CONVERSATION)
    assert [part["text"] for part in made["systemInstruction"]["parts"]] == ["be brief", "no tabs"]
    assert [c["role"] for c in made["contents"]] == ["user", "model", "user", "user"]
    assert [sorted(part) for part in made["contents"][1]["parts"]] == [
        ["text", "thought"], ["text"], ["functionCall"], ["functionCall"],
    ]  # fmt: skip
    assert [p["functionResponse"]["name"] for p in made["contents"][2]["parts"]] == ["Grep", "Read"]
    assert [p["text"] for p in made["contents"][3]["parts"]] == ["thanks", "and?"]


def test_that_ids_used_twice_and_odd_names_become_usable() -> None:
    tool_group = (Said("assistant", "", (call("x y", "my tool!"),)), Said("tool", "r", tool_call_id="x y"))
    blocks = (Said("user", "go"), *tool_group, *tool_group, Said("assistant", "", (call("", ""),)), Said("tool", "", tool_call_id=""))  # fmt: skip # noqa: E501
    for dialect in ("openai-responses", "anthropic", "gemini"):
        made = request(dialect, blocks)
        assert check(dialect, made) == []
        text = json.dumps(made)
        assert "x_y_2" in text
        assert "my_tool_" in text
        assert '"unnamed"' in text


@pytest.mark.parametrize("dialect", ["anthropic", "gemini"])
def test_that_a_message_without_text_stands_as_a_mark(dialect: Dialect) -> None:
    blocks = (Said("user", " \n"), Said("assistant", "", thinking="only thinking"), Said("user", "x"))
    made = request(dialect, blocks)
    assert check(dialect, made) == []
    assert json.dumps(made).count(NO_TEXT) == 2


@pytest.mark.parametrize("arguments", ["{", "", "null", "[1]", '"x"', '{"a": 1}', "\ud800"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_that_any_arguments_are_taken(dialect: Dialect, arguments: str) -> None:
    blocks = (
        Said("user", "x"),
        Said("assistant", "", (call(arguments=arguments),)),
        Said("tool", "r", tool_call_id="c1"),
    )
    assert check(dialect, request(dialect, blocks)) == []


_LARGEST = 1_000_000
"""Bytes of a recorded session that a quick test still reads."""

SETTINGS = settings(max_examples=examples(30), deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.rule("6.33")
@SETTINGS
@given(session=b.sessions(turns=4, exchanges=4).filter(b.with_calls), profile=b.profiles())
def test_that_every_window_is_taken_by_every_provider(session: Session, profile: Profile) -> None:
    run = replay(session, profile)
    for number in range(1, run.calls + 1):
        window = run.window(number)
        if not any(m.role == "user" for m in window.messages):
            assert not any(m.section == "history" for m in window.messages)
            continue  # no message came before this call, or none fits: there is no request to make
        for dialect in DIALECTS:
            assert check(dialect, request(dialect, window.messages)) == [], (dialect, number)


@pytest.mark.rule("6.33")
@SETTINGS
@given(session=b.sessions(turns=3, exchanges=3).filter(b.with_calls))
def test_that_no_text_and_no_result_is_lost(session: Session) -> None:
    """Every block's text stands in every dialect's request, in the window's order."""
    run = replay(session)
    window = run.window(run.calls)
    for dialect in DIALECTS:
        said = json.dumps(request(dialect, window.messages), ensure_ascii=False)
        for block in window.messages:
            if block.text.strip():
                assert json.dumps(block.text.rstrip(), ensure_ascii=False)[1:-1] in said


@pytest.mark.samples
def test_that_windows_of_recorded_sessions_are_taken_by_every_provider(samples: Path) -> None:
    checked = 0
    for path in sorted((samples / "openai-chat").rglob("*.json*")) + sorted((samples / "claude-code").rglob("*.jsonl")):
        if path.stat().st_size > _LARGEST:
            continue
        try:
            run = replay(open_session(path), load("tight-32k"))
        except RavenglassError:
            continue  # a child's file, an index: what opens is what counts
        for number in {1, run.calls // 2, run.calls} & set(range(1, run.calls + 1)):
            window = run.window(number)
            if any(m.role == "user" for m in window.messages):
                checked += 1
                assert [check(d, request(d, window.messages)) for d in DIALECTS] == [[]] * len(DIALECTS)
    assert checked > 10


# What each provider refuses, made from what it takes.


def spoilt(dialect: Dialect, *changes: Any, blocks: Sequence[DialectBlock] = CONVERSATION) -> list[str]:
    made: Any = copy.deepcopy(request(dialect, blocks))
    assert check(dialect, made) == []
    for change in changes:
        change(made)
    return check(dialect, made)


def _drop(key: str, *positions: int) -> Any:
    def change(made: Any) -> None:
        for position in positions:
            del made[key][position]

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_drop("messages", 4), "comes before the results of ['c2']"),
        (_drop("messages", 3), "which no call right before it has open"),
        (_drop("messages", 2), "the history begins with message 2"),
        (_drop("messages", *range(7, 3, -1)), "the request ends before the results of ['c1', 'c2']"),
        (lambda m: m["messages"].insert(5, m["messages"][4]), "which no call right before it has open"),
        (lambda m: m["messages"].clear(), "no message of a user"),
        (lambda m: m["messages"][2].update(role="robot"), "has the role 'robot'"),
        (lambda m: m["messages"][2].update(content=None), "has no content"),
        (lambda m: m["messages"][6].update(tool_call_id="c1"), "is no result, but answers a call"),
        (lambda m: m["messages"][6].update(tool_calls=[]), "may not have this list of tool calls"),
        (lambda m: m["messages"][3]["tool_calls"][0]["function"].update(arguments={}), "arguments are no text"),
    ],
)
def test_that_openai_chat_refuses(change: Any, told: str) -> None:
    assert any(told in problem for problem in spoilt("openai-chat", change))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_drop("input", 7), "has no output"),
        (_drop("input", 5), "there is no open call 'c1'"),
        (_drop("input", 6, 5, 4), "the reasoning is not followed by the item"),
        (lambda m: m["input"].append({"type": "reasoning", "id": "r", "summary": []}), "reasoning is not followed"),
        (lambda m: m["input"][3].pop("id"), "the reasoning has no id"),
        (lambda m: m["input"][6].update(call_id="c1"), "is empty or used before"),
        (lambda m: m["input"].insert(7, m["input"][9]), "stands between a call and its output"),
        (lambda m: m["input"][5].update(name="no name"), "is no function name"),
        (lambda m: m["input"][5].update(arguments={}), "arguments have to be a text"),
        (lambda m: m["input"][7].update(output=None), "output has to be a text"),
        (lambda m: m["input"][2]["content"][0].update(type="output_text"), "holds input_text parts"),
        (lambda m: m["input"][2].update(content=[]), "and at least one"),
        (_drop("input", 2), "does not begin with a user's message"),
        (lambda m: m["input"].append({"type": "noise"}), "unknown type 'noise'"),
    ],
)
def test_that_openai_responses_refuses(change: Any, told: str) -> None:
    assert any(told in problem for problem in spoilt("openai-responses", change))


def _content(message: int) -> Any:
    return lambda made: made["messages"][message]["content"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_drop("messages", 0), "roles alternate from user on"),
        (_drop("messages", 1), "roles alternate"),
        (_drop("messages", 2), "ends before the results of ['c1', 'c2']"),
        (lambda m: m["messages"].clear(), "has no message"),
        (lambda m: m["messages"][0].update(content=[]), "message 0 has no content"),
        (lambda m: m["messages"][2]["content"].pop(0), "were asked for"),
        (lambda m: m["messages"][2]["content"].reverse(), "results come first"),
        (lambda m: m["messages"][1]["content"].reverse(), "ends with thinking"),
        (lambda m: m["messages"][1]["content"][0].pop("signature"), "no signature"),
        (lambda m: m["messages"][1]["content"][1].update(text=" "), "a text block is empty"),
        (lambda m: m["messages"][1]["content"][3].update(id="c1"), "was used before"),
        (lambda m: m["messages"][1]["content"][3].update(name=""), "is no tool name"),
        (lambda m: m["messages"][1]["content"][3].update(input="x"), "is no object"),
        (lambda m: m["messages"][0]["content"].append({"type": "thinking"}), "may not hold ['thinking']"),
        (lambda m: m["messages"][2]["content"][0].update(content=None), "has no content"),
        (lambda m: m["system"][0].update(text=""), "a block without text"),
        (lambda m: m["messages"].append({"role": "assistant", "content": [{"type": "text", "text": "so "}]}), "ends in blanks"),  # noqa: E501
    ],
)  # fmt: skip
def test_that_anthropic_refuses(change: Any, told: str) -> None:
    assert any(told in problem for problem in spoilt("anthropic", change))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_drop("contents", 0), "do not begin with a user's"),
        (_drop("contents", 2), "does not answer exactly the calls before it"),
        (_drop("contents", 3, 2), "end before the responses to the last calls"),
        (lambda m: m["contents"][2]["parts"].pop(), "does not answer exactly"),
        (lambda m: m["contents"][2]["parts"].append({"text": "x"}), "responses stand alone"),
        (lambda m: m["contents"][0].update(parts=[]), "has no parts"),
        (lambda m: m["contents"][0].update(role="system"), "has the role 'system'"),
        (lambda m: m["contents"][0]["parts"][0].update(text=""), "has a part without text"),
        (lambda m: m["contents"][1]["parts"][2]["functionCall"].update(args="x"), "no object of arguments"),
        (lambda m: m["contents"][2]["parts"][0]["functionResponse"].update(response="x"), "a response is no object"),
        (
            lambda m: m["contents"].insert(1, {"role": "model", "parts": [{"text": "x"}]}),
            "right behind a user's content",
        ),
    ],
)
def test_that_gemini_refuses(change: Any, told: str) -> None:
    assert any(told in problem for problem in spoilt("gemini", change))


_KEYS = ("messages", "input", "contents", "role", "content", "parts", "type", "tool_calls", "system", "name", "id")
_ODD = st.recursive(
    st.none() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(_ODD)
def test_that_a_check_names_problems_and_never_fails(dialect: Dialect, value: Any) -> None:
    made = value if isinstance(value, dict) else {"messages": value, "input": value, "contents": value}
    assert all(isinstance(problem, str) for problem in check(dialect, made))
