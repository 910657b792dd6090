"""What pressure does to groups, and what the trace says of it."""

from __future__ import annotations

import pytest
from hypothesis import given

from ravenglass.hub.item import Form, State
from ravenglass.profile import Profile
from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.stepping.moment import rerun
from ravenglass.sessions.model.session import Message, Session
from ravenglass.trace import TraceEvent
from tests.engine.builders import assistant, call, filler, profiles, result, session, user, valid_sessions, with_calls
from tests.engine.replay.runs import any_runs, runs, thorough
from tests.engine.scheduler.views import plain


def work(*sizes: int, tool: str = "Bash") -> list[Message]:
    """Exchanges of about that many tokens, no two with the same result."""
    made = ((assistant("", call(tool, command="x")), result(f"{n} {filler(size)}")) for n, size in enumerate(sizes))
    return [m for exchange in made for m in exchange]


def events(run: SimulatedRun, name: str) -> list[TraceEvent]:
    return [e for number in range(1, run.calls + 1) for e in run.events(number) if e.event == name]


@pytest.mark.rule("3.5", "5.12")
@thorough
@given(runs())
def test_that_what_is_ranked_and_does_not_fit_goes_to_standby_and_no_further(run: SimulatedRun) -> None:
    tier_of = run.inputs.standing.tier
    for number in range(1, run.calls + 1):
        again = rerun(run.inputs, run._log, number)
        decision, assembled = again.result.decision, again.result.assembled
        if decision is None or assembled is None:
            continue
        for g in decision.ranks:
            if g not in assembled.placed:
                # What was on standby before may be archived for its score or its age; what is cut now is not.
                fresh = again.intake[0][g] == State.ACTIVE
                assert again.after[0][g] == State.STANDBY or (not fresh and again.after[0][g] == State.ARCHIVED)
                assert again.after[1][g] == Form.OUT
        for tier, cut in decision.cuts.items():
            ranks = (decision.ranks[g] for g in decision.ranks if g not in decision.include and tier_of[g] == tier)
            assert min(ranks, default=None) == cut.cut_rank


@pytest.mark.rule("3.8")
@thorough
@given(any_runs())
def test_that_a_tier_in_which_something_did_not_fit_is_named_with_its_figures(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        decision = rerun(run.inputs, run._log, number).result.decision
        cuts = decision.cuts if decision is not None else {}
        expected = {tier: cut for tier, cut in cuts.items() if cut.cut_rank is not None}
        told = {str(e.payload["tier"]): e.payload for e in run.events(number) if e.event == "quota_exceeded"}
        assert set(told) == set(expected)
        for tier, cut in expected.items():
            payload = told[tier]
            assert (payload["quota"], payload["used"], payload["cut_rank"]) == (cut.quota, cut.used, cut.cut_rank)
            assert int(str(payload["needed_at_cut"])) > int(str(payload["left_at_cut"]))


@pytest.mark.rule("6.3")
def test_that_on_the_fast_path_a_tier_over_its_quota_is_shown_and_everything_stays() -> None:
    run = replay(session(user("go"), *work(300, 300, 300), assistant("end")), plain(2_000, quota_task=0.1))
    frame = run.frame(run.calls)
    assert frame.path == "fast"
    task = next(use for use in frame.tiers if use.tier == "task")
    assert (task.quota, task.share > 4) == (200, True)
    assert all(run.in_window(run.calls, m) for m in range(run.rows(run.calls)))
    assert events(run, "quota_exceeded") == []


@pytest.mark.rule("5.18")
@thorough
@given(valid_sessions().filter(with_calls), profiles())
def test_that_between_slow_paths_the_window_only_grows_at_its_end(built: Session, profile: Profile) -> None:
    run = replay(built, profile.with_values(eager_lifecycle=False))
    for number in range(2, run.calls + 1):
        if run.paths[number - 1] == "fast":
            before, now = run.window(number - 1).messages, run.window(number).messages
            assert [(m.id, m.text, m.tokens) for m in now[: len(before)]] == [(m.id, m.text, m.tokens) for m in before]
            assert run.frame(number).cache_break == ""


@pytest.mark.rule("5.20")
def test_that_a_target_at_the_threshold_takes_the_slow_path_at_every_call() -> None:
    built = session(user("go"), *work(*[300] * 20), assistant("end"))
    quotas = {"quota_global": 0, "quota_session": 0.1, "quota_task": 0.9, "quota_atomic": 0}
    run = replay(built, plain(3_000, fast_path_threshold=0.5, trim_target=0.9, **quotas))
    first = run.paths.index("slow")
    assert 0 < first < 8
    assert set(run.paths[first:]) == {"slow"}
    rarely = replay(built, plain(3_000, fast_path_threshold=0.5, trim_target=0.3, **quotas))
    assert "fast" in rarely.paths[first:]


@pytest.mark.rule("6.37")
def test_that_a_group_that_is_cut_or_offloaded_is_an_event_with_both_sizes() -> None:
    run = replay(session(user("ok"), *work(4_000), assistant("end")), plain(1_000))
    (shrunk,) = events(run, "offloaded")
    assert shrunk.payload["form"] == "shrunk"
    assert int(str(shrunk.payload["tokens"])) <= 1_000 < int(str(shrunk.payload["full_tokens"]))
    assert shrunk.messages == (1, 2)


@pytest.mark.rule("5.11")
def test_that_what_is_told_by_reference_is_an_event_with_both_sizes() -> None:
    same = [m for _ in range(3) for m in (assistant("", call("Bash", command="x")), result(filler(300)))]
    quotas = {"quota_global": 0, "quota_session": 0.1, "quota_task": 0.9, "quota_atomic": 0}
    talk = session(user("go"), *same, user("next"), assistant("end"))
    run = replay(talk, plain(1_500, fast_path_threshold=0.3, **quotas))
    told = events(run, "deduplicated")
    assert told
    assert {e.payload["form"] for e in told} == {"reference"}
    assert all(int(str(e.payload["tokens"])) < int(str(e.payload["full_tokens"])) for e in told)


@pytest.mark.rule("5.8")
@thorough
@given(any_runs())
def test_that_the_history_stands_in_the_order_in_which_it_was_said(run: SimulatedRun) -> None:
    first = [group.messages[0] for group in run.session.structure.groups]
    for number in range(1, run.calls + 1):
        history = [m for m in run.window(number).messages if m.section == "history" and m.group is not None]
        said = [first[m.group] for m in history if m.group is not None]
        assert said == sorted(said)
