"""What a policy makes of the working state: in this window, in later ones, in trace and workspace, or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenglass import Engine
from ravenglass.curator.loop import Answer, CuratorCall, Deliberation
from ravenglass.curator.plan import BUILD_CONTEXT, Author
from ravenglass.curator.policies.manual import ManualPolicy, Submission
from ravenglass.curator.policies.recorded import RecordedPolicy
from ravenglass.replay.branches.branching import branch
from ravenglass.replay.stepping.changes import HandChange, Rating, StateUpdate
from ravenglass.traces import open_trace, write_log
from tests.engine.curator.policies.pressure import busy_run, slow_call
from tests.engine.embed.conversations import drive, replayed, said
from tests.engine.embed.files.leftovers import long_chat
from tests.engine.embed.files.test_workspace import TIGHT
from tests.proofs import examples

LINE = "Never touch the migrations folder, said the user"
UPDATE = "curator_update_working_state"


class Writes:
    """A policy that writes lists into the working state, the planner's choice aside; `breaks` spoils its plan."""

    name: Author = "model"

    def __init__(self, *written: dict[str, Any], breaks: bool = False) -> None:
        self._written = list(written)
        self._breaks = breaks
        self.seen: list[str] = []

    def answer(self, so_far: Deliberation) -> Answer:
        requests = [CuratorCall("curator_read_memory", {})]
        if self._written:
            requests.append(CuratorCall(UPDATE, self._written.pop(0)))
        known = so_far.desk.view.features.boundary(so_far.desk.view.call)
        include = [10**6] if self._breaks else list(range(max(0, known - 8), known))
        requests.append(CuratorCall(BUILD_CONTEXT, {"include_message_ids": include}))
        self.seen += [str(r["working_state"]) for q, r in so_far.results if q.name == "curator_read_memory"]
        return Answer("", tuple(requests))


def windows_of(engine: Engine, exchanges: int = 25) -> list[str]:
    return [json.dumps(messages) for messages in drive(engine, long_chat(exchanges)).bodies]


@pytest.mark.rule("6.12", "6.40")
def test_that_what_a_policy_writes_is_in_that_window_and_in_later_ones() -> None:
    engine = Engine(TIGHT, policy=Writes({"decisions": [LINE]}))
    windows = windows_of(engine)
    slow = [call for call, path in enumerate(engine.run().paths, start=1) if path == "slow"]
    assert len(slow) > 1
    held = [LINE in text for text in windows]
    assert held == [call >= slow[0] for call in range(1, len(windows) + 1)]
    assert all(tokens <= engine.run().budget.available for tokens in engine.run().window_tokens)
    assert LINE in [line.text for line in engine.frame().working_state.decisions]


@pytest.mark.rule("6.11", "6.40")
def test_that_the_working_state_of_a_plan_that_never_passed_has_no_effect() -> None:
    engine = Engine(TIGHT, policy=Writes({"decisions": [LINE]}, breaks=True))
    assert not any(LINE in text for text in windows_of(engine))
    assert engine.run().metrics.fail_safe > 0


@pytest.mark.rule("6.40")
def test_that_an_update_is_in_the_trace_and_in_the_file_of_the_working_state(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key="agent:demo", policy=Writes({"goals": [LINE]})) as engine:
        windows_of(engine)
    curator = tmp_path / "memory" / ".curator"
    assert LINE in json.loads((curator / "working_state" / "agent_demo.json").read_text())["goals"]
    events = [
        json.loads(line) for f in sorted((curator / "traces").rglob("*.jsonl")) for line in f.read_text().splitlines()
    ]
    plans = [e["payload"]["plan"] for e in events if e["event"] == "slow_path_accepted"]
    assert plans[0]["working_state"]["goals"] == [LINE]
    assert not any("working_state" in plan for plan in plans[1:])


def test_that_a_call_that_is_decided_anew_forgets_what_was_written_at_it() -> None:
    engine = Engine(TIGHT, policy=Writes({"goals": ["first"]}, {"goals": ["second"]}))
    for message in long_chat(25):
        if message["role"] == "assistant":
            engine.decide()
            if engine.frame().path == "slow":
                break
            engine.record_response(message)
        else:
            engine.observe(message)
    assert [line.text for line in engine.frame().working_state.goals] == ["first"]
    engine.observe(said("user", "One more thing."))
    engine.decide()
    goals = [line.text for line in engine.frame().working_state.goals]
    assert "second" in goals
    assert "first" not in goals


def test_that_the_changes_of_an_engine_give_a_replay_the_same_working_states(tmp_path: Path) -> None:
    engine = Engine(TIGHT, tmp_path, session_key="agent:demo", policy=Writes({"open_threads": [LINE]}))
    windows_of(engine)
    run, again = engine.run(), replayed(engine)
    engine.close()
    for call in range(1, run.calls + 1):
        assert again.frame(call).working_state == run.frame(call).working_state


