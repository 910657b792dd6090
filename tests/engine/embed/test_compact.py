"""Manual compaction: a slow path now, at a chosen target."""

from __future__ import annotations

from pathlib import Path

import pytest

from ravenglass import Engine
from ravenglass.errors import PlanError
from ravenglass.replay import branch, replay
from ravenglass.replay.stepping.changes import compaction
from ravenglass.store.layout import CURATOR
from tests.engine.embed.conversations import MOMENT, drive, replayed, said, small
from tests.engine.embed.test_resume import KEY, chat

ROOMY = small(60_000)


def test_that_a_compaction_packs_the_next_window_into_its_target_and_the_replay_gives_the_same(tmp_path: Path) -> None:
    with Engine(ROOMY, tmp_path, session_key=KEY, clock=lambda: MOMENT) as engine:
        drive(engine, chat(20))
        before = engine.decide().tokens
        made = engine.compact(0.1)
        assert made.tokens < before
        assert made.tokens <= round(0.1 * engine.run().budget.available) + 2_000  # protected exchanges stay
        assert engine.decide() == made
        engine.record_response(said("assistant", "Go on."))
        mine, again = engine.run(), replayed(engine)
        assert mine.paths[-1] == again.paths[-1] == "slow"
        assert mine.window(mine.calls) == again.window(again.calls)
        session, last = again.session, again.calls
    plain = replay(session, ROOMY)
    made_here = branch(plain, last, changes=[compaction(last, 0.1, plain.budget)])
    assert made_here.window(last).tokens == made.tokens
    assert plain.paths[-1] == "fast"


def test_that_a_compaction_before_a_crash_holds_after_it(tmp_path: Path) -> None:
    engine = Engine(ROOMY, tmp_path, session_key=KEY, clock=lambda: MOMENT)
    drive(engine, chat(20))
    engine.window()
    made = engine.compact(3_000)
    engine._keeper.workspace.abandon()  # type: ignore[union-attr]
    with Engine(ROOMY, tmp_path, session_key=KEY, clock=lambda: MOMENT) as engine:
        assert engine.decide() == made


@pytest.mark.parametrize("target", [0, -1, 10**9, float("nan")])
def test_that_an_impossible_target_is_refused(target: float) -> None:
    with Engine(ROOMY) as engine:
        engine.observe(said("user", "x"))
        with pytest.raises((PlanError, ValueError)):
            engine.compact(target)


def test_that_a_crash_right_after_a_compaction_was_asked_for_does_not_undo_it(tmp_path: Path) -> None:
    engine = Engine(ROOMY, tmp_path, session_key=KEY, clock=lambda: MOMENT)
    drive(engine, chat(20))
    engine.window()
    made = engine.compact(3_000)
    engine._keeper.workspace.abandon()  # type: ignore[union-attr]
    log = tmp_path / CURATOR / "decisions" / "agent_demo.jsonl"
    lines = log.read_bytes().split(b"\n")
    asked = next(place for place, line in enumerate(lines) if b'"Compaction"' in line)
    log.write_bytes(b"\n".join([*lines[: asked + 1], b""]))
    with Engine(ROOMY, tmp_path, session_key=KEY, clock=lambda: MOMENT) as engine:
        assert engine.decide() == made
