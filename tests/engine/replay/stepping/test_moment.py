from __future__ import annotations

from hypothesis import given

from ravenglass.replay import SimulatedRun
from ravenglass.replay.stepping.moment import rerun
from tests.engine.replay.runs import any_runs, states_and_forms, thorough


@thorough
@given(any_runs())
def test_that_running_a_call_again_gives_what_the_bulk_replay_got(run: SimulatedRun) -> None:
    log = run._log
    for number in range(1, run.calls + 1):
        again = rerun(run.inputs, log, number)
        result = again.result
        assert again.before == states_and_forms(run, number - 1)
        assert again.after == states_and_forms(run, number)
        assert (result.path, result.tokens) == (run.paths[number - 1], run.window_tokens[number - 1])
        assert result.history == again.history == log.history[number - 1]
        assert {tier: used[number - 1] for tier, used in log.tiers.items()} == result.tiers
        assert result.state_version == log.versions[number - 1]
        assert result.opening == log.openings[number - 1]
        assert result.moves.archived == log.archived.get(number, {})
        assert result.moves.retrieved == log.retrieved.get(number, ())
        assert result.moves.by_hand == log.by_hand.get(number, frozenset())
        assert result.impossible == (number in log.impossible)


@thorough
@given(any_runs())
def test_that_only_an_impossible_window_or_one_near_its_budget_is_incomplete(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        result = rerun(run.inputs, run._log, number).result
        if result.path == "fast":
            assert result.history < run.budget.threshold
            assert result.decision is None
        else:
            assert result.decision is not None
            assert result.assembled is not None
            assert result.tokens == result.assembled.verdict.tokens
