"""Lines are cut, lists differ and are updated; every version keeps the limits."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.working_state.state import (
    EMPTY,
    StateLine,
    WorkingState,
    apply_update,
    cut,
    diff,
    extract,
    render,
)
from ravenglass.errors import PlanError
from ravenglass.sessions.catalogue.registry import open_session
from ravenglass.sessions.model.session import Session
from tests.engine.builders import assistant, session, sessions, user
from tests.engine.curator.working_state.test_state import LIMITS, SAMPLES, Limits, Script, texts


def test_that_a_long_line_is_cut_at_a_word() -> None:
    assert cut("one two  three", 400) == "one two three"
    assert cut("alpha beta gamma delta", 17) == "alpha beta gamma…"
    assert cut("alpha beta gamma delta", 16) == "alpha beta…"
    assert cut("配额" * 10, 9) == "配额配额配额配额…"


@given(st.text(st.characters()), st.integers(2, 60))
def test_that_a_cut_line_fits_and_begins_like_the_text(text: str, limit: int) -> None:
    line = cut(text, limit)
    whole = " ".join(text.split())
    assert len(line) <= limit
    assert line == whole or (line.endswith("…") and whole.startswith(line[:-1]))


LINES = st.lists(st.builds(StateLine, st.text("ab ", min_size=1), st.integers(0, 9)), max_size=4).map(tuple)
STATES = st.builds(WorkingState, LINES, LINES, LINES)


def test_that_rendering_leaves_out_empty_lists() -> None:
    state = WorkingState(
        goals=(StateLine("Fix the login", 0),), decisions=(StateLine("commit: x", 4), StateLine("use y", 6))
    )
    assert render(state) == (
        "# Curator Working State\n\n## Goals\n- Fix the login\n\n## Decisions\n- commit: x\n- use y"
    )
    assert render(EMPTY) == ""


@given(STATES, STATES)
def test_that_a_difference_turns_the_old_texts_into_the_new_ones(old: WorkingState, new: WorkingState) -> None:
    change = diff(old, new)
    for name in ("goals", "open_threads", "decisions"):
        before, after = set(texts(getattr(old, name))), set(texts(getattr(new, name)))
        part = getattr(change, name)
        assert before - set(texts(part.removed)) | set(texts(part.added)) == after
    assert diff(new, new).is_empty
    assert change.is_empty == diff(new, old).is_empty


@pytest.mark.rule("6.39")
def test_that_an_update_replaces_the_given_lists_and_keeps_where_known_lines_came_from() -> None:
    state = WorkingState(goals=(StateLine("a", 1, 1, 0), StateLine("b", 2, 2, 0)), decisions=(StateLine("d", 3),))
    updated = apply_update(state, goals=["b", " c\nd ", "b"], limits=LIMITS, source=9, call=5, turn=2)
    assert updated.goals == (StateLine("b", 2, 2, 0), StateLine("c d", 9, 5, 2))
    assert updated.decisions == state.decisions
    assert apply_update(state, decisions=[], limits=LIMITS, source=9).decisions == ()


@pytest.mark.rule("6.39")
@pytest.mark.parametrize(
    ("goals", "message"),
    [
        ("one", '"goals" takes a list of texts, one a line, not a text'),
        ({"a": 1}, "not an object"),
        (["a", 3], 'Line 2 of "goals" is a number'),
        (["a", None], "is null"),
        (["  "], 'Line 1 of "goals" is empty'),
        (["x" * 401], "has 401 characters, at most 400 fit"),
        ([str(n) for n in range(9)], "has 9 lines, at most 8 fit; merge or drop 1"),
    ],
)
def test_that_an_unusable_update_is_refused_with_the_remedy(goals: object, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        apply_update(EMPTY, goals=goals, limits=LIMITS, source=0)
    assert message in str(caught.value)
    assert str(caught.value).endswith(".")


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("prompt"), st.sampled_from(["Fix it now", "Never edit x.", "Add a cache", "继续"])),
        st.tuples(st.just("says"), st.sampled_from(["Decision: use a lock.", "Ok.", "We decided to wait."])),
        st.tuples(st.just("todos"), st.lists(st.sampled_from(["pending", "in_progress", "completed"]), max_size=4)),
        st.tuples(st.just("commit"), st.sampled_from(["one", "two", "three"])),
    ),
    max_size=25,
)


@pytest.mark.rule("6.39")
@given(STEPS)
def test_that_every_version_keeps_the_limits_and_differs_from_the_one_before(
    steps: list[tuple[str, str | list[str]]],
) -> None:
    limits = Limits(max_goals=2, max_open_threads=2, max_decisions=3, max_line_chars=20)
    script = Script()
    for kind, what in steps:
        if isinstance(what, list):
            script.todos(**{f"item_{number}": status for number, status in enumerate(what)})
        elif kind == "commit":
            script.calls("Bash", {"command": f"git commit -m '{what}'"})
        else:
            getattr(script, kind)(what)
    before = EMPTY
    last_call = 0
    for call, state in script.versions(limits):
        assert call > last_call
        assert state != before
        assert len(state.goals) <= 2
        assert len(state.open_threads) <= 2
        assert len(state.decisions) <= 3
        for line in (*state.goals, *state.open_threads, *state.decisions):
            assert len(line.text) <= 20
            assert line.call is not None
            assert line.call <= call
        before, last_call = state, call


@pytest.mark.samples
def test_that_a_real_session_gives_its_plan_its_list_and_its_requests() -> None:
    path = SAMPLES / "claude-code" / "entire_LARGE_3compactions_893lines_3.8MB.jsonl.gz"
    if not path.exists():
        pytest.skip("../shared/samples is not there")
    session = open_session(path)
    versions = extract(session, LIMITS)
    calls = [call.message for call in session.structure.calls]
    assert len(versions) > 20
    assert any(state.open_threads for _, state in versions)
    assert any(line.text.startswith("plan: ") for line in versions[-1][1].decisions)
    for call, state in versions:
        assert all(line.source < calls[call - 1] for line in (*state.goals, *state.open_threads, *state.decisions))


@pytest.mark.rule("6.43")
def test_that_a_request_repeated_word_for_word_makes_no_new_version() -> None:
    asked = user("Fix the login. Never touch the database.")
    said = session(asked, assistant("ok"), asked, assistant("done"), asked, assistant("again"))
    ((call, state),) = extract(said, LIMITS)
    assert call == 1
    assert [line.source for line in (*state.goals, *state.decisions)] == [0, 0]


@pytest.mark.rule("6.43")
@given(sessions())
def test_that_versions_that_follow_each_other_say_different_things(made: Session) -> None:
    found = [render(state) for _, state in extract(made, LIMITS)]
    assert all(before != after for before, after in pairwise(["", *found]))
