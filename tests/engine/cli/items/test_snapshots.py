"""`ravenglass snapshots` and `replay --rollback`."""

from __future__ import annotations

import json

import pytest

from ravenglass.hub.snapshots.compare import compare
from ravenglass.presets import load
from ravenglass.replay import SimulatedRun, branch, replay
from ravenglass.replay.snapshot_files import snapshot_files
from ravenglass.replay.stepping.changes import HandChange, RollBack, rolled_back
from ravenglass.resources import demo_session
from ravenglass.sessions import open_session
from tests.acceptance.run_cli import run

PROFILE = ("--profile", "tight-32k")


@pytest.fixture(scope="module")
def demo() -> SimulatedRun:
    return replay(open_session(demo_session()), load("tight-32k"))


def test_that_every_kept_snapshot_is_listed_with_the_bytes_of_its_file(demo: SimulatedRun) -> None:
    outcome = run("snapshots", demo_session(), *PROFILE, "--json")
    told = json.loads(outcome.printed)["snapshots"]
    files = {name: len(data) for name, data in snapshot_files(demo)}
    assert {f"{one['name']}.zst": one["bytes"] for one in told} == files
    assert [(one["step"], one["kind"], one["trigger"]) for one in told] == [
        (taken.step, taken.kind, taken.trigger) for taken in demo.snapshots()
    ]


def test_that_text_lists_step_task_and_why() -> None:
    lines = run("snapshots", demo_session(), *PROFILE).printed.split("\n")
    assert lines[1].split() == ["step", "task", "why", "it", "was", "taken", "kind", "bytes"]
    assert lines[2].split()[:5] == ["1", "1", "a", "task", "began"]


@pytest.mark.proof
def test_that_a_diff_says_what_changed_and_its_reverse_takes_it_back(demo: SimulatedRun) -> None:
    taken = demo.snapshots()
    first, second = demo.snapshot(taken[0]), demo.snapshot(taken[-1])
    there, back = compare(first, second), compare(second, first)
    assert (there.added, there.entered, there.left) == (back.removed, back.left, back.entered)
    assert {(m.message, m.before, m.after) for m in there.moved} == {(m.message, m.after, m.before) for m in back.moved}
    assert compare(first, first).empty
    outcome = run("snapshots", demo_session(), *PROFILE, "--diff", str(first.step), str(second.step), "--json")
    told = json.loads(outcome.printed)["diff"]
    assert [e["context_id"] for e in told["added"]] == [e.context_id for e in there.added]
    said = run("snapshots", demo_session(), *PROFILE, "--diff", str(first.step), str(second.step)).printed
    assert said.count("\n+ #") == len(there.added)


def test_that_a_step_without_a_snapshot_is_a_sentence() -> None:
    outcome = run("snapshots", demo_session(), *PROFILE, "--diff", "1", "99999")
    assert (outcome.code, outcome.printed) == (1, "")
    assert "There is no snapshot of call 99,999; the nearest are of " in outcome.said


@pytest.mark.proof
def test_that_a_rollback_keeps_what_was_and_goes_on_under_other_values(demo: SimulatedRun) -> None:
    step = demo.snapshots()[len(demo.snapshots()) // 2].step
    change = "fast_path_threshold=0.3"
    outcome = run("replay", demo_session(), *PROFILE, "--rollback", str(step), "--rollback-set", change, "--json")
    assert outcome.code == 0, outcome.said
    calls = json.loads(outcome.printed)["calls"]
    assert [c["window_tokens"] for c in calls[:step]] == list(demo.window_tokens[:step])
    later = load("tight-32k").model_copy(update={"fast_path_threshold": 0.3})
    other = branch(demo, step + 1, later)
    assert [c["window_tokens"] for c in calls[step:]] == list(other.window_tokens[step:])
    assert list(other.window_tokens[step:]) != list(demo.window_tokens[step:])


def test_that_a_rollback_alone_gives_the_same_windows(demo: SimulatedRun) -> None:
    step = demo.snapshots()[3].step
    outcome = run("replay", demo_session(), *PROFILE, "--rollback", str(step), "--json")
    assert [c["window_tokens"] for c in json.loads(outcome.printed)["calls"]] == list(demo.window_tokens)


def test_that_a_rollback_by_hand_drops_later_changes_and_is_in_the_trace(demo: SimulatedRun) -> None:
    taken = demo.snapshots()[3]
    early, late = HandChange(1, "pin", 0), HandChange(taken.step + 5, "pin", 2)
    changes = rolled_back((early, late), taken.step, taken.name, taken.task, demo.calls)
    assert changes == (early, RollBack(taken.step + 1, taken.name, taken.task, demo.calls))
    whole = replay(demo.session, demo.profile, changes)
    names = [event.event for event in whole.events(taken.step + 1)]
    assert "rolled_back" in names
    assert list(whole.window_tokens) == list(replay(demo.session, demo.profile, (early,)).window_tokens)
    joined = branch(demo, taken.step + 1, changes=changes[1:])
    assert "rolled_back" in [event.event for event in joined.events(taken.step + 1)]
