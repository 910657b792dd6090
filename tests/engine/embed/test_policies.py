"""Policies decide the slow paths of a running engine; it may be asked twice, closed, and used by several threads."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import ravenglass
from ravenglass import Engine, RavenglassError
from ravenglass.curator.loop import Answer, CuratorCall, Deliberation
from ravenglass.curator.plan import Author
from ravenglass.errors import ArchiveError
from tests.engine.builders import filler
from tests.engine.embed.conversations import drive, said, small
from tests.engine.embed.files.leftovers import long_chat
from tests.engine.embed.files.test_workspace import TIGHT
from tests.engine.embed.test_engine import pressed


class Keeps:
    """A policy that wants the newest messages only, and counts how often it is asked."""

    name: Author = "model"

    def __init__(self, *, fails: bool = False) -> None:
        self.asked = 0
        self._fails = fails

    def answer(self, turn: Deliberation) -> Answer:
        self.asked += 1
        if self._fails:
            raise RavenglassError("the model is not there")
        last = turn.desk.view.features.boundary(turn.desk.view.call) - 1
        return Answer("", (CuratorCall("curator_build_context", {"include_message_ids": [last]}),))


def test_that_a_policy_decides_the_slow_paths_and_only_those() -> None:
    policy = Keeps()
    engine = Engine(TIGHT, policy=policy)
    drive(engine, long_chat(25))
    run = engine.run()
    assert policy.asked == run.metrics.slow > 0
    assert max(run.window_tokens) <= run.budget.available


@pytest.mark.rule("6.41")
@pytest.mark.parametrize(("fails", "said"), [(False, "the model's plan"), (True, "the fail-safe's choice")])
def test_that_events_and_reasons_of_a_run_are_those_of_the_policy_that_decided(fails: bool, said: str) -> None:
    engine = Engine(TIGHT, policy=Keeps(fails=fails))
    drive(engine, long_chat(25))
    run = engine.run()
    reasons = []
    for call, path in enumerate(run.paths, start=1):
        if path == "fast":
            continue
        window = {m.id for m in run.window(call).messages if m.id is not None}
        (verdict,) = [e for e in run.events(call) if e.event in ("slow_path_accepted", "fallback")]
        assert verdict.event == ("fallback" if fails else "slow_path_accepted")
        plan: Any = verdict.payload["plan"]
        assert set(plan["include_message_ids"]) == window
        for m in range(run.rows(call)):
            why = run.why(call, m)
            assert why.included == (m in window)
            assert why.rank is None
            reasons.append(why.headline)
    assert any(said in reason and "is in" in reason for reason in reasons) == fails  # what it names stays anyhow
    assert any(said in reason and "is out" in reason for reason in reasons)
    assert not any("ranked" in reason for reason in reasons)


def test_that_a_policy_that_fails_ends_in_the_fail_safe() -> None:
    engine = Engine(TIGHT, policy=Keeps(fails=True))
    drive(engine, long_chat(25))
    found = engine.run().metrics
    assert (found.slow, found.over_budget) == (0, 0)
    assert found.fail_safe > 0


@pytest.mark.rule("5.15")
def test_that_a_number_in_a_summary_brings_its_group_back_with_and_without_a_workspace(tmp_path: Path) -> None:
    for workspace in (None, tmp_path):
        with Engine(TIGHT, workspace, session_key="agent:demo") as engine:
            drive(engine, long_chat(25))
            assert engine.retrieve("#4", max_tokens=0).raw == engine.retrieve(engine.ref(4), max_tokens=0).raw
            with pytest.raises(ArchiveError, match="there is no message #9999"):
                engine.retrieve("#9999")


def test_that_asking_twice_asks_the_policy_once() -> None:
    policy = Keeps()
    engine = Engine(TIGHT, policy=policy)
    engine.observe(said("user", filler(9_000)))
    assert engine.window() == engine.window()
    assert engine.frame().path == engine.decide().path == "slow"
    assert policy.asked == 1


# Life


def test_that_a_closed_engine_takes_nothing_and_still_shows() -> None:
    engine = pressed()
    shown = engine.window()
    engine.close()
    engine.close()
    assert engine.window() == shown
    assert engine.run().calls == 26
    assert engine.retrieve(engine.ref(2)).raw
    for act in (engine.observe, engine.record_response):
        with pytest.raises(RavenglassError, match="session agent:demo is closed; nothing was added"):
            act(said("assistant", "x"))
    with pytest.raises(RavenglassError, match="is closed"):
        engine.pin(1)


def test_that_several_threads_may_use_one_engine() -> None:
    engine = Engine(small(), session_key="a:b")
    engine.observe(said("user", "Begin"))
    faults: list[BaseException] = []

    def work(name: int) -> None:
        try:
            for n in range(15):
                engine.observe(said("user", f"{name}-{n} {filler(200)}"))
                engine.window()
                engine.search("Begin")
                engine.record_response(said("assistant", f"done {name}-{n}"))
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    run = engine.run()
    assert run.calls == 60
    assert len(run.session.messages) == 121
    assert run.metrics.over_budget == 0


def test_that_a_run_does_not_grow_with_the_conversation() -> None:
    engine = Engine(TIGHT)
    drive(engine, long_chat(12))
    run = engine.run()
    before = run.metrics, run.window(run.calls), run.frame(run.calls), run.archive()
    drive(engine, [said("user", "more"), *long_chat(15)[1:]])
    assert (run.metrics, run.window(run.calls), run.frame(run.calls), run.archive()) == before
    assert engine.run().calls > run.calls


def test_that_the_package_offers_the_engine_without_loading_it_for_a_replay() -> None:
    assert ravenglass.Engine is Engine
    with pytest.raises(AttributeError, match="no attribute 'Motor'"):
        _ = ravenglass.Motor  # type: ignore[attr-defined]
    code = "import sys, ravenglass; ravenglass.replay; assert 'ravenglass.embed' not in sys.modules, 'loaded'"
    subprocess.run([sys.executable, "-c", code], check=True)
