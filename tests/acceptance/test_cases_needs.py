"""The small input whose regrets were wrong: a word of a result was needed, and hid the read behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ravenglass.replay import HandChange, replay
from ravenglass.replay.measures.needs.session import needs_of
from ravenglass.replay.recorded.run import recorded_run
from ravenglass.sessions import open_session

_CASE = Path(__file__).parents[3] / "shared" / "cases" / "regret_result_only_masks_reread.jsonl"

pytestmark = pytest.mark.skipif(not _CASE.exists(), reason="the shared cases are not beside the checkout")


def test_that_a_word_that_only_the_result_has_is_needed_by_nobody_and_the_read_again_is_told() -> None:
    session = open_session(_CASE)
    run = recorded_run(session)
    (regret,) = run.regrets
    assert (regret.kind, regret.what, regret.where) == ("fetch_again", "a.go", "gone")
    assert regret.paid is not None
    assert regret.paid.count == 1
    assert "compacted" in regret.by
    needed = {need.what for call in session.structure.calls for need in needs_of(session).of(call.message)}
    assert needed == {"a.go", "/w/a.go"}
    (made,) = run.aftermaths
    assert (made.results.gone, made.fetched_again.count) == (1, 1)


def test_that_a_simulated_run_is_not_charged_with_what_the_recorded_window_had_lost() -> None:
    session = open_session(_CASE)
    first = session.structure.calls[2].number
    run = replay(session, None, [HandChange(first, "archive", session.structure.calls[0].message)])
    assert run.regrets == ()
    assert run.metrics.fetches_again.never_there == 1
