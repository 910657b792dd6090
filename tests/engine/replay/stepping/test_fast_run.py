from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings

from ravenglass.hub.live import Track
from ravenglass.profile import Profile
from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.bulk import run_log
from ravenglass.replay.commit import add_call
from ravenglass.replay.measures.at_risk import AtRisk
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.changes import Compaction, HandChange
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.outcome import CallResult
from ravenglass.replay.stepping.step import Stepper
from ravenglass.rules import DEFAULT_TTL_RULES, TtlRule
from ravenglass.scheduler.view import View
from ravenglass.sessions.model.session import Message, Session
from tests.engine.builders import (
    assistant,
    call,
    developer,
    filler,
    profiles,
    result,
    session,
    sessions,
    user,
    with_calls,
)
from tests.engine.replay.runs import any_runs, thorough


def _one_by_one(inputs: Inputs) -> ChangeLog:
    """What a replay keeps that steps through every call by itself."""
    log, stepper, risk = ChangeLog([Track() for _ in inputs.features.groups]), Stepper(inputs), AtRisk(inputs)
    for number in range(1, len(inputs.features.calls) + 1):
        view, made = stepper.advance(number)
        add_call(inputs, log, stepper, view, made)
        risk.look(number, stepper.live, log.changed.get(number, ()), stepper.state_version, stepper.summary)
    log.keep_needed(risk)
    return log


def _tracks(log: ChangeLog) -> list[tuple[list[int], list[int], dict[int, int]]]:
    return [(track.calls, track.codes, track.caps) for track in log.tracks]


def _same(one: ChangeLog, other: ChangeLog) -> None:
    assert _tracks(one) == _tracks(other)
    assert (one.placed, one.regrets) == (other.placed, other.regrets)
    one.tracks, other.tracks = [], []
    assert one == other


@thorough
@given(any_runs())
def test_that_calls_taken_in_one_step_are_what_they_are_one_by_one(run: SimulatedRun) -> None:
    _same(run_log(run.inputs), _one_by_one(run.inputs))


@thorough
@given(sessions(turns=12, exchanges=6, longest=300).filter(with_calls), profiles(60_000))
def test_that_long_runs_of_the_fast_path_are_what_they_are_one_by_one(built: Session, profile: Profile) -> None:
    inputs = Inputs.gather(built, profile.model_copy(update={"standby_calls": 3}))
    _same(run_log(inputs), _one_by_one(inputs))


def _talk(exchanges: int) -> Session:
    said = [user("fix the login in src/auth.py")]
    for number in range(exchanges):
        tool = ("Read", "Grep", "Bash", "WebFetch")[number % 4]
        said += [assistant("", call(tool, file_path=f"src/part{number}.py")), result(filler(60))]
    return session(*said, assistant("done"))


def test_that_most_calls_of_a_long_session_are_not_stepped_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    stepped: list[int] = []
    advance = Stepper.advance

    def watched(self: Stepper, number: int) -> tuple[View, CallResult]:
        stepped.append(number)
        return advance(self, number)

    monkeypatch.setattr(Stepper, "advance", watched)
    run = replay(_talk(200), Profile())
    assert run.calls == 201
    assert run.paths.count("fast") == 201
    assert stepped == [1]


def _busy() -> Session:
    """Everything that a run of the fast path has to stop for, or to take along: tasks that end, files that are read
    again and edited, results that come late, notes of the harness, pauses."""
    said: list[Message] = []
    for task in range(5):
        said.append(user(f"now look at src/part{task}.py and its quota of {task} things"))
        for number in range(8):
            path = f"src/part{(task + number) % 4}.py"
            tool = ("Read", "Edit", "Read", "Grep", "Bash", "WebFetch")[(task + number) % 6]
            said += [assistant("", call(tool, file_path=path, command=path)), result(filler(25 + 9 * (number % 3)))]
        said += [developer("keep it short"), *_late(task), assistant(f"part {task} is done")]
    ticks = itertools.accumulate(700.0 if m.role == "user" and n else 5.0 for n, m in enumerate(said))
    timed = (replace(m, ts=tick) for m, tick in zip(said, ticks, strict=True))
    return session(*timed, seconds_apart=None)


def _late(task: int) -> list[Message]:
    slow, quick = call("Bash", command="sleep", call_id=f"s{task}"), call("Grep", pattern="x", call_id=f"q{task}")
    return [
        assistant("", slow, quick), result("quick", to=f"q{task}"), assistant("meanwhile"),
        result(filler(30), to=f"s{task}"),
    ]  # fmt: skip


@pytest.mark.parametrize("window", range(1_500, 6_500, 37))
def test_that_a_busy_session_taken_in_runs_is_what_it_is_one_by_one(window: int) -> None:
    threshold = (0.6, 0.97)[window % 2]
    profile = Profile(
        window=window, system_overhead=0, fast_path_threshold=threshold, standby_calls=4, protect_first_n=1,
        ttl_rules=(TtlRule(tool="WebFetch", ttl=60), *DEFAULT_TTL_RULES),
    )  # fmt: skip
    inputs = Inputs.gather(_busy(), profile)
    _same(run_log(inputs), _one_by_one(inputs))


def test_that_a_reference_whose_task_ended_in_a_run_keeps_what_it_refers_to() -> None:
    said = [user("fix the login in src/auth.py")]
    for number in range(4):
        said += [assistant("", call("Bash", command=f"pytest {number}")), result(filler(200))]
    said += [assistant("", call("WebFetch", url="x")), result(filler(1_000))]
    for number in range(3):
        said += [assistant("", call("Bash", command=f"ls {number}")), result(filler(20))]
    said += [assistant("done"), user("now the cart quota of the invoice totals, please"), assistant("yes")]
    inputs = Inputs.gather(session(*said), Profile(window=4_300, system_overhead=0, protect_first_n=0))
    log = run_log(inputs)
    decided, ended = log.paths.index("slow") + 1, inputs.standing.tasks[0].end
    assert log.paths[ended - 1] == "fast"
    assert [set(track.caps) for track in log.tracks if track.caps] == [{decided, ended}]
    assert len({cap for track in log.tracks for cap in track.caps.values()}) == 1
    _same(log, _one_by_one(inputs))


@pytest.mark.parametrize("basis", ["live", "full_log"])
def test_that_a_run_ends_before_the_call_that_passes_the_threshold(basis: str) -> None:
    profile = Profile(window=20_000, pressure_basis=basis, system_overhead=0)
    inputs = Inputs.gather(_talk(150), profile)
    log = run_log(inputs)
    first = log.paths.index("slow")
    assert log.history[first] >= inputs.budget.threshold > log.history[first - 1]
    _same(log, _one_by_one(inputs))


def test_that_what_a_person_changes_in_the_middle_of_a_run_takes_effect_there() -> None:
    built = _talk(120)
    changes = (HandChange(40, "archive", 30), HandChange(60, "pin", 30), Compaction(90, 2_000))
    inputs = Inputs.gather(built, Profile(), changes)
    log = run_log(inputs)
    assert 40 in log.by_hand
    assert log.paths[89] == "slow"
    _same(log, _one_by_one(inputs))


@settings(deadline=None)
@given(sessions().filter(with_calls))
def test_that_an_eager_lifecycle_is_stepped_one_by_one(built: Session) -> None:
    rules = (TtlRule(tool="*", ttl=1), *DEFAULT_TTL_RULES)
    inputs = Inputs.gather(built, Profile(eager_lifecycle=True, ttl_rules=rules))
    _same(run_log(inputs), _one_by_one(inputs))
