"""How much of what windows hold had been sent before: the figures against a plain count over the windows."""

from __future__ import annotations

import pytest
from hypothesis import given

from ravenglass.replay import HandChange, SimulatedRun, branch
from ravenglass.replay import replay as run_replay
from ravenglass.replay.figures import Injection
from ravenglass.replay.recorded.run import recorded_run
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.replay.runs import any_runs, thorough
from tests.engine.scheduler.views import plain


def _counted(run: SimulatedRun) -> list[Injection]:
    """Message by message, from the windows alone."""
    sent: set[object] = set()
    found = []
    for number in range(1, run.calls + 1):
        again = doubled = 0
        here: set[object] = set()
        now: set[object] = set()
        for m in run.window(number).messages:
            calls = tuple((name, arguments) for _, name, arguments in m.tool_calls)
            what: object = (m.text, calls)
            if m.label.endswith(": no result recorded"):
                what = (m.group, m.tool_call_id)
            elif not m.text and not calls:
                what = (m.id, m.verbatim)
            again += m.tokens * (what in sent or what in now)
            doubled += m.tokens * (what in here)
            here.add(what)
            now.add(what)
        sent |= now
        found.append(Injection(run.window(number).tokens, again, doubled))
    return found


@pytest.mark.rule("11.5")
@thorough
@given(any_runs())
def test_that_the_figures_are_what_a_count_over_the_windows_gives(run: SimulatedRun) -> None:
    expected = _counted(run)
    for number, counted in enumerate(expected, start=1):
        told = run.injection(number)
        assert (told.tokens, told.doubled) == (counted.tokens, counted.doubled)
        assert told.again == counted.again
    assert run.metrics.injection == sum(expected, Injection())


@pytest.mark.rule("11.5")
def test_that_a_file_read_again_is_injected_again() -> None:
    read = (assistant("", call("Read", file_path="a.py")), result(filler(96)))
    built = session(user("go"), *read, *read, assistant("end"))
    run = run_replay(built, plain(message_overhead=0))
    third = run.injection(3)
    assert third.doubled == run.window_tokens[2] - run.window_tokens[1]
    assert third.again == third.tokens
    assert run.injection(1).ratio == 0
    assert Injection().ratio is None
    happened = recorded_run(built, plain(message_overhead=0))
    assert happened.injection(3) == third
    assert happened.metrics.injection == run.metrics.injection


@pytest.mark.rule("11.5")
def test_that_what_stood_twice_and_left_once_stands_there_once() -> None:
    read = (assistant("", call("Bash", command="make")), result(filler(96)))
    more = (assistant("", call("Bash", command="ls")), result("ok"))
    built = session(user("go"), *read, *read, *more, *more, assistant("end"))
    run = run_replay(built, plain(message_overhead=0), [HandChange(4, "archive", 1)])
    assert run.injection(3).doubled > 96
    assert run.injection(4).doubled == 0
    assert [run.injection(n) for n in range(1, run.calls + 1)] == _counted(run)


@pytest.mark.rule("11.5")
def test_that_a_branch_whose_profile_rewrites_texts_injects_the_new_ones_as_new() -> None:
    large = [assistant("", call("Bash", command="ls")), result("\n".join(f"line {n}" for n in range(400)))]
    small = [(assistant("", call("Bash", command=f"make {n}")), result(f"{n}")) for n in range(4)]
    built = session(user("go"), *large, *(m for step in small for m in step), assistant("Done."))
    profile = plain(100_000, offload_tokens=50, offload_after=0, trim_target=0.9, fast_path_threshold=0.0)
    run = run_replay(built, profile)
    made = branch(run, 5, profile.with_values(stub_lines=1))
    assert [made.injection(n) for n in range(1, run.calls + 1)] == _counted(made) != _counted(run)
