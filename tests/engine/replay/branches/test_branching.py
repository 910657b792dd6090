from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import Cancelled
from ravenglass.profile import Profile
from ravenglass.replay import HandChange, SimulatedRun, branch, replay
from ravenglass.sessions.model.session import Message
from tests.engine.builders import assistant, call, filler, profiles, result, session, user
from tests.engine.replay.runs import any_runs, changes_for, orderly_runs, thorough
from tests.engine.replay.validity import problems
from tests.engine.scheduler.views import plain


def said(run: SimulatedRun, number: int) -> tuple[str, ...]:
    """Everything a run says about a call, as text: equal texts are equal bytes."""
    return (
        repr(run.window(number)), repr(run.frame(number)), repr(run.events(number)), repr(run.totals(number)),
        repr(run.registry(number)), repr(run.query(number, sort="score")),
    )  # fmt: skip


def whole(run: SimulatedRun) -> tuple[str, ...]:
    return repr(run.metrics), repr(run.regrets), repr(run.archive()), repr(run.markers()), repr(run.snapshots())


@pytest.mark.rule("9.6")
@thorough
@given(any_runs(), st.data())
def test_that_a_branch_that_changes_nothing_is_the_run_again(run: SimulatedRun, data: st.DataObject) -> None:
    at = data.draw(st.integers(1, run.calls))
    same = branch(run, at)
    assert whole(same) == whole(run)
    for number in range(1, run.calls + 1):
        assert said(same, number) == said(run, number)
        assert [repr(same.why(number, m)) for m in range(same.rows(number))] == [
            repr(run.why(number, m)) for m in range(run.rows(number))
        ]


@pytest.mark.rule("9.6", "9.7")
@thorough
@given(any_runs(), profiles(), st.data())
def test_that_a_branch_is_the_run_before_its_first_call_and_valid_after(
    run: SimulatedRun, profile: Profile, data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, run.calls))
    changes = [c for c in data.draw(changes_for(run.session)) if c.call >= at]
    before = [said(run, number) for number in range(1, at)]
    made = branch(run, at, profile, changes)
    assert [said(made, number) for number in range(1, at)] == before
    assert [said(run, number) for number in range(1, at)] == before
    for number in range(at, run.calls + 1):
        window, frame = made.window(number), made.frame(number)
        assert window.tokens == frame.tokens == sum(use.used for use in frame.tiers)
        assert window.tokens <= made.budget.available
        assert problems(window.messages) == []
        assert window.stable_tokens == made._log.prefix[number - 1]
        assert frame.included == sum(m.id is not None for m in window.messages)
        loop = made.loop(number)
        loop.run()
        assert loop.result is not None
        assert loop.result.tokens == window.tokens
        assert [e for e in loop.events if not e.event.startswith("curator_")] == [
            e for e in made.events(number) if not e.event.startswith("curator_")
        ]


@thorough
@given(any_runs(), profiles())
def test_that_a_branch_at_the_first_call_is_a_replay(run: SimulatedRun, profile: Profile) -> None:
    made, fresh = branch(run, 1, profile), replay(run.session, profile, run.changes)
    assert whole(made) == whole(fresh)
    assert [said(made, c) for c in range(1, run.calls + 1)] == [said(fresh, c) for c in range(1, run.calls + 1)]


@pytest.mark.rule("9.6")
@thorough
@given(any_runs(), st.data())
def test_that_a_flag_changed_in_a_branch_is_as_if_it_had_always_been_going_to(
    run: SimulatedRun, data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, run.calls))
    changes = [c for c in data.draw(changes_for(run.session)) if c.call >= at]
    made, fresh = branch(run, at, changes=changes), replay(run.session, run.profile, [*run.changes, *changes])
    assert whole(made) == whole(fresh)
    assert [said(made, c) for c in range(1, run.calls + 1)] == [said(fresh, c) for c in range(1, run.calls + 1)]


@pytest.mark.rule("9.7")
@thorough
@given(orderly_runs(), profiles(), profiles(), st.data())
def test_that_a_branch_of_a_branch_keeps_both_pasts(
    run: SimulatedRun, second: Profile, third: Profile, data: st.DataObject
) -> None:
    one = data.draw(st.integers(1, run.calls))
    two = data.draw(st.integers(1, run.calls))
    first = branch(run, one, second)
    made = branch(first, two, third)
    for number in range(1, two):
        assert said(made, number) == said(first, number)
    assert branch(made, two).metrics == made.metrics
    for number in range(two, run.calls + 1):
        assert made.window(number).tokens <= made.budget.available


def steps(count: int) -> list[Message]:
    return [m for _ in range(count) for m in (assistant("", call("Bash", command="ls")), result(filler(100)))]


def test_that_a_branch_counts_over_its_own_budget_only_where_it_holds() -> None:
    run = replay(session(user("go"), *steps(15), assistant("Done.")), plain(10_000))
    made = branch(run, 13, plain(1_000))
    assert made.window_tokens[:12] == run.window_tokens[:12]
    assert max(made.window_tokens[:12]) > 1_000 >= max(made.window_tokens[12:])
    assert (made.metrics.over_budget, made.origin, made.at) == (0, run, 13)


