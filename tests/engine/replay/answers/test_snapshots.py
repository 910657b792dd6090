from __future__ import annotations

from dataclasses import replace

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import StoreError
from ravenglass.hub.snapshots.compare import compare
from ravenglass.hub.snapshots.format import base_name, decode, encode
from ravenglass.hub.snapshots.snapshot import Snapshot, Taken
from ravenglass.profile import Profile, make_profile
from ravenglass.replay import HandChange, SimulatedRun, replay, rollback
from ravenglass.replay.answers.snapshots import places, restored, snapshot
from ravenglass.replay.snapshot_files import snapshot_files
from ravenglass.sessions.model.session import Message
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.replay.runs import any_runs, states_and_forms, thorough


def steps(count: int, tokens: int = 20) -> list[Message]:
    return [m for _ in range(count) for m in (assistant("", call("Bash", command="ls")), result(filler(tokens)))]


def long_run(**values: object) -> SimulatedRun:
    talk = [
        user("fix login"),
        *steps(9),
        assistant("Done."),
        user("now the cache quota"),
        *steps(5),
        assistant("Done."),
    ]
    return replay(session(*talk), make_profile(task_boundary="every_user_message", **values))


def taken(run: SimulatedRun, number: int | None = None) -> list[tuple[int, str, str]]:
    return [(t.step, t.kind, t.trigger) for t in run.snapshots(number)]


def content(run: SimulatedRun, one: Taken) -> Snapshot:
    return run.snapshot(one)


@pytest.mark.rule("9.1")
def test_that_a_snapshot_is_taken_every_three_tool_calls_and_at_the_start_of_a_task() -> None:
    run = long_run(snapshot_keep=100)
    assert taken(run) == [
        (1, "full", "task"),
        (4, "difference", "tool_calls"),
        (7, "difference", "tool_calls"),
        (10, "difference", "tool_calls"),
        (11, "full", "task"),
        (14, "difference", "tool_calls"),
    ]
    assert run.markers()["snapshot_taken"] == (1, 4, 7, 10, 11, 14)


@pytest.mark.rule("9.1")
def test_that_a_large_change_does_not_wait_for_tool_calls() -> None:
    talk = [user("go"), *steps(1, 6_000), *steps(2), assistant("Done.")]
    assert taken(replay(session(*talk))) == [(1, "full", "task"), (2, "difference", "change")]


@pytest.mark.rule("9.4")
def test_that_the_first_and_the_latest_few_of_each_task_are_kept() -> None:
    run = long_run(snapshot_keep=1)
    assert [step for step, *_ in taken(run)] == [1, 10, 11, 14]
    assert [step for step, *_ in taken(run, 9)] == [1, 7]
    assert taken(run, 0) == []


def test_that_the_trace_says_what_was_taken_and_what_was_deleted() -> None:
    run = long_run(snapshot_keep=1)
    payloads = {
        number: event.payload
        for number in range(1, run.calls + 1)
        for event in run.events(number)
        if event.event == "snapshot_taken"
    }
    assert list(payloads) == [1, 4, 7, 10, 11, 14]
    assert payloads[7] == {
        "snapshot": "task-1-call-7", "step": 7, "task": 0, "kind": "difference", "trigger": "tool_calls",
        "base": "task-1-call-1", "deleted": ["task-1-call-4"],
    }  # fmt: skip


@pytest.mark.rule("9.2")
def test_that_a_snapshot_holds_the_instruction_the_registry_the_places_and_the_latest_messages() -> None:
    run = long_run()
    held = content(run, run.snapshots()[-1])
    assert (held.step, held.task, held.request) == (14, 1, 20)
    assert held.instruction == "now the cache quota"
    assert held.entries == run.registry(14).entries
    assert bytes(p.state for p in held.places) == states_and_forms(run, 14)[0][: len(held.places)]
    assert list(held.latest) == [m.id for m in run.window(14).messages if m.id is not None]


