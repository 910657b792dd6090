"""Faults of the reference implementation in a log (format notes, section 9): named with evidence, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ravenglass.sessions import open_session
from ravenglass.traces import faults, open_trace
from tests.engine.traces.logs import accepted, fallback, item, line, one_call, plan, request, response, result, start

BUILD = "curator_build_context"
MISSING = "assistant tool_calls missing results: ['call_1']"


def dropped(*messages: int) -> list[str]:
    return [f"dropped message {message} to fit budget" for message in messages]


def test_that_r1_is_named_where_the_log_knows_the_group(tmp_path: Path) -> None:
    items = [item(4, "assistant", "tool:a,b"), item(5, "tool", "tool:a"), item(6, "tool", "tool:b")]
    call = one_call(tmp_path, start(), request(1, items), fallback([4, 5, 6], [5, 6], warnings=dropped(4)))
    (fault,) = faults(call)
    assert (fault.rule, fault.messages) == ("R1", (4, 5))
    assert "Message 4 was dropped alone to fit the budget while message 5" in fault.sentence


def test_that_r1_is_named_where_a_message_came_in_only_as_the_other_half(tmp_path: Path) -> None:
    """The plan names 5, completing it added 6, trimming dropped 6 again."""
    call = one_call(tmp_path, start(), fallback([4, 5, 20], [4, 5], warnings=dropped(6, 20)))
    (fault,) = faults(call)
    assert (fault.rule, fault.messages) == ("R1", (6, 5))


@pytest.mark.parametrize(
    ("include", "included", "gone"),
    [
        ([4, 5, 6], [4], [5, 6]),  # which of them belong together the log does not say
        ([4, 5, 6], [4, 5, 6], []),
        ([5, 7], [5, 7], [6]),  # the half of either neighbour: not known which
        ([20], [20], [6]),  # its other half is no neighbour
    ],
)
def test_that_r1_is_not_guessed(
    tmp_path: Path, include: Sequence[int], included: Sequence[int], gone: Sequence[int]
) -> None:
    assert faults(one_call(tmp_path, start(), fallback(include, included, warnings=dropped(*gone)))) == ()


def test_that_whole_groups_dropped_are_no_fault(tmp_path: Path) -> None:
    items = [item(4, "assistant", "tool:a"), item(5, "tool", "tool:a"), item(6, "user")]
    call = one_call(tmp_path, start(), request(1, items), fallback([4, 5, 6], [6], warnings=dropped(4, 5)))
    assert faults(call) == ()


def test_that_a_window_called_invalid_is_no_r1(tmp_path: Path) -> None:
    items = [item(4, "assistant", "tool:a"), item(5, "tool", "tool:a")]
    call = one_call(tmp_path, start(), request(1, items), fallback([4, 5], [5], ok=False, warnings=dropped(4)))
    assert faults(call) == ()


def burnt(
    folder: Path, *, steps: int = 3, max_steps: int = 3, errors: Sequence[str] = (MISSING,), items: Any = ()
) -> Any:
    lines = [start(max_steps=max_steps)]
    for step in range(1, steps + 1):
        told = {"accepted": False, "errors": [errors[(step - 1) % len(errors)]], "retry_allowed": True}
        call = (BUILD, plan([0]))
        lines += [request(step, items), response(step, call), result(step, *call, told)]
    return one_call(folder, *lines, fallback([0, 9], [0, 9]))


def test_that_r2_is_named_where_all_steps_were_spent_on_one_reason(tmp_path: Path) -> None:
    (fault,) = faults(burnt(tmp_path))
    assert fault.rule == "R2"
    assert fault.sentence == (
        f"All 3 steps were used up, 3 plans came back for one reason: {MISSING};"
        " the fail-safe's window passed all the same."
    )


def test_that_r2_names_the_unanswered_call_where_the_log_shows_it(tmp_path: Path) -> None:
    (fault,) = faults(burnt(tmp_path, items=[item(9, "assistant", "tool:call_1,call_2")]))
    assert fault.sentence.endswith("passed all the same with message 9 in it.")
    assert fault.messages == (9,)


@pytest.mark.parametrize("more", [{"steps": 2}, {"errors": ["one", "two"]}, {"steps": 1, "max_steps": 1}])
def test_that_r2_needs_all_steps_and_one_reason(tmp_path: Path, more: dict[str, Any]) -> None:
    assert faults(burnt(tmp_path, **more)) == ()


def test_that_r10_is_named_where_a_text_cannot_have_been_counted_so(tmp_path: Path) -> None:
    items = [item(0, "user", snippet="what is <|endoftext|> for?"), item(1, "assistant")]
    (fault,) = faults(one_call(tmp_path, start(), request(1, items), accepted([0, 1])))
    assert (fault.rule, fault.messages) == ("R10", (0,))
    assert "characters divided by four" in fault.sentence


def test_that_r10_is_not_named_without_the_text_in_the_window_or_by_another_counter(tmp_path: Path) -> None:
    items = [item(0, "user", snippet="<|endoftext|>"), item(1, "assistant")]
    assert faults(one_call(tmp_path, start(), request(1, items), accepted([1]))) == ()
    assert faults(one_call(tmp_path, start(), request(1, items), accepted([0], source="chars/4"))) == ()


def test_that_a_fast_path_has_no_faults(tmp_path: Path) -> None:
    assert faults(one_call(tmp_path, start(), line("fast_path"))) == ()


@pytest.mark.samples
def test_that_the_faults_of_recorded_logs_are_there_in_their_session(samples: Path) -> None:
    root = samples / "raven" / "workspace"
    session = open_session(root / "sessions" / "cli" / "20260724_090000_ab12cd.jsonl")
    log = open_trace(root / "memory" / ".curator" / "traces" / "cli_20260724_090000_ab12cd")
    found = [fault for _, call in log.calls for fault in faults(call)]
    assert sorted(fault.rule for fault in found) == ["R1", "R2"]
    torn = next(fault for fault in found if fault.rule == "R1")
    group_of = session.structure.group_of
    assert group_of[torn.messages[0]] == group_of[torn.messages[1]]