@pytest.mark.rule("6.18")
def test_that_a_person_who_submits_a_plan_can_write_the_working_state_with_it() -> None:
    run = busy_run()
    call = slow_call(run)
    person = ManualPolicy()
    loop = run.loop(call, person)
    known = run.rows(call)
    person.submit(Submission(frozenset({10**6}), goals=("of the first try",)))
    while not person.waiting:
        loop.step()
    while person.rejection is None:
        loop.step()
    person.submit(Submission(frozenset(range(known - 4, known)), decisions=(LINE,)))
    loop.run()
    assert loop.update is not None
    assert [line.text for line in loop.update.after.decisions] == [LINE]
    assert loop.update.after.goals == loop.update.before.goals
    made = branch(run, call, changes=[loop.update])
    assert LINE in "".join(block.text for block in made.window(call).messages)
    assert all(LINE in [x.text for x in made.frame(c).working_state.decisions] for c in range(call, run.calls + 1))
    assert made.frame(call - 1) == run.frame(call - 1)


@pytest.mark.rule("6.17")
def test_that_a_recorded_answer_writes_the_working_state_again(tmp_path: Path) -> None:
    run = busy_run()
    call = slow_call(run)
    first = run.loop(call, Writes({"decisions": [LINE]}))
    write_log(tmp_path / "log.jsonl", first.run())
    again = run.loop(call, RecordedPolicy.of(open_trace(tmp_path / "log.jsonl").turns[0].calls[0]))
    again.run()
    assert again.update == first.update is not None
    assert again.result == first.result


@settings(max_examples=examples(30), deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(("goals", "open_threads", "decisions")),
            st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=400), max_size=20),
        ),
        max_size=6,
    ),
    st.integers(5_000, 16_000),
)
def test_that_whatever_is_written_every_window_fits_and_says_its_size(written: list[dict[str, Any]], size: int) -> None:
    engine = Engine(TIGHT.with_values(window=size), policy=Writes(*written))
    windows_of(engine, 12)
    run = engine.run()
    assert run.metrics.slow + run.metrics.fail_safe > 0
    for call in range(1, run.calls + 1):
        made = run.window(call)
        assert made.tokens == sum(block.tokens for block in made.messages) <= run.budget.available


class Rates:
    """A policy that sets the relevance of message 3 at its first slow path only; `breaks` spoils its plan."""

    name: Author = "model"

    def __init__(self, value: float, *, breaks: bool = False) -> None:
        self._value: float | None = value
        self._breaks = breaks

    def answer(self, so_far: Deliberation) -> Answer:
        requests = []
        if self._value is not None:
            requests.append(CuratorCall("curator_set_relevance", {"message_ids": [3], "relevance": self._value}))
            self._value = None
        known = so_far.desk.view.features.boundary(so_far.desk.view.call)
        include = [10**6] if self._breaks else list(range(max(0, known - 8), known))
        return Answer("", (*requests, CuratorCall(BUILD_CONTEXT, {"include_message_ids": include})))


@pytest.mark.rule("6.44")
def test_that_the_relevance_that_a_policy_sets_holds_until_it_is_set_again() -> None:
    engine = Engine(TIGHT, policy=Rates(0.75))
    windows_of(engine)
    run = engine.run()
    first = next(call for call in range(1, run.calls + 1) if run.paths[call - 1] == "slow")
    assert [run.row(call, 3).relevance for call in range(first + 1, run.calls + 1)] == [0.75] * (run.calls - first)
    later = branch(run, first + 2, changes=[HandChange(first + 2, "relevance", 3, 0.5)])
    assert (later.row(first + 1, 3).relevance, later.row(run.calls, 3).relevance) == (0.75, 0.5)


@pytest.mark.rule("6.44")
def test_that_the_relevance_of_a_rejected_plan_never_holds() -> None:
    engine = Engine(TIGHT, policy=Rates(0.75, breaks=True))
    windows_of(engine)
    assert not any(isinstance(change, Rating) for change in engine.changes)


@pytest.mark.rule("6.44", "10.11")
def test_that_a_session_that_goes_on_keeps_the_relevance(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key="a:b", policy=Rates(0.75)) as engine:
        windows_of(engine)
        before = engine.changes
    told = "".join(path.read_text("utf-8") for path in (tmp_path / "memory" / ".curator" / "traces").rglob("*.jsonl"))
    assert "until it is set again" in told
    with Engine(TIGHT, tmp_path, session_key="a:b", policy=Rates(0.1)) as again:
        assert [c for c in again.changes if isinstance(c, Rating)] == [c for c in before if isinstance(c, Rating)] != []


def test_that_a_call_that_is_decided_anew_keeps_nothing_that_was_written_at_it_before() -> None:
    engine = Engine(TIGHT, policy=Writes({"decisions": [LINE]}))
    for message in long_chat(25):
        if message["role"] == "assistant":
            engine.decide()
            if engine.frame().path == "slow":
                break
            engine.record_response(message)
        else:
            engine.observe(message)
    assert LINE in json.dumps(engine.window())
    engine.observe(said("user", "One more thing."))
    assert LINE not in json.dumps(engine.window())
    assert not [change for change in engine.changes if isinstance(change, StateUpdate)]
