"""The working state changed by hand: limits, provenance, and what the record adds later."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.working_state.edits import LIST_NAMES, StateEdit, StateUpdate, checked, edited, most_lines
from ravenglass.curator.working_state.state import EMPTY, StateLine, WorkingState, state_at
from ravenglass.errors import PlanError
from ravenglass.profile import Profile

LIMITS = Profile().with_values(max_goals=2, max_open_threads=3, max_decisions=3, max_line_chars=40)
FIRST = WorkingState(goals=(StateLine("fix the login", 0, 1),), decisions=(StateLine("no ORM", 2, 2),))
SECOND = WorkingState(goals=(StateLine("fix the login", 0, 1), StateLine("修复登录", 8, 6)), decisions=FIRST.decisions)
VERSIONS = ((2, FIRST), (6, SECOND))


def made(*edits: StateEdit) -> tuple[tuple[int, WorkingState], ...]:
    return tuple(edited(VERSIONS, edits, LIMITS, lambda call: call * 2))


def test_that_an_added_line_stays_and_says_who_wrote_it() -> None:
    versions = made(StateEdit(4, "open_threads", after="ask  about\nthe cookie"))
    line = StateLine("ask about the cookie", 8, 4, by_hand=True)
    assert [call for call, _ in versions] == [2, 4, 6]
    assert state_at(versions, 3).open_threads == ()
    assert state_at(versions, 4).open_threads == state_at(versions, 9).open_threads == (line,)
    assert state_at(versions, 9).goals == SECOND.goals


def test_that_a_reworded_line_keeps_the_message_it_came_from() -> None:
    versions = made(StateEdit(4, "goals", "fix the login", "fix the login redirect"))
    assert state_at(versions, 5).goals == (StateLine("fix the login redirect", 0, 1, by_hand=True),)
    assert [line.text for line in state_at(versions, 6).goals] == ["fix the login redirect", "修复登录"]


def test_that_a_removed_line_stays_away() -> None:
    versions = made(StateEdit(3, "decisions", "no ORM"))
    assert state_at(versions, 2).decisions
    assert not state_at(versions, 3).decisions
    assert not state_at(versions, 9).decisions


def test_that_of_a_list_that_fills_up_the_oldest_line_of_the_record_leaves() -> None:
    versions = made(StateEdit(4, "goals", after="by hand"))
    assert [line.text for line in state_at(versions, 6).goals] == ["修复登录", "by hand"]


def test_that_a_commit_leaves_before_a_constraint_does() -> None:
    lines = (StateLine("never touch migrations", 1), StateLine("commit: one", 3), StateLine("commit: two", 5))
    versions = edited(((2, WorkingState(decisions=lines)),), [StateEdit(2, "decisions", after="by hand")], LIMITS, int)
    assert [line.text for line in versions[0][1].decisions] == ["never touch migrations", "commit: two", "by hand"]


def test_that_without_edits_nothing_is_made_anew() -> None:
    assert made() is VERSIONS


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (StateEdit(6, "goals", after="third"), "hold 2 lines, the most that fit"),
        (StateEdit(6, "decisions", after="  \n "), "The line is empty"),
        (StateEdit(6, "decisions", after="x" * 41), "has 41 characters, at most 40 fit"),
        (StateEdit(6, "decisions", after="no ORM"), "hold this line already"),
        (StateEdit(6, "goals", "修复登录", "fix the login"), "hold this line already"),
        (StateEdit(6, "open_threads", "gone", "new"), "The open threads at call 6 do not hold this line"),
    ],
)
def test_that_an_edit_that_does_not_fit_is_refused_with_a_sentence(edit: StateEdit, sentence: str) -> None:
    with pytest.raises(PlanError, match=re.escape(sentence)):
        checked(edit, SECOND, LIMITS)


def test_that_a_full_list_still_lets_a_line_be_reworded_or_removed() -> None:
    assert checked(StateEdit(6, "goals", "修复登录", " two\twords "), SECOND, LIMITS).after == "two words"
    assert checked(StateEdit(6, "goals", "修复登录"), SECOND, LIMITS).after == ""


@given(
    st.lists(
        st.builds(
            StateEdit, st.integers(1, 9), st.sampled_from(LIST_NAMES),
            st.sampled_from(("", "a", "fix the login", "no ORM")), st.text("ab 登", max_size=60),
        ),
        max_size=12,
    )
)  # fmt: skip
@pytest.mark.rule("6.39")
def test_that_whatever_is_edited_the_limits_hold_and_earlier_calls_keep_theirs(edits: list[StateEdit]) -> None:
    versions = made(*edits)
    first = min((edit.call for edit in edits), default=99)
    for call, state in versions:
        for name in LIST_NAMES:
            lines = getattr(state, name)
            assert len(lines) <= most_lines(LIMITS, name)
            assert all(0 < len(line.text) <= LIMITS.max_line_chars for line in lines)
            assert len({line.text for line in lines}) == len(lines)
        assert call >= first or (call, state) in VERSIONS
    for call in range(1, min(first, 10)):
        assert state_at(versions, call) == state_at(VERSIONS, call)
    assert state_at(edited((), [StateEdit(2, "goals", after="x")], LIMITS, int), 1) is EMPTY


def test_that_a_line_of_the_record_leaves_before_one_by_hand_wherever_they_stand() -> None:
    reworded = StateEdit(4, "goals", "fix the login", "fix the login redirect")
    versions = edited(VERSIONS, [reworded, StateEdit(6, "goals", after="by hand")], LIMITS, lambda call: call * 2)
    assert [line.text for line in state_at(versions, 6).goals] == ["fix the login redirect", "by hand"]


def test_that_an_edit_that_changes_nothing_makes_no_version() -> None:
    assert [call for call, _ in made(StateEdit(4, "goals", "never there", "x"))] == [2, 6]
    assert [call for call, _ in made(StateEdit(4, "decisions", "never there"))] == [2, 6]


def test_that_a_line_that_a_curator_only_left_standing_goes_with_the_record() -> None:
    later = WorkingState(decisions=(StateLine("use msgspec", 8, 6),))
    ours = WorkingState(goals=FIRST.goals, decisions=(*FIRST.decisions, StateLine("ask Anna", 5, 3)))
    versions = edited(((2, FIRST), (6, later)), [StateUpdate(3, FIRST, ours)], LIMITS, lambda call: call * 2)
    assert [line.text for line in state_at(versions, 3).decisions] == ["no ORM", "ask Anna"]
    assert [line.text for line in state_at(versions, 6).decisions] == ["ask Anna", "use msgspec"]