def test_that_what_the_new_profile_would_have_released_is_released_where_it_begins() -> None:
    talk = session(
        user("fix login"), *steps(2), assistant("Done."), user("and login again"), *steps(3), assistant("So.")
    )
    run = replay(talk)
    assert len(run.inputs.standing.tasks) == 1
    made = branch(run, 5, run.profile.with_values(task_boundary="every_user_message"))
    changed = [e for e in made.events(5) if e.event == "state_changed"]
    assert [(e.payload["to"], e.messages[0]) for e in changed] == [("standby", 1), ("standby", 3)]
    assert "Released at call 5, when its task had ended." in made.why(6, 2).reasons


def test_that_what_the_new_profile_would_have_let_expire_expires_where_it_begins() -> None:
    fetch = [assistant("", call("WebFetch", url="x")), result("page")]
    run = replay(session(user("go"), *fetch, *steps(4), assistant("Done.")))
    rule = {"tool": "WebFetch", "ttl": 20}
    made = branch(run, 5, run.profile.with_values(ttl_rules=(rule,)))
    changed = [e for e in made.events(5) if e.payload.get("to") == "expired"]
    assert [e.payload["reason"] for e in changed] == ["its time to live of 20 s (WebFetch) had passed"]


def test_that_a_profile_that_rewrites_texts_breaks_the_prefix_where_the_texts_differ() -> None:
    large = [assistant("", call("Bash", command="ls")), result("\n".join(f"line {n}" for n in range(400)))]
    profile = plain(100_000, offload_tokens=50, offload_after=0, trim_target=0.9, fast_path_threshold=0.0)
    run = replay(session(user("go"), *large, *steps(4), assistant("Done.")), profile)
    made = branch(run, 5, profile.with_values(stub_lines=1))
    before, now = run.window(4), made.window(5)
    same = [a.text == b.text for a, b in zip(before.messages, now.messages, strict=False)]
    assert now.stable_prefix == same.index(False)
    assert made._log.prefix[4] == now.stable_tokens == sum(m.tokens for m in now.messages[: now.stable_prefix])
    assert made.frame(5).cache_break == "#2 Bash"


def test_that_a_branch_begins_at_a_call_of_the_run_and_changes_nothing_before() -> None:
    run = replay(session(user("go"), *steps(2), assistant("Done.")))
    for number in (0, 4):
        with pytest.raises(IndexError, match=f"call {number} is not between 1 and 3"):
            branch(run, number)
    with pytest.raises(IndexError, match="a change at call 1 lies before call 2, where the branch begins"):
        branch(run, 2, changes=[HandChange(1, "pin", 0)])


def test_that_a_branch_can_be_cancelled() -> None:
    run = replay(session(user("go"), *steps(130), assistant("Done.")))
    with pytest.raises(Cancelled):
        branch(run, 2, progress=lambda *_: False)


def _state(run: SimulatedRun, number: int) -> str:
    return next((m.text for m in run.window(number).messages if m.label == "working state"), "")


def test_that_a_branch_under_other_limits_holds_the_working_state_of_the_same_moment() -> None:
    talk: list[Message] = []
    for n in range(8):
        wish = f"please fix topic{n} in file{n}.py" + f", and never touch config{n}.toml" * (n % 3 == 0)
        talk += [user(wish), *steps(1), assistant("ok done")]
    run = replay(session(*talk), plain(1_000, fast_path_threshold=0.8, trim_target=0.4))
    decided = next(n for n, path in enumerate(run.paths, 1) if path == "slow")
    profile = run.profile.with_values(max_goals=0)
    made = branch(run, decided + 1, profile)
    assert made.paths[decided] == "fast"
    assert len(made.inputs.versions) < len(run.inputs.versions)
    assert "config3" in _state(run, decided)
    assert _state(made, decided + 1) == _state(replay(session(*talk), profile), decided) != _state(run, decided)


def test_that_a_branch_of_a_branch_before_its_beginning_is_one_of_the_run_before() -> None:
    talk = session(
        user("fix login"), *steps(2), assistant("Done."), user("and login again"), *steps(3), assistant("So.")
    )
    run = replay(talk)
    late = branch(run, 6, run.profile.with_values(task_boundary="every_user_message"))
    made, expected = branch(late, 5), branch(run, 5, late.profile)
    assert [e.messages[0] for e in made.events(5) if e.event == "state_changed"] == [1, 3]
    assert [said(made, n) for n in range(5, run.calls + 1)] == [said(expected, n) for n in range(5, run.calls + 1)]


def test_that_a_branch_looks_for_regrets_in_the_texts_of_its_own_profile() -> None:
    table = "\n".join(f"row {n}: total = price_{n}_of * amount" for n in range(1, 200))
    large = [assistant("", call("Bash", command="cat")), result(table)]
    talk = session(user("go"), *large, *steps(4), assistant("I use price_5_of"), user("and"), assistant("end"))
    short = plain(100_000, offload_tokens=50, offload_after=0, trim_target=0.9, fast_path_threshold=0.0, stub_lines=1)
    long = short.with_values(stub_lines=20, stub_chars=4_000)
    assert [r.what for r in replay(talk, short).regrets] == ["price_5_of"]
    assert not replay(talk, long).regrets
    assert not branch(replay(talk, short), 2, long).regrets
    assert [r.what for r in branch(replay(talk, long), 2, short).regrets] == ["price_5_of"]


def test_that_a_branch_writes_nothing_into_the_log_of_its_run() -> None:
    run = replay(session(user("go"), *steps(15), assistant("Done.")), plain(1_000))
    before = run._log.copy()
    made = branch(run, 6, plain(1_200))
    assert made.calls == run.calls
    assert replace(run._log, tracks=[]) == replace(before, tracks=[])
