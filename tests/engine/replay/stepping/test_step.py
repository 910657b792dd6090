"""What the settings of a profile change in how calls follow on each other."""

from __future__ import annotations

import pytest
from hypothesis import given

from ravenglass.hub.item import Form, State
from ravenglass.profile import Profile
from ravenglass.replay import SimulatedRun, replay
from ravenglass.sessions.model.session import Message, Session
from tests.engine.builders import assistant, call, filler, profiles, result, session, sessions, system, user, with_calls
from tests.engine.replay.runs import thorough
from tests.engine.scheduler.views import plain


def _work(count: int, size: int = 300, tool: str = "Bash") -> list[Message]:
    """That many exchanges of about `size` tokens, no two with the same result."""
    calls = [assistant("", call(tool, pattern="x", command="make")) for _ in range(count)]
    results = [result(f"{n} {filler(size)}") for n in range(count)]
    return [m for exchange in zip(calls, results, strict=True) for m in exchange]


def _paths(run: SimulatedRun) -> str:
    return "".join(path[0] for path in run.paths)


@pytest.mark.rule("6.1")
@thorough
@given(sessions().filter(with_calls), profiles())
def test_that_the_fast_path_runs_exactly_below_the_threshold_and_within_c(built: Session, profile: Profile) -> None:
    run = replay(built, profile)
    for number in range(1, run.calls + 1):
        below = run.frame(number).history_tokens < run.budget.threshold
        assert (run.paths[number - 1] == "fast") <= below
        if below and run.paths[number - 1] != "fast":
            # Slow all the same only where everything live, with working state and mark, would pass C.
            assert run._reruns.get_or_make(number).history + _extras(run, number) > run.budget.available


def _extras(run: SimulatedRun, number: int) -> int:
    before = run._log.versions[number - 2] if number > 1 else -1
    opening = 14 + run.profile.message_overhead
    told = run._log.summary(number - 1)
    return run.inputs.rendered(before)[1] + opening + (told.tokens if told is not None else 0)


