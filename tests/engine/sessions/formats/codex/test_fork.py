"""Where a fork's own records begin."""

from __future__ import annotations

from ravenglass.sessions.formats.codex.fork import own_start
from ravenglass.sessions.formats.codex.lines import RolloutLine, codex_line
from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records.decode import Record as Decoded
from tests.engine.sessions.formats.codex.records import Record, answered, event, meta, said, tokens, turn, typed

OLD, BORN, NEW = ("019c8a58-0000", "019c8a59-0000", "019c8a5a-0000")


def lines(*records: Record) -> list[RolloutLine]:
    return [codex_line(Decoded(record, Span(n, n * 100, 99))) for n, record in enumerate(records, start=1)]


def at(ts: str, *records: Record) -> list[Record]:
    return [{**record, "timestamp": f"2026-02-23T{ts}Z"} for record in records]


def name(time: str) -> str:
    """An id of version 7 that carries a time."""
    return f"{time}-7000-8000-000000000001"


def test_that_a_session_of_its_own_inherits_nothing() -> None:
    assert own_start(lines(meta(), *typed("a"), turn())) == 0
    assert own_start([]) == 0


def test_that_the_ordinal_tells_where_the_copy_ends() -> None:
    records = [{**record, "ordinal": n} for n, record in enumerate([*typed("a"), *answered("b"), *typed("c")])]
    first = {**meta(subagent_history_start_ordinal=4, parent_thread_id="p"), "ordinal": 0}
    assert own_start(lines(first, meta("p"), *records)) == 6
    based = {**meta(history_base={"end_ordinal_exclusive": 4}), "ordinal": 0}
    assert own_start(lines(based, *records)) == 5


def test_that_turns_older_than_the_session_are_copies_whatever_their_times_say() -> None:
    records = [
        meta(name(BORN), forked_from_id="p"), meta("p"), event("task_started", turn_id=name(OLD)), *typed("a"),
        turn(name(OLD)), *answered("b"), event("task_complete"), event("task_started", turn_id=name(NEW)), *typed("c"),
    ]  # fmt: skip
    assert own_start(lines(*records)) == 9


def test_that_the_parents_turns_are_copies_where_they_are_known() -> None:
    records = [meta("c", parent_thread_id="p"), meta("p"), turn("t1"), *answered("a"), turn("t2"), *answered("b")]
    assert own_start(lines(*records), frozenset({"t1"})) == 5
    assert own_start(lines(*records), frozenset({"t1", "t2", "t3"})) == 8


def test_that_original_times_tell_the_copy() -> None:
    copied = at("09:00:00.000", *typed("a"), turn("t1"), *answered("b"))
    own = at("10:00:30.000", *typed("c"), turn("t2"), *answered("d"))
    assert own_start(lines(meta("c", forked_from_id="p"), meta("p"), *copied, *own)) == 2 + len(copied)


def test_that_a_copy_with_new_times_is_what_is_written_in_one_go() -> None:
    copied = at("10:00:00.003", *typed("a"), turn("t1"), *answered("b"), tokens((9, 9), (9, 9, 0)))
    own = at("10:00:30.000", event("task_started", turn_id="t2"), *typed("c"))
    assert own_start(lines(meta("c", forked_from_id="p"), meta("p"), *copied, *own)) == 2 + len(copied)


def test_that_the_last_turn_of_the_burst_is_a_sub_agents_own() -> None:
    copied = at("10:00:00.003", event("task_started", turn_id="t1"), *typed("a"), tokens((9, 9), (9, 9, 0)))
    own = at("10:00:00.009", event("task_started", turn_id="t2"), turn("t2"))
    later = at("10:00:02.000", *answered("c"))
    records = [meta("c", parent_thread_id="p"), meta("p"), *copied, *own, *later]
    assert own_start(lines(*records)) == 2 + len(copied)
    ended = [meta("c", parent_thread_id="p"), meta("p"), *copied, *own, *at("10:00:00.010", event("task_complete"))]
    assert own_start(lines(*ended, *later)) == len(ended)


def test_that_a_sub_agent_without_a_copy_owns_what_it_says() -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}
    own = at("10:00:04.000", event("task_started", turn_id="t"), turn("t"), *answered("a"))
    assert own_start(lines(meta("c", source=spawn), *own)) == 1


def test_that_a_fork_without_readable_times_loses_nothing() -> None:
    odd: list[Record] = [{**record, "timestamp": "[trimmed]"} for record in [said("user", "a"), *answered("b")]]
    assert own_start(lines({**meta("c", forked_from_id="p", timestamp=None), "timestamp": 5}, *odd)) == 1
