"""The token counter of Codex: increases only."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions import open_session
from ravenglass.sessions.formats.codex.usage import Meter, RolloutTokens, Totals, tokens_of
from ravenglass.sessions.model.session import Session, Usage
from tests.engine.sessions.conftest import Write
from tests.engine.sessions.formats.codex.records import (
    answered,
    called,
    figures,
    line,
    meta,
    output,
    tokens,
    turn,
    typed,
)

Requests = st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 10**5), st.integers(1, 4)), max_size=30)


def used(session: Session) -> int:
    """Tokens of all calls, input and output."""
    return sum((m.usage.context or 0) + (m.usage.output or 0) for m in session.messages if m.usage)


def counted(sent: int, received: int, last: tuple[int, int] | None = None) -> RolloutTokens:
    return RolloutTokens(Totals(sent, received), Totals(*last) if last else None)


def test_that_a_repeated_event_adds_nothing() -> None:
    meter = Meter()
    assert meter.take(counted(100, 10, (100, 10))) == Usage(100, 10, None, None)
    assert meter.take(counted(100, 10, (100, 10))) is None
    assert meter.take(counted(230, 25, (130, 15))) == Usage(130, 15, None, None)
    assert meter.take(counted(230, 25, (130, 15))) is None
    assert meter.counted == 255


def test_that_zeros_after_a_compaction_are_no_request() -> None:
    meter = Meter()
    meter.take(counted(100, 10, (100, 10)))
    assert meter.take(counted(100, 10, (0, 0))) is None
    assert meter.take(counted(150, 12, (50, 2))) == Usage(50, 2, None, None)


def test_that_a_rise_with_zeros_for_the_last_request_has_no_context() -> None:
    meter = Meter()
    meter.take(counted(100, 10, (100, 10)))
    assert meter.take(counted(150, 12, (0, 0))) == Usage(None, 2, None, None)


def test_that_what_was_copied_from_the_parent_is_subtracted() -> None:
    meter = Meter(inherits=True)
    meter.skip(counted(5_000_000, 20_000, (90_000, 300)))
    assert meter.take(counted(5_030_000, 20_100, (30_000, 100))) == Usage(30_000, 100, None, None)
    assert meter.counted == 30_100


def test_that_a_sum_whose_beginning_is_not_in_the_file_counts_only_the_last_request() -> None:
    meter = Meter()
    assert meter.take(counted(5_030_000, 20_100, (30_000, 100))) == Usage(30_000, 100, None, None)
    assert Meter(inherits=True).take(counted(5_030_000, 20_100)) is None
    assert meter.counted == 30_100


def test_that_a_counter_that_was_set_back_counts_from_zero() -> None:
    meter = Meter()
    meter.skip(counted(15_000, 800, (15_000, 800)))
    assert meter.take(counted(5_000, 400, (5_000, 400))) == Usage(5_000, 400, None, None)


def test_that_figures_of_other_shapes_are_none() -> None:
    for info in (None, 5, {}, {"prompt": 1}, {"total_token_usage": {"input_tokens": "x", "output_tokens": 1}}):
        assert tokens_of(info) is None
    assert tokens_of({"total_token_usage": figures(5, 2)}) == RolloutTokens(Totals(5, 2, 0), None)


@given(Requests, st.integers(0, 10**9), st.integers(0, 10**9))
def test_that_the_increases_of_any_session_add_up_to_its_own_requests(
    requests: list[tuple[int, int, int]], sent: int, received: int
) -> None:
    for inherits in (False, True):
        meter = Meter(inherits)
        total = (sent, received) if inherits else (0, 0)
        if inherits:
            meter.skip(counted(*total))
        for request in requests:
            total = (total[0] + request[0], total[1] + request[1])
            found = [meter.take(counted(*total, last=request[:2])) for _ in range(request[2])]
            assert [usage is not None for usage in found] == [True] + [False] * (request[2] - 1)
            assert found[0] is not None
            assert (found[0].context, found[0].output) == request[:2]
        assert meter.counted == sum(request[0] + request[1] for request in requests)


def test_that_each_call_has_the_usage_that_follows_its_items_and_repeats_are_ignored(write: Write) -> None:
    session = open_session(
        write(
            meta(), *typed("a"), turn(), tokens((0, 0)),
            *answered("one"), called("c1"), tokens((1000, 50), (1000, 50, 200)),
            output("c1"), turn(), tokens((1000, 50), (1000, 50, 200)),
            *answered("two"), tokens((2100, 70), (1100, 20, 1000)), tokens((2100, 70), (1100, 20, 1000)),
        )
    )  # fmt: skip
    usages = [message.usage for message in session.messages if message.role == "assistant"]
    assert usages == [Usage(1000, 50, 200), Usage(1100, 20, 1000)]
    assert used(session) == 2170
    assert session.warnings == ()


def test_that_a_fork_counts_only_its_own_requests(write: Write) -> None:
    copied = [*typed("a"), turn("parent-turn"), *answered("one"), tokens((90_000, 500), (40_000, 100, 0))]
    own = [*typed("b"), turn("own-turn"), *answered("two"), tokens((130_500, 620), (40_500, 120, 39_000))]
    later = [{**record, "timestamp": "2026-02-23T10:05:00.000Z"} for record in own]
    session = open_session(write(meta("f" * 8, forked_from_id="p"), meta("p"), *copied, *later))
    assert [message.usage for message in session.messages if message.role == "assistant"] == [
        None,
        Usage(40_500, 120, 39_000),
    ]
    assert used(session) == 40_620
    assert [call.number for call in session.structure.calls] == [1]
    assert ["inherited" in m.flags for m in session.messages if m.role == "assistant"] == [True, False]


def test_that_a_session_its_fork_and_its_sub_agent_count_every_request_once(tmp_path: Path) -> None:
    born = {"parent": "019c8a50-0000", "fork": "019c8a60-0000", "agent": "019c8a70-0000"}
    ids = {name: f"{start}-7000-8000-000000000000" for name, start in born.items()}
    begin = [*typed("go"), turn(ids["parent"])]
    one = [*answered("one"), tokens((40_000, 400), (40_000, 400, 0)), tokens((40_000, 400), (40_000, 400, 0))]
    two = [*answered("two"), tokens((90_000, 900), (50_000, 500, 39_000)), tokens((90_000, 900), (50_000, 500, 39_000))]
    own = {
        "fork": [*answered("three"), tokens((141_000, 1_500), (51_000, 600, 0)), tokens((141_000, 1_500), (0, 0, 0))],
        "agent": [
            *answered("four"),
            tokens((97_000, 1_000), (7_000, 100, 0)),
            tokens((97_000, 1_000), (7_000, 100, 0)),
        ],
    }
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": ids["parent"], "depth": 1}}}
    files = {
        "parent": [meta(ids["parent"]), *begin, *one, *two],
        "fork": [meta(ids["fork"], forked_from_id=ids["parent"]), meta(ids["parent"]), *begin, *one, *two],
        "agent": [meta(ids["agent"], source=spawn), meta(ids["parent"]), *begin, *one, *two],
    }
    paths = {}
    for name, records in files.items():
        records += [turn(ids[name]), *own[name]] if name in own else []
        paths[name] = tmp_path / f"rollout-2026-02-23T10-00-00-{ids[name]}.jsonl"
        paths[name].write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    parent, fork = open_session(paths["parent"]), open_session(paths["fork"])
    (agent,) = parent.children
    figures = {"parent": used(parent), "fork": used(fork), "agent": used(agent)}
    print("\nown tokens:", figures, "counters at the end: 90,900 and 142,500 and 98,000")
    assert figures == {"parent": 90_900, "fork": 142_500 - 90_900, "agent": 98_000 - 90_900}
    assert [len(session.structure.calls) for session in (parent, fork, agent)] == [2, 1, 1]
    assert used(open_session(paths["agent"])) == figures["agent"]


def test_that_a_request_without_a_recorded_answer_is_said(write: Write) -> None:
    session = open_session(write(meta(), tokens((1000, 50), (1000, 50, 0)), *typed("a")))
    assert used(session) == 0
    assert session.warnings[-1].startswith("1,050 of the 1,050 tokens that the session's counter shows belong to")


def test_that_unreadable_figures_are_kept_as_other_records(write: Write) -> None:
    session = open_session(
        write(meta(), line("event_msg", {"type": "token_count", "info": {"prompt": 1420}}), *answered("x"))
    )
    assert session.messages[0].usage is None
    assert [record.label for record in session.other].count("event_msg/token_count") == 1


def test_that_a_counter_of_which_one_figure_fell_was_set_back() -> None:
    for total in (counted(5_000, 900, (5_000, 900)), counted(16_000, 400, (16_000, 400))):
        meter = Meter()
        meter.skip(counted(15_000, 800, (15_000, 800)))
        assert meter.take(total) == Usage(total.total.input, total.total.output, None, None)
        assert meter.counted == total.total.size
