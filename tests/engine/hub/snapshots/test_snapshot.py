from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.snapshots.snapshot import SnapshotClock, Taken, kept, snapshot_name


def ticks(clock: SnapshotClock, *calls: tuple[int, int, int]) -> list[tuple[int, str, str, int]]:
    """What is taken at calls of (task, tool calls, tokens): (step, kind, trigger, base)."""
    taken = (clock.tick(step, *call) for step, call in enumerate(calls, start=1))
    return [(t.step, t.kind, t.trigger, t.base) for t in taken if t is not None]


@pytest.mark.rule("9.3")
def test_that_the_first_of_a_task_is_full_and_the_others_are_differences_from_it() -> None:
    assert ticks(SnapshotClock(1, 100), (0, 1, 1), (0, 1, 1), (1, 0, 0), (1, 1, 1)) == [
        (1, "full", "task", 1),
        (2, "difference", "tool_calls", 1),
        (3, "full", "task", 3),
        (4, "difference", "tool_calls", 3),
    ]


@pytest.mark.rule("9.1")
def test_that_one_is_due_after_so_many_tool_calls() -> None:
    calls = [(0, 0, 0), *[(0, 1, 0)] * 7]
    assert [step for step, *_ in ticks(SnapshotClock(3, 100), *calls)] == [1, 4, 7]


@pytest.mark.rule("9.1")
def test_that_one_is_due_after_so_much_change() -> None:
    assert ticks(SnapshotClock(100, 50), (0, 0, 0), (0, 1, 49), (0, 1, 1), (0, 1, 49), (0, 0, 60)) == [
        (1, "full", "task", 1),
        (3, "difference", "change", 1),
        (5, "difference", "change", 1),
    ]


def test_that_counting_begins_anew_with_each_snapshot() -> None:
    calls = [(0, 0, 0), (0, 2, 0), (1, 2, 0), (1, 2, 0), (1, 1, 0)]
    assert [step for step, *_ in ticks(SnapshotClock(3, 100), *calls)] == [1, 3, 5]


def test_that_names_count_tasks_from_one() -> None:
    assert snapshot_name(0, 12) == "task-1-call-12"
    assert Taken(12, 0, "full", "task", 12).name == "task-1-call-12"


HISTORY = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4), st.integers(0, 60)), min_size=1, max_size=60)


@pytest.mark.rule("9.4")
@given(HISTORY, st.integers(1, 4), st.integers(1, 80), st.integers(1, 4))
def test_that_retention_leaves_the_full_one_and_the_latest_of_every_task(
    history: list[tuple[int, int, int]], every_calls: int, every_tokens: int, keep: int
) -> None:
    clock, task, taken = SnapshotClock(every_calls, every_tokens), 0, []
    for step, (more, tool_calls, tokens) in enumerate(history, start=1):
        task += more
        taken += [found] if (found := clock.tick(step, task, tool_calls, tokens)) is not None else []
    left = kept(taken, keep)
    for one in {t.task for t in taken}:
        of_task = [t for t in taken if t.task == one]
        assert [t.kind for t in of_task] == ["full", *["difference"] * (len(of_task) - 1)]
        assert {t.base for t in of_task} == {of_task[0].step}
        assert [t for t in left if t.task == one] == [of_task[0], *of_task[1:][-keep:]]
    assert list(left) == sorted(left, key=lambda t: t.step)
    # Deleting as they come and deleting at the end leave the same.
    step_by_step: tuple[Taken, ...] = ()
    for one_taken in taken:
        step_by_step = kept((*step_by_step, one_taken), keep)
    assert step_by_step == left
