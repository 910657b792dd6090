"""What a log alone says about messages, plans and budgets; what it does not say stays unknown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.traces.budgets import LoggedBudget, read_budget
from ravenglass.traces.manifests import briefing, current_request, history_tokens, listed
from ravenglass.traces.messages import LoggedMessage, LoggedMessages
from ravenglass.traces.model import TraceRecord
from ravenglass.traces.verdicts import read_plan, read_verdict
from tests.engine.traces.logs import item, line, one_call, request, response, result, start


def test_that_the_manifest_of_a_request_is_read(tmp_path: Path) -> None:
    items = [item(3, "assistant", "tool:a,b", relevance=0.75, protected=False), item(4, "tool", "tool:a")]
    call = one_call(tmp_path, start(10), request(1, items))
    messages = LoggedMessages(call.records)
    assert messages.count == 10
    assert [m.id for m in messages] == [3, 4]
    assert len(messages) == 2
    assert messages[3] == LoggedMessage(
        3, "assistant", 13, None, None, "tool:a,b", "text 3", 0.75, False, None
    )  # fmt: skip
    assert messages.together(3, 4) is True


def test_that_an_unknown_message_has_nothing_but_its_id(tmp_path: Path) -> None:
    messages = LoggedMessages(one_call(tmp_path, start(10)).records)
    assert messages[7] == LoggedMessage(7)
    assert messages.together(7, 8) is None


def test_that_log_groups_that_share_calls_are_one_group_and_others_are_not(tmp_path: Path) -> None:
    items = [item(1, "assistant", "tool:a,b"), item(2, "tool", "tool:b"), item(3, "tool", "tool:c"), item(4, "user")]
    messages = LoggedMessages(one_call(tmp_path, start(), request(1, items)).records)
    assert messages.together(1, 2) is True
    assert messages.together(1, 3) is False
    assert messages.together(1, 4) is None


@given(cut=st.integers(0, 900))
def test_that_of_a_cut_manifest_only_whole_values_are_read(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    items = [item(n, "tool", f"tool:{n}", tokens=1_000 + n) for n in range(6)]
    call = one_call(tmp_path_factory.mktemp("log"), start(), request(1, items, history=15_000, cut=cut))
    record = call.first("curator_llm_request")
    assert record is not None
    assert history_tokens(record) in (None, 15_000)
    assert current_request(record) in ("", "Go on.")
    for message in LoggedMessages(call.records):
        assert message.tokens in (None, 1_000 + message.id)
        assert message.group in (None, f"tool:{message.id}")
        assert message.role in (None, "tool")
    whole = one_call(tmp_path_factory.mktemp("log"), start(), request(1, items))
    assert len(LoggedMessages(call.records)) <= len(LoggedMessages(whole.records)) == 6


def test_that_registrations_of_our_own_logs_are_read(tmp_path: Path) -> None:
    payload = {"address": "cxt://x", "tier": "task", "tokens": 40, "messages": [2, 3]}
    single = {"address": "cxt://y", "tier": "session", "tokens": 7, "messages": [4]}
    call = one_call(tmp_path, start(), line("item_registered", payload), line("item_registered", single))
    messages = LoggedMessages(call.records)
    assert messages.together(2, 3) is True
    assert messages.together(3, 4) is False
    assert (messages[2].tokens, messages[3].address, messages[3].tier) == (None, "cxt://x", "task")
    assert messages[4].tokens == 7


def test_that_search_results_add_to_what_is_known(tmp_path: Path) -> None:
    theirs = {"hits": [{"message_id": 5, "tokens": 99, "snippet": "found"}]}
    ours = {"matches": [{"message_ids": [6, 7], "tokens": 50, "tier": "task"}]}
    call = one_call(
        tmp_path, start(), request(1, [item(5, "user")]),
        result(1, "curator_search_history", {}, theirs), result(1, "curator_search_history", {}, ours),
    )  # fmt: skip
    messages = LoggedMessages(call.records)
    assert (messages[5].role, messages[5].tokens, messages[5].snippet) == ("user", 99, "found")
    assert messages.together(6, 7) is True
    assert messages[6].tokens is None


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ("id", "ids", "messages", "hits", "content", "role", "plan", "validation", "result", "tool", "arguments",
             "include_message_ids", "updates", "relevance", "message_id", "budget", "usage", "step", "errors", "ok")
        ), inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip
EVENTS = st.sampled_from(
    ("curator_start", "fast_path", "curator_llm_request", "curator_llm_response", "curator_tool_result",
     "slow_path_accepted", "fallback", "slow_path_exception", "main_agent_result", "item_registered", "odd")
)  # fmt: skip


def test_that_a_request_without_a_manifest_has_none() -> None:
    record = TraceRecord("curator_llm_request", {"messages": [{"role": "user", "content": "hi"}]}, None, b"", None)  # type: ignore[arg-type]
    assert briefing(record) == {}
    assert list(listed(record)) == []


def test_that_budgets_are_read_in_either_words() -> None:
    theirs = {
        "context_length": 9,
        "reserved_output": 1,
        "reserved_tools": 2,
        "reserved_system": 3,
        "available_history": 4,
    }
    assert read_budget({"budget": theirs}) == LoggedBudget(9, 1, 5, None, 4)
    ours = {"window": 9, "output_reserve": 1, "system": 2, "safety": 1, "available": 5}
    assert read_budget({"budget": ours}) == LoggedBudget(9, 1, 2, 1, 5)
    assert read_budget({"budget": {"context_length": 9, "reserved_tools": 2}}) == LoggedBudget(9)
    assert read_budget({}) == LoggedBudget()
    assert read_budget({"budget": None}) == LoggedBudget()


@pytest.mark.parametrize(
    ("payload", "ok", "tokens", "errors"),
    [
        ({"ok": True, "total_tokens": 5}, True, 5, ()),
        ({"accepted": True, "final_total_tokens": 6}, True, 6, ()),
        ({"accepted": False, "errors": ["x"], "validation": {"ok": False, "total_tokens": 7}}, False, 7, ("x",)),
        ({"error": "unknown ids"}, False, None, ("unknown ids",)),
        ({}, None, None, ()),
        (None, None, None, ()),
    ],
)
def test_that_verdicts_are_read_in_either_words(payload: Any, ok: Any, tokens: Any, errors: Any) -> None:
    verdict = read_verdict(payload)
    assert (verdict.ok, verdict.tokens, verdict.errors) == (ok, tokens, errors)


def test_that_a_plan_keeps_whether_or_what_was_injected() -> None:
    assert read_plan({"include_message_ids": [1, "x", -1, 2.0]}).include == (1, 2)
    assert read_plan({"working_state_injection": "Goal"}).working_state == "Goal"
    assert read_plan({"working_state_injection": False}).working_state is False
    assert read_plan({"working_state_injection": 3}).working_state is None
    assert json.dumps(read_plan(None).include) == "[]"


def test_that_responses_are_no_manifest(tmp_path: Path) -> None:
    call = one_call(tmp_path, start(), response(1, content='{"recent_messages": [{"id": 1}]}'))
    assert len(LoggedMessages(call.records)) == 0