@pytest.mark.rule("6.2")
def test_that_full_log_measures_everything_ever_said() -> None:
    built = session(user("go"), *_work(12), assistant("end"))
    live = replay(built, plain(2_000, fast_path_threshold=0.6, trim_target=0.4))
    full = replay(built, plain(2_000, fast_path_threshold=0.6, trim_target=0.4, pressure_basis="full_log"))
    assert "f" in _paths(live).lstrip("f"), "the live set falls below the threshold again"
    assert _paths(full).lstrip("f").strip("s") == "", "the log never does"
    sizes = [full.frame(n).history_tokens for n in range(1, full.calls + 1)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == sum(full.inputs.standing.full[: full.inputs.features.known[full.calls]])


@pytest.mark.rule("5.18")
def test_that_a_low_trim_target_trims_rarely_and_a_full_one_often() -> None:
    built = session(user("go"), *_work(30), assistant("end"))
    low, full = (replay(built, plain(3_000, trim_target=t, fast_path_threshold=0.6)) for t in (0.3, 1.0))
    assert 0 < low.metrics.slow < full.metrics.slow
    assert low.metrics.cache_hit > full.metrics.cache_hit


@pytest.mark.rule("5.17")
def test_that_the_slow_path_packs_into_the_trim_target() -> None:
    quotas = {"quota_global": 0, "quota_session": 0, "quota_task": 1, "quota_atomic": 0}
    built = session(user("go"), *_work(30), assistant("end"))
    for target in (0.3, 0.45, 0.8):
        run = replay(built, plain(3_000, trim_target=target, fast_path_threshold=0.6, **quotas))
        packed = {run.window_tokens[n] for n, path in enumerate(run.paths) if path == "slow" and n > 6}
        # As many whole exchanges of 315 tokens as go into the target, beside the request.
        assert packed == {int((target * 3_000 - 1) // 315) * 315 + 1}


def test_that_borrowing_lends_what_the_task_tier_leaves() -> None:
    talk = [m for n in range(10) for m in (user(f"{n} {filler(200)}"), assistant(f"so {n}"))]
    built = session(*talk, user("end"), assistant("end"))
    own, lent = (
        replay(built, plain(2_000, quota_borrowing=b, trim_target=0.9, fast_path_threshold=0.5)) for b in (False, True)
    )
    assert own.metrics.slow
    assert lent.metrics.slow
    assert max(lent.tier_tokens["session"]) > max(own.tier_tokens["session"][5:])
    assert own.metrics.recall is None


@pytest.mark.rule("3.11")
def test_that_nothing_is_lent_to_the_global_tier() -> None:
    calls = [assistant("", call("Read", file_path=f"{n}/README.md")) for n in range(6)]
    read = [m for n, made in enumerate(calls) for m in (made, result(f"{n} {filler(150)}"))]
    built = session(system(filler(50)), user("go"), *read, *_work(4), assistant("end"))
    run = replay(built, plain(1_500, quota_borrowing=True, global_cap=1.0, trim_target=0.9))
    number = max(n for n in range(1, run.calls + 1) if run.paths[n - 1] == "slow")
    quota = run.budget.target * run.profile.quota_global
    assert run.tier_tokens["global"][number - 1] <= max(quota, 51)


@pytest.mark.rule("4.14", "4.15")
def test_that_a_released_look_up_stays_in_its_place_until_the_next_slow_path() -> None:
    built = session(user("go"), *_work(3, 200, "Grep"), assistant("end"))
    run = replay(built, plain(100_000))
    last = run.calls
    assert run.state(last, 1) is State.STANDBY
    assert run.row(last, 1).form is Form.FULL
    assert run.metrics.cache_breaks == 0


@pytest.mark.rule("4.13", "4.16")
def test_that_an_eager_lifecycle_shrinks_it_to_a_stub_at_the_next_call() -> None:
    built = session(user("go"), *_work(3, 200, "Grep"), assistant("end"))
    run = replay(built, plain(100_000, eager_lifecycle=True, stub_lines=1, stub_chars=40))
    assert run.row(2, 2).form is Form.FULL
    assert run.row(3, 2).form is Form.STUB
    assert run.window(3).messages[2].text != built.messages[2].text
    assert "cxt://" in run.window(3).messages[2].text
    assert set(run.paths) == {"fast"}


@pytest.mark.rule("4.14", "4.16")
def test_that_an_eager_lifecycle_takes_out_what_expired_or_whose_task_ended() -> None:
    messages = [
        user("one"), assistant("", call("Read", file_path="a.py")), result("old"), *_work(1), assistant("done"),
        user("now something entirely different"), assistant("", call("Write", file_path="a.py", content="n")),
        result("ok"), assistant("end"),
    ]  # fmt: skip
    eager = replay(session(*messages), plain(100_000, eager_lifecycle=True, task_boundary="every_user_message"))
    lazy = replay(session(*messages), plain(100_000, task_boundary="every_user_message"))
    last = eager.calls
    assert not eager.in_window(last, 4), "the work of the first task"
    assert not eager.in_window(last, 2), "the outdated file"
    assert all(eager.in_window(last, m) for m in (0, 5, 6, 7))
    assert all(lazy.in_window(last, m) for m in range(lazy.rows(last)))


@pytest.mark.rule("4.16")
def test_that_an_eager_lifecycle_takes_out_what_the_call_before_still_needed() -> None:
    messages = [user("one"), *_work(1), user("two"), *_work(1), user("three"), assistant("end")]
    run = replay(session(*messages), plain(100_000, eager_lifecycle=True, task_boundary="every_user_message"))
    assert run.row(2, 1).form is Form.FULL, "nobody has seen its result yet"
    assert run.row(2, 1).state is State.STANDBY
    assert run.row(3, 1).form is Form.OUT


@pytest.mark.rule("5.14")
def test_that_what_is_unused_for_long_enough_is_archived_on_the_fast_path_too() -> None:
    built = session(user("go"), *_work(5, 350), *_work(30, 1), assistant("end"))
    run = replay(built, plain(1_500, standby_calls=10, archive_below=0.0, fast_path_threshold=0.9, trim_target=0.5))
    archived = [e for e in run.archive() if run.paths[e.call - 1] == "fast"]
    assert archived
    for entry in archived:
        assert entry.reason == "unused for 10 calls"
        assert not run.in_window(entry.call - 10, entry.messages[0])
        assert run.in_window(entry.call - 11, entry.messages[0])


@pytest.mark.rule("5.13")
def test_that_what_scores_too_low_is_archived_on_the_slow_path() -> None:
    built = session(user("go"), *_work(20), assistant("end"))
    run = replay(built, plain(1_500, archive_below=0.9, standby_calls=1_000))
    assert run.archive()
    for entry in run.archive():
        assert "is below 0.90" in entry.reason
        assert run.paths[entry.call - 1] == "slow"
        assert run.state(entry.call - 1, entry.messages[0]) is State.STANDBY


@pytest.mark.rule("6.38")
def test_that_an_impossible_window_is_marked_and_holds_the_cut_request() -> None:
    built = session(user("fix this: " + "word " * 3_000), assistant("ok"), user("shorter"), assistant("fine"))
    run = replay(built, plain(1_000, output_reserve=0.5))
    window = run.window(1)
    assert window.impossible
    assert window.tokens <= 500
    assert window.messages[-1].id == 0
    assert "characters cut to fit; retrieve cxt://" in window.messages[-1].text
    assert run.frame(1).impossible
    assert not run.window(2).impossible
    assert run.metrics.impossible == 1
    assert run.warnings == (
        "1 calls are marked impossible (first: 1): the current user message alone does not fit 500 tokens.",
    )


@pytest.mark.rule("6.37")
def test_that_a_result_too_large_for_the_budget_is_cut_and_its_call_stays() -> None:
    huge = (assistant("look", call("Bash", command="cat log")), result(" ".join(f"row{n}" for n in range(4_000))))
    run = replay(session(user("ok"), *huge, assistant("end")), plain(1_000, message_overhead=4))
    window = run.window(2)
    assert not window.impossible
    assert [m.role for m in window.messages] == ["user", "assistant", "tool"]
    assert 900 < window.tokens <= 1_000
    assert window.messages[2].text.startswith("row0 row1")
    assert window.messages[2].text.endswith("row3999")