def test_that_no_tool_output_is_in_the_bytes() -> None:
    secret = "the answer is 42"
    run = replay(session(user("go"), assistant("", call("Bash", command="ls")), result(secret), assistant("Done.")))
    data = encode(snapshot(run.inputs, run._log, 2, 0))
    assert secret.encode() not in zstandard.ZstdDecompressor().decompress(data)


@pytest.mark.rule("9.3")
@thorough
@given(any_runs())
def test_that_a_snapshot_reads_back_as_it_was_written(run: SimulatedRun) -> None:
    contents = {t.step: content(run, t) for t in run.snapshots()}
    for one in run.snapshots():
        held = contents[one.step]
        base = None if one.kind == "full" else contents[one.base]
        data = encode(held, base)
        assert data == encode(held, base)
        assert decode(data, base) == held
        assert base_name(data) == (base.name if base else None)
        assert decode(encode(held)) == held


@pytest.mark.rule("5.24")
@thorough
@given(any_runs())
def test_that_the_same_run_twice_gives_the_same_bytes(run: SimulatedRun) -> None:
    again = replay(replace(run.session, derived={}), run.profile, run.changes)
    assert list(snapshot_files(again)) == list(snapshot_files(run))


@pytest.mark.rule("9.5")
@thorough
@given(any_runs(), st.data())
def test_that_going_back_to_a_snapshot_equals_never_having_left(run: SimulatedRun, data: st.DataObject) -> None:
    contents = {t.step: content(run, t) for t in run.snapshots()}
    one = data.draw(st.sampled_from(run.snapshots()))
    base = None if one.kind == "full" else contents[one.base]
    held = decode(encode(contents[one.step], base), base)
    back = rollback(run, held)
    assert back.calls == run.calls
    assert repr(back.metrics) == repr(run.metrics)
    assert back.regrets == run.regrets
    for number in range(1, run.calls + 1):
        assert back.registry(number) == run.registry(number)
        assert repr(back.window(number)) == repr(run.window(number))
        assert repr(back.frame(number)) == repr(run.frame(number))
        events = [e for e in back.events(number) if e.event != "rolled_back"]
        assert repr(events) == repr(list(run.events(number)))
    assert back.snapshots() == run.snapshots()


@pytest.mark.rule("9.5")
@thorough
@given(any_runs(), st.data())
def test_that_a_restored_stepper_stands_where_the_snapshot_was_taken(run: SimulatedRun, data: st.DataObject) -> None:
    one = data.draw(st.sampled_from(run.snapshots()))
    held = content(run, one)
    stepper = restored(run.inputs, held)
    assert tuple(places(stepper.live, len(held.places))) == held.places
    assert stepper.included == run.frame(one.step).included
    assert stepper.state_version == held.working_state


def test_that_a_rollback_is_in_the_trace_and_on_the_timeline() -> None:
    run = long_run()
    back = rollback(run, content(run, run.snapshots()[1]))
    assert back.markers()["rolled_back"] == (5,)
    assert [e.event for e in back.events(5)][:2] == ["curator_start", "rolled_back"]
    assert back.events(5)[1].payload == {"snapshot": "task-1-call-4", "step": 4, "task": 0, "from_call": 16}
    again = rollback(back, content(back, back.snapshots()[0]))
    assert again.markers()["rolled_back"] == (2,)


def test_that_going_back_to_the_last_call_leaves_nothing_to_do() -> None:
    run = replay(session(user("go"), assistant("Done.")))
    back = rollback(run, content(run, run.snapshots()[0]))
    assert (back.calls, back.window(1)) == (1, run.window(1))


