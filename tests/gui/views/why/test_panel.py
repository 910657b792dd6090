"""The why panel and the life strip."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from ravenglass.replay import SimulatedRun
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.why.panel import WhyPanel, rank_line, title


@pytest.fixture
def panel(loaded: DebuggerState, show: Any) -> WhyPanel:
    shown: WhyPanel = show(WhyPanel(loaded), 320, 500)
    return shown


def test_that_without_a_selection_it_says_how_to_get_an_answer(panel: WhyPanel) -> None:
    panel.state.select(None)
    assert panel._empty.sentence().startswith("Select a message")


def test_that_it_asks_the_question_and_gives_the_engines_answer(panel: WhyPanel, run: SimulatedRun) -> None:
    for message in (0, 1, 20, 60, 100):
        panel.state.select(message)
        why = run.why(60, message)
        asked = "IN" if run.in_window(60, message) else "NOT IN"
        assert panel.title.title == f"WHY IS #{message} {asked} THE WINDOW"
        assert panel.headline.text() == why.headline
        assert all(reason in panel.reasons.text() for reason in why.reasons)


def test_that_the_score_is_the_sum_of_its_parts_as_shown(panel: WhyPanel, run: SimulatedRun) -> None:
    panel.state.select(20)
    table = panel.score
    assert sum(p.value * p.weight for p in table._parts) == pytest.approx(run.why(60, 20).score)
    assert f"Score {run.why(60, 20).score:.2f}" in table.accessibleName()


def test_that_the_rank_line_gives_the_margin_to_the_cut(run: SimulatedRun) -> None:
    everything = (run.why(call, m) for call in range(1, 61) for m in range(run.rows(call)))
    short = next(w for w in everything if w.rank is not None and w.cut_score is not None and w.score < w.cut_score)
    assert f"rank {short.rank} of {short.ranked}" in rank_line(short)
    assert rank_line(short).endswith("short")
    assert title(short).startswith(f"Why is #{short.message}")


def test_that_a_message_recorded_later_is_said_to_be_unknown(panel: WhyPanel, run: SimulatedRun) -> None:
    panel.state.select(100)
    panel.state.set_call(5)
    call = run.row(60, 100).call
    assert panel._empty.sentence() == (
        f"Call 5 cannot know #100: it was recorded later. Call {call} is the first to see it."
    )


def test_that_a_click_on_the_life_strip_moves_the_playhead(qtbot: QtBot, panel: WhyPanel) -> None:
    panel.state.select(1)
    strip = panel.life
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(strip.width() // 2, strip.height() // 2))
    assert panel.state.call in (30, 31)


def test_that_arrow_keys_on_the_life_strip_go_from_change_to_change(
    qtbot: QtBot, panel: WhyPanel, run: SimulatedRun
) -> None:
    message = run.query(60, "state:archived")[0]
    panel.state.select(message)
    panel.state.set_call(60)
    starts = [span.first for span in run.life(message)]
    qtbot.keyClick(panel.life, Qt.Key.Key_Left)
    assert panel.state.call == max(start for start in starts if start < 60)


def test_that_the_life_strip_describes_itself_in_words(panel: WhyPanel, run: SimulatedRun) -> None:
    panel.state.select(1)
    assert panel.life.accessibleDescription().startswith(f"call{'s' if run.life(1)[0].last > 1 else ''} ")


def test_that_it_says_at_which_call_the_score_was_taken(panel: WhyPanel, run: SimulatedRun) -> None:
    decided = [(call, m) for call in (20, 40, 60) for m in (0, 1, 20, 60) if m < run.rows(call)]
    for call, message in decided:
        panel.state.set_call(call)
        panel.state.select(message)
        why = run.why(call, message)
        said = f"The score is that of call {why.decided_at}, " in panel.reasons.text()
        assert said == (0 < why.decided_at < call)
