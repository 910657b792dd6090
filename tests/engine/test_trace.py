from __future__ import annotations

import json
from datetime import datetime
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.trace import EVENT_NAMES, MARKER_EVENTS, OurPayload, TraceEvent, logged
from ravenglass.trace.curating import MainAgentResult
from ravenglass.trace.items import StateChanged

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PAYLOADS = st.dictionaries(st.text(), VALUES, max_size=4)
TIMES = st.integers(0, 4_000_000_000).map(float)


@pytest.mark.rule("8.2", "8.3")
def test_that_the_events_are_those_of_the_design() -> None:
    assert set(EVENT_NAMES) == {
        "curator_start", "fast_path", "curator_llm_request", "curator_llm_response", "curator_tool_result",
        "slow_path_accepted", "slow_path_exception", "fallback", "main_agent_result", "item_registered",
        "item_demoted", "state_changed", "quota_exceeded", "plan_rejected", "pinned", "pin_moved", "archived",
        "retrieved", "deduplicated", "offloaded", "updated", "summarized", "snapshot_taken", "rolled_back",
        "protected_overflow", "diagnosis",
    }  # fmt: skip
    assert len(set(EVENT_NAMES)) == len(EVENT_NAMES)


def test_that_the_timeline_marks_only_events_that_there_are() -> None:
    assert set(MARKER_EVENTS) <= set(EVENT_NAMES)


@pytest.mark.rule("8.1")
@given(st.text(), PAYLOADS, TIMES | st.none())
def test_that_an_event_is_one_line_that_reads_back(name: str, payload: dict[str, Any], ts: float | None) -> None:
    line = logged(name, payload, call=3, ts=ts, messages=(1, 2)).to_json()
    assert "\n" not in line
    assert "\r" not in line
    read = json.loads(line)
    assert list(read) == ["ts", "event", "payload"]
    assert (read["event"], read["payload"]) == (name, payload)
    assert (None if read["ts"] is None else datetime.fromisoformat(read["ts"]).timestamp()) == ts


def test_that_a_time_is_written_in_utc_and_an_unknown_one_as_null() -> None:
    assert json.loads(logged("archived", ts=0.5).to_json())["ts"] == "1970-01-01T00:00:00.500000+00:00"
    assert json.loads(logged("archived").to_json())["ts"] is None


def test_that_a_log_stays_readable_in_any_language() -> None:
    assert "配额" in logged("quota_exceeded", {"tier": "配额"}).to_json()


def test_that_payloads_are_not_shared_between_events() -> None:
    assert logged("archived").payload is not logged("archived").payload


def test_that_an_event_is_immutable() -> None:
    with pytest.raises(AttributeError):
        logged("archived").call = 2  # type: ignore[misc]


def test_that_ours_are_every_event_that_has_a_name_and_each_is_written_under_it() -> None:
    made = get_args(OurPayload)
    assert {one.event for one in made} == set(EVENT_NAMES)


def test_that_a_field_that_is_not_set_is_not_written_and_none_is() -> None:
    changed = StateChanged(before="active", after="standby", form="full", form_before="full")
    assert TraceEvent(changed).payload == {"from": "active", "to": "standby", "form": "full", "form_before": "full"}
    assert TraceEvent(MainAgentResult(message=1, response="", usage=None)).payload["usage"] is None


def test_that_an_unknown_event_is_kept_as_it_is() -> None:
    event = logged("skill_loaded", {"name": "pdf"}, 3)
    assert (event.event, event.payload, event.call) == ("skill_loaded", {"name": "pdf"}, 3)