def test_that_a_snapshot_of_another_session_or_run_is_refused() -> None:
    run = long_run()
    held = content(run, run.snapshots()[1])
    other = replay(session(user("go"), *steps(1), assistant("Done."), user("x"), *steps(4), assistant("Done.")))
    with pytest.raises(StoreError, match="of a session with 4 groups at call 4"):
        rollback(other, held)
    changed = replay(run.session, run.profile, [HandChange(3, "archive", 1)])
    with pytest.raises(StoreError, match="task-1-call-4 is of another run of this session"):
        rollback(changed, held)
    with pytest.raises(StoreError, match="a working state that this session does not have"):
        rollback(run, replace(held, working_state=99))
    short = replay(session(user("go"), assistant("Done.")))
    with pytest.raises(IndexError, match="call 4 is not between 1 and 1"):
        rollback(short, held)


def test_that_damaged_bytes_are_refused_with_a_sentence() -> None:
    run = long_run()
    full, held = content(run, run.snapshots()[0]), content(run, run.snapshots()[1])
    data = encode(held, full)
    with pytest.raises(StoreError, match="are no snapshot"):
        decode(data[:-3])
    with pytest.raises(StoreError, match="are no snapshot"):
        decode(b"hello")
    with pytest.raises(StoreError, match="are no snapshot; nothing"):
        decode(zstandard.compress(b"[1]"))
    with pytest.raises(StoreError, match="has version 3 of its format, this program reads 2"):
        decode(zstandard.compress(b'{"format":"ravenglass-snapshot","version":3,"name":"x"}'))
    with pytest.raises(StoreError, match="The snapshot x is damaged"):
        decode(zstandard.compress(b'{"format":"ravenglass-snapshot","version":1,"name":"x"}'))


def test_that_a_difference_needs_what_it_refers_to() -> None:
    run = long_run()
    full, held = content(run, run.snapshots()[0]), content(run, run.snapshots()[1])
    with pytest.raises(StoreError, match="task-1-call-4 is a difference from task-1-call-1, not from none"):
        decode(encode(held, full))
    with pytest.raises(StoreError, match="not from task-1-call-4"):
        decode(encode(held, full), held)


def test_that_a_difference_from_another_snapshot_of_that_name_is_refused() -> None:
    run = long_run()
    full, held = content(run, run.snapshots()[0]), content(run, run.snapshots()[1])
    other = replace(full, instruction="something else")
    with pytest.raises(StoreError, match="task-1-call-4 is a difference from another task-1-call-1 than this;"):
        decode(encode(held, full), other)


def test_that_a_comparison_tells_what_came_into_the_window_from_what_left_it() -> None:
    run = long_run()
    first = content(run, run.snapshots()[0])
    second = replace(first, latest=(*first.latest[1:], 90, 91))
    there, back = compare(first, second), compare(second, first)
    assert (there.entered, there.left) == ((90, 91), first.latest[:1])
    assert (back.entered, back.left) == (first.latest[:1], (90, 91))


def test_that_snapshots_in_files_read_back() -> None:
    run = long_run()
    files = dict(snapshot_files(run))
    assert sorted(files) == sorted(f"{taken.name}.zst" for taken in run.snapshots())
    for taken in run.snapshots():
        data = files[f"{taken.name}.zst"]
        base = base_name(data)
        assert decode(data, None if base is None else decode(files[f"{base}.zst"])) == content(run, taken)


def test_that_a_lone_surrogate_in_the_instruction_survives() -> None:
    run = replay(session(user("fix \ud800 it"), assistant("Done.")))
    held = content(run, run.snapshots()[0])
    assert decode(encode(held)).instruction == "fix \ud800 it"


@given(st.integers(1, 9), st.integers(1, 9))
def test_that_snapshots_are_as_frequent_as_the_profile_says(every: int, keep: int) -> None:
    run = long_run(snapshot_every_calls=every, snapshot_keep=keep)
    found = [t.step for t in run.snapshots(10)]
    assert found == [1, *range(1 + every, 11, every)][:1] + [*range(1 + every, 11, every)][-keep:]
    assert isinstance(run.profile, Profile)
