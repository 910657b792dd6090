"""Needs are no part of a window: they are looked for once somebody asks for them."""

from __future__ import annotations

import pytest
from hypothesis import given

from ravenglass.replay import HandChange, SimulatedRun, branch, replay
from ravenglass.replay.growing import grown
from ravenglass.replay.measures.needs import session as needs_session
from ravenglass.sessions.model.session import Session
from tests.engine.builders import assistant, call, result, session, user
from tests.engine.replay.runs import any_runs, thorough

TEXT = "\n".join(f"row {n}: total = price_{n} * amount" for n in range(1, 30))


def _fetched_again() -> Session:
    return session(
        user("look at the prices"),
        assistant("", call("Read", file_path="prices.txt")),
        result(TEXT),
        assistant("they are there"),
        user("once more"),
        assistant("", call("Read", file_path="prices.txt")),
        result(TEXT),
        assistant("price_7 it is"),
    )


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    made: list[int] = []
    whole = needs_session.SessionNeeds.__init__

    def counting(self: needs_session.SessionNeeds, *given: object, **more: object) -> None:
        made.append(1)
        whole(self, *given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(needs_session.SessionNeeds, "__init__", counting)
    return made


def test_that_a_replay_its_frames_and_its_windows_are_there_before_needs_are_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = _counted(monkeypatch)
    run = replay(_fetched_again())
    for number in range(1, run.calls + 1):
        assert run.frame(number).tokens == run.window(number).tokens
    assert not made
    assert run.metrics.fetches_again.total == 1
    assert len(made) == 1


def test_that_needs_are_looked_for_once_only(monkeypatch: pytest.MonkeyPatch) -> None:
    made = _counted(monkeypatch)
    built = _fetched_again()
    first, second = replay(built), replay(built)
    assert first.metrics == second.metrics
    assert first.metrics == first.twin().metrics
    assert len(made) == 1


@thorough
@given(any_runs())
def test_that_it_does_not_matter_when_needs_are_asked_for(run: SimulatedRun) -> None:
    asked_last = replay(run.session, run.profile, run.changes)
    twin = asked_last.twin()
    assert (run.regrets, run.metrics) == (twin.regrets, twin.metrics)
    windows = [asked_last.window(number) for number in range(1, run.calls + 1)]
    assert (run.regrets, run.metrics) == (asked_last.regrets, asked_last.metrics)
    assert windows == [run.window(number) for number in range(1, run.calls + 1)]


@thorough
@given(any_runs())
def test_that_a_branch_and_a_grown_run_of_one_that_was_not_asked_have_the_same_needs(run: SimulatedRun) -> None:
    asked, quiet = replay(run.session, run.profile), replay(run.session, run.profile)
    _ = asked.regrets
    pin = (HandChange(asked.calls, "pin", 0),) if asked.calls and asked.rows(asked.calls) else ()
    if pin:
        one, other = (branch(of, asked.calls, changes=pin) for of in (asked, quiet))
        assert (one.regrets, one.metrics) == (other.regrets, other.metrics)
    again = grown(replay(run.session, run.profile), run.session)
    assert (asked.regrets, asked.metrics) == (again.regrets, again.metrics)
    assert (asked.regrets, asked.metrics) == (quiet.regrets, quiet.metrics)
