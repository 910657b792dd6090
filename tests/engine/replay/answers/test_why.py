from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from ravenglass.hub.item import State
from ravenglass.replay import HandChange, SimulatedRun, replay
from tests.engine.builders import assistant, call, filler, result, session, system, user
from tests.engine.replay.runs import any_runs, included, thorough
from tests.engine.scheduler.views import plain


def every_slow_path_run_again(run: SimulatedRun, call: int, group: int) -> int | None:
    """The call whose decision explains a group, found by running each of the latest eight slow paths again."""
    slow = [c for c in range(call, 0, -1) if run.paths[c - 1] != "fast"]
    left = run._log.tracks[group].out_since(call)
    for decided in [c for c in slow if c >= left][:8]:
        decision = run.rerun(decided).result.decision
        if not left or (decision is not None and group in decision.ranks):
            return decided
    return (left if left in slow else slow[0]) if slow else None


@thorough
@given(any_runs())
def test_that_passing_over_slow_paths_that_cannot_have_ranked_a_group_changes_no_answer(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        for message in range(run.rows(number)):
            group = run.session.structure.group_of[message]
            ruling = run._ruling(number, group)
            decided = None if ruling is None else ruling.result.call
            assert decided == every_slow_path_run_again(run, number, group)


@thorough
@given(any_runs())
def test_that_in_or_out_is_what_the_window_says(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        ids = included(run, number)
        for message in range(run.rows(number)):
            why = run.why(number, message)
            assert why.included == (message in ids)
            assert (why.message, why.call) == (message, number)


@thorough
@given(any_runs())
def test_that_the_score_is_the_formula_over_the_parts_it_shows(run: SimulatedRun) -> None:
    p = run.profile
    for number in range(1, run.calls + 1):
        for message in range(run.rows(number)):
            why = run.why(number, message)
            assert why.weights == (p.weight_relevance, p.weight_recency, p.weight_source)
            parts = (why.relevance, why.recency, why.reliability)
            assert all(0 <= part <= 1 + 1e-9 for part in parts)
            assert why.score == pytest.approx(sum(w * part for w, part in zip(why.weights, parts, strict=True)))


@thorough
@given(any_runs())
def test_that_every_reason_is_a_sentence(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        for message in range(run.rows(number)):
            why = run.why(number, message)
            for sentence in (why.headline, *why.reasons):
                assert sentence[0].isupper()
                assert sentence.endswith(".")
                assert "None" not in sentence


@thorough
@given(any_runs())
def test_that_a_life_covers_the_calls_that_know_the_message_without_a_gap(run: SimulatedRun) -> None:
    for message in range(run.rows(run.calls) if run.calls else 0):
        spans = run.life(message)
        assert spans[-1].last == run.calls
        for before, after in pairwise(spans):
            assert after.first == before.last + 1
            assert (before.state, before.form) != (after.state, after.form) or before.form.label == "shrunk"
        for span in spans:
            assert run.state(span.first, message) is run.state(span.last, message) is span.state


def _pressed(*changes: HandChange, **more: object) -> SimulatedRun:
    messages = [user("fix the login in src/auth.py")]
    for number in range(10):
        command = "pytest src/auth.py" if number == 0 else f"make step{number}"
        messages += [assistant("", call("Bash", command=command)), result(f"{number} {filler(400)}")]
    quotas = {"quota_global": 0, "quota_session": 0, "quota_task": 1, "quota_atomic": 0}
    profile = plain(1_800, **{**quotas, "fast_path_threshold": 0.7, "trim_target": 0.5, **more})
    return replay(session(*messages, assistant("end")), profile, changes)


def test_that_the_fast_path_says_how_far_the_threshold_is() -> None:
    why = replay(session(user("hello"), assistant("hi"))).why(1, 0)
    assert why.headline == "Everything live passes: history 5 tokens is under the fast path threshold of 55,800."
    assert (why.decided_at, why.rank, why.ranked, why.cut_rank) == (0, None, 0, None)


def test_that_what_was_cut_says_its_rank_its_need_and_what_was_left() -> None:
    run = _pressed()
    number = next(n for n in range(3, run.calls + 1) if not run.in_window(n, 3))
    why = run.why(number, 3)
    assert why.decided_at == number
    assert why.rank is not None
    assert why.cut_rank is not None
    assert why.rank >= why.cut_rank
    assert why.headline.startswith(f"It is out because it ranked {why.rank} of {why.ranked} in the task tier")
    assert "It stands or goes with #4: a group is never split." in why.reasons


def test_that_what_shares_entities_with_the_request_names_them() -> None:
    run = _pressed()
    why = run.why(run.calls, 1)
    assert "src/auth.py" in why.matched
    assert why.relevance > run.why(run.calls, 5).relevance == 0


def test_that_what_came_after_the_last_slow_path_says_so() -> None:
    run = _pressed()
    number = next(n for n in range(2, run.calls + 1) if run.paths[n - 1] == "fast" and "slow" in run.paths[: n - 1])
    newest = run.rows(number) - 1
    at = max(n for n in range(1, number) if run.paths[n - 1] == "slow")
    assert run.why(number, newest).headline == (f"It is in because it is newer than the last slow path, at call {at}.")


def test_that_what_is_always_in_says_why() -> None:
    run = _pressed(protect_first_n=1)
    last = run.calls
    assert run.why(last, 1).headline == (
        "It is in because it belongs to the protected head of the session (first 1 exchanges)."
    )
    assert "current request or the newest group" in run.why(last, run.rows(last) - 1).headline
    pinned = _pressed(HandChange(4, "pin", 5))
    assert "It is in because it is pinned" in pinned.why(last, 5).headline


def test_that_what_was_archived_after_it_was_kept_is_not_said_to_have_missed_its_quota() -> None:
    run = _pressed()
    slow = next(n for n in range(1, run.calls + 1) if run.paths[n - 1] == "slow" and run.paths[n] == "fast")
    kept = next(m for m in range(1, run.rows(slow - 1)) if run.in_window(slow, m))
    branch = _pressed(HandChange(slow + 1, "archive", kept))
    why = branch.why(slow + 1, kept)
    assert not why.included
    assert why.headline == f"It left after the slow path at call {slow}."
    assert f"Archived at call {slow + 1}: archived by hand." in why.reasons


def test_that_outdated_content_names_file_and_message() -> None:
    messages = [
        user("go"), assistant("", call("Read", file_path="a.py")), result("old text"),
        assistant("", call("Write", file_path="a.py", content="new")), result("written"), assistant("end"),
    ]  # fmt: skip
    run = replay(session(*messages), plain(50_000))
    assert run.state(3, 2) is State.EXPIRED
    assert "Its content is outdated: a.py was written in #3." in run.why(3, 2).reasons


def test_that_a_released_look_up_says_when() -> None:
    messages = [user("go"), assistant("", call("Grep", pattern="x")), result("found"), assistant(""), assistant("end")]
    run = replay(session(*messages), plain(50_000))
    assert "Released at call 3, when its response had been given." in run.why(3, 2).reasons


def test_that_the_cap_on_protection_is_named_with_its_figures() -> None:
    run = _pressed(protect_first_n=1, protected_cap=0.1)
    number = next(n for n in range(1, run.calls + 1) if run.paths[n - 1] == "slow")
    assert any("over their cap of 180" in reason for reason in run.why(number, 1).reasons)


def test_that_a_demoted_instruction_file_says_so() -> None:
    built = session(
        system("x"),
        user("go"),
        assistant("", call("Read", file_path="CLAUDE.md")),
        result(filler(300)),
        assistant("ok"),
    )
    why = replay(built, plain(1_000, global_cap=0.1)).why(2, 3)
    assert any(r.startswith("Demoted from global to task when it was registered: the global tier") for r in why.reasons)


def test_that_a_message_not_known_yet_has_no_explanation() -> None:
    with pytest.raises(IndexError, match="message 3 is not known at call 1"):
        _pressed().why(1, 3)
