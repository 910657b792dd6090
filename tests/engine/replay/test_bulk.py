from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import Cancelled, ProfileError
from ravenglass.profile import Profile
from ravenglass.replay import HandChange, SimulatedRun, bulk, replay
from ravenglass.replay.bulk import RunPart
from ravenglass.sessions.model.session import Session
from tests.engine.builders import (
    assistant,
    call,
    filler,
    profiles,
    result,
    session,
    sessions,
    system,
    user,
    valid_sessions,
    with_calls,
)
from tests.engine.replay.runs import any_runs, states_and_forms, thorough
from tests.engine.scheduler.views import plain


def _all(run: SimulatedRun) -> list[str]:
    """Everything a run says, as text: equal texts are equal bytes."""
    calls = range(1, run.calls + 1)
    said = [(run.window(c), run.events(c), run.frame(c)) for c in calls]
    return [*map(repr, said), repr(run.metrics), repr(run.regrets), repr(run.archive()), repr(run.markers())]


@pytest.mark.rule("5.24")
@thorough
@given(sessions().filter(with_calls), profiles())
def test_that_the_same_session_and_profile_give_the_same_bytes(built: Session, profile: Profile) -> None:
    assert _all(replay(built, profile)) == _all(replay(built, profile))


@pytest.mark.rule("5.16")
@thorough
@given(sessions().filter(with_calls), profiles(), profiles())
def test_that_a_replay_in_between_changes_nothing(built: Session, profile: Profile, other: Profile) -> None:
    first = _all(replay(built, profile))
    replay(built, other)
    assert _all(replay(built, profile)) == first
    assert _all(replay(replace(built), profile)) == first


@thorough
@given(st.data(), valid_sessions().filter(with_calls), profiles())
def test_that_a_call_never_depends_on_what_comes_after_it(data: st.DataObject, built: Session, p: Profile) -> None:
    run = replay(built, p)
    last = data.draw(st.integers(1, run.calls))
    cut = replay(session(*built.messages[: built.structure.calls[last - 1].message + 1]), p)
    assert cut.calls == last
    for number in range(1, last + 1):
        assert repr(cut.window(number)) == repr(run.window(number))
        assert repr(cut.frame(number)) == repr(run.frame(number))


@thorough
@given(any_runs())
def test_that_calls_can_be_looked_at_in_any_order(run: SimulatedRun) -> None:
    calls = range(1, run.calls + 1)
    there = {c: (repr(run.window(c)), repr(run.frame(c)), repr(run.events(c))) for c in reversed(calls)}
    back = {c: (repr(run.window(c)), repr(run.frame(c)), repr(run.events(c))) for c in calls}
    assert there == back


@thorough
@given(any_runs())
def test_that_the_log_grows_with_changes_only(run: SimulatedRun) -> None:
    changes = 0
    before = states_and_forms(run, 0)
    for number in range(1, run.calls + 1):
        now = states_and_forms(run, number)
        changed = {g for g in range(len(now[0])) if (now[0][g], now[1][g]) != (before[0][g], before[1][g])}
        # A shrunk group that is shrunk further changes neither state nor form.
        assert changed <= set(run._log.changed.get(number, ()))
        changes += len(run._log.changed.get(number, ()))
        before = now
    assert sum(len(track.calls) for track in run._log.tracks) == changes


def test_that_a_long_session_on_the_fast_path_logs_at_most_two_changes_a_group() -> None:
    tool_group = (assistant("", call("Bash", command="ls")), result("ok"), assistant("", call("Grep", pattern="x")))
    run = replay(session(user("go"), *(*tool_group, result("1")) * 1_000, assistant("end")), plain(1_000_000))
    assert run.calls == 2_001
    assert set(run.paths) == {"fast"}
    assert sum(len(track.calls) for track in run._log.tracks) <= 2 * len(run.inputs.features.groups)
    assert len(run.window(2_001).messages) == run.frame(2_001).included == 4_001


def test_that_a_cancelled_replay_says_so() -> None:
    tool_group = (assistant("", call("Bash", command="ls")), result("ok"))
    built = session(user("go"), *tool_group * 70, assistant("end"))
    replay(built)
    with pytest.raises(Cancelled, match="cancelled"):
        replay(built, progress=lambda *_: False)


def test_that_progress_tells_how_many_calls_are_done() -> None:
    tool_group = (assistant("", call("Bash", command="ls")), result("ok"))
    built = session(user("go"), *tool_group * 130, assistant("end"))
    replay(built)
    seen: list[tuple[int, int]] = []

    def noted(done: int, total: int) -> bool:
        seen.append((done, total))
        return True

    replay(built, progress=noted)
    assert seen == [(64, 131), (128, 131)]


def test_that_a_session_without_a_model_call_gives_an_empty_run() -> None:
    run = replay(session(user("hello"), system("x")))
    assert (run.calls, run.metrics.calls, run.metrics.recall, run.metrics.cost) == (0, 0, None, 0.0)
    assert run.query(1) == []
    assert run.rows(1) == 0
    with pytest.raises(IndexError, match="call 1 is not between 1 and 0"):
        run.frame(1)


@pytest.mark.rule("3.16")
def test_that_tools_too_large_for_the_window_are_a_profile_error_naming_the_field() -> None:
    built = session(user("hello"), assistant("hi"), tools_text=filler(5_000))
    with pytest.raises(ProfileError, match="system prompt and tools take 5,000 tokens") as error:
        replay(built, plain(4_000))
    assert error.value.field == "system_overhead"


@pytest.mark.rule("3.3")
def test_that_measured_tools_take_the_place_of_the_system_overhead() -> None:
    run = replay(session(user("hello"), assistant("hi"), tools_text=filler(500)), plain(4_000, system_overhead=900))
    assert (run.budget.system, run.budget.available, run.budget.system_measured) == (500, 3_500, True)


def test_that_the_default_profile_has_the_figures_of_the_design() -> None:
    run = replay(session(user("hello"), assistant("hi")))
    assert run.budget.available == 93_000
    assert run.budget.quotas == {"global": 18_600, "session": 27_900, "task": 37_200, "atomic": 9_300}
    assert (run.budget.threshold, run.budget.target) == (55_800, 41_850)


def test_that_a_run_keeps_its_changes_by_call() -> None:
    changes = [HandChange(2, "archive", 1), HandChange(1, "pin", 0)]
    run = replay(session(user("a"), assistant("b"), user("c"), assistant("d")), None, changes)
    assert run.changes == (changes[1], changes[0])


@thorough
@given(sessions().filter(with_calls), profiles(), st.integers(1, 5))
def test_that_a_part_that_came_is_the_beginning_of_the_whole_run(built: Session, profile: Profile, every: int) -> None:
    parts: list[RunPart] = []
    with patch.object(bulk, "_REPORT", every):
        run = replay(built, profile, came=lambda part: parts.append(part()))
    assert [part.calls for part in parts] == list(range(every, run.calls + 1, every))
    for part in parts:
        assert part.budget == run.budget
        assert {tier: list(tokens) for tier, tokens in part.tiers.items()} == {
            tier: list(run.tier_tokens[tier][: part.calls]) for tier in part.tiers
        }
