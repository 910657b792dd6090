from __future__ import annotations

import pytest
from hypothesis import given

from ravenglass.hub.item import State
from ravenglass.replay import SimulatedRun, replay
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.replay.runs import any_runs, states_and_forms, thorough
from tests.engine.scheduler.views import plain


@thorough
@given(any_runs())
def test_that_a_frame_says_what_the_run_says(run: SimulatedRun) -> None:
    session = run.session
    for number in range(1, run.calls + 1):
        frame, window, totals = run.frame(number), run.window(number), run.totals(number)
        assert (frame.call, frame.path, frame.impossible) == (number, window.path, window.impossible)
        assert frame.known == run.rows(number) == session.structure.calls[number - 1].message
        assert frame.response == session.structure.calls[number - 1].message
        prompts = [m.id for m in session.messages[: frame.known] if m.role == "user" and m.kind == "prompt"]
        assert frame.user_message == (prompts[-1] if prompts else None)
        assert {use.tier: use.used for use in frame.tiers} == totals.by_tier
        assert (totals.path, totals.tokens, totals.evicted) == (frame.path, frame.tokens, frame.evicted)
        assert {use.tier: use.quota for use in frame.tiers} == run.budget.quotas
        assert all(0 <= use.exempt <= use.used for use in frame.tiers)
        assert 0 <= frame.cache_hit <= 1


@thorough
@given(any_runs())
def test_that_looking_changes_nothing(run: SimulatedRun) -> None:
    tracks = [(list(t.calls), list(t.codes), dict(t.caps)) for t in run._log.tracks]
    tokens, metrics = list(run.window_tokens), repr(run.metrics)
    for number in range(1, run.calls + 1):
        run.frame(number), run.window(number), run.events(number), run.query(number, "tokens>3", "score")
        for message in range(run.rows(number)):
            run.row(number, message), run.why(number, message), run.life(message)
        run.loop(number).run()
    assert [(list(t.calls), list(t.codes), dict(t.caps)) for t in run._log.tracks] == tracks
    assert (list(run.window_tokens), repr(run.metrics)) == (tokens, metrics)


@thorough
@given(any_runs())
def test_that_a_state_never_goes_back_to_registered_and_unknown_groups_have_none(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        states, forms = states_and_forms(run, number)
        known = run.inputs.features.known[number]
        assert State.REGISTERED not in states[:known]
        assert set(states[known:]) <= {State.REGISTERED}
        assert set(forms[known:]) <= {0}


def _run() -> SimulatedRun:
    work = [m for n in range(6) for m in (assistant("", call("Bash", command="make")), result(f"{n} {filler(200)}"))]
    return replay(session(user("fix the login"), *work, assistant("end")), plain(100_000))


@pytest.mark.parametrize("number", [0, -1, 8, 99])
def test_that_a_call_that_is_not_there_is_named(number: int) -> None:
    run = _run()
    for look in (
        run.frame,
        run.window,
        run.events,
        run.loop,
        run.totals,
        lambda n: run.row(n, 0),
        lambda n: run.why(n, 0),
    ):
        with pytest.raises(IndexError, match=f"call {number} is not between 1 and 7"):
            look(number)


def test_that_a_message_not_known_yet_has_no_row_and_is_in_no_window() -> None:
    run = _run()
    with pytest.raises(IndexError, match="message 3 is not known at call 2"):
        run.row(2, 3)
    assert not run.in_window(2, 3)
    assert run.state(2, 3) is State.REGISTERED


def test_that_the_working_state_of_a_frame_is_the_one_of_its_call() -> None:
    built = session(user("fix the login"), assistant("ok"), user("Never touch the database."), assistant("fine"))
    run = replay(built)
    assert [line.text for line in run.frame(1).working_state.goals] == ["fix the login"]
    assert run.frame(1).working_state.decisions == ()
    assert [line.text for line in run.frame(2).working_state.decisions] == ["Never touch the database."]


@pytest.mark.rule("3.7")
def test_that_the_share_of_a_tier_passes_one_where_exempt_groups_do() -> None:
    built = session(user(filler(600)), assistant("ok"), user("next"), assistant("end"))
    run = replay(built, plain(1_000, protect_first_n=2, protected_cap=1.0, trim_target=0.3, fast_path_threshold=0.1))
    use = next(u for u in run.frame(2).tiers if u.tier == "session")
    assert use.exempt >= 601
    assert use.share > 2
