"""What really happened, in the real window: the switch, what every view says, both runs in one timeline."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ravenglass.replay.recorded.provider import provider_tokens
from ravenglass.replay.recorded.run import RecordedRun
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.shown import RECORDED_WORDS
from ravenglass_gui.views.quota.panel import QuotaPanel
from ravenglass_gui.views.why.panel import WhyPanel
from ravenglass_gui.views.window.panel import WindowPanel
from tests.gui.claude_recordings import (
    CALLS,
    CLEARED_AT,
    COMPACTED_AT,
    OFF_BY,
    OFF_CALL,
    OVERHEADS,
    SCALE,
    write_recording,
)

pytestmark = pytest.mark.usefixtures("unstyled")

SAMPLE = Path(__file__).parents[4] / "shared/samples/claude-code/entire_LARGE_3compactions_893lines_3.8MB.jsonl.gz"


def opened(qtbot: QtBot, window: MainWindow, path: Path) -> RecordedRun:
    """The file on screen, with its recorded run read."""
    window.bridge.open([path])
    qtbot.waitUntil(lambda: window.state.recorded is not None, timeout=60_000)
    assert window.state.recorded is not None
    return window.state.recorded


def words_of(window: MainWindow) -> dict[str, str]:
    """What every view says of the run it shows."""
    panels = window.layout_.docks
    return {
        "timeline": window.timeline._title.facts,
        "tabs": window.which.text(),
        "status": window.facts.text("simulated"),
        "quota": panels["quota"].panel._title.facts,  # type: ignore[attr-defined]
        "why": panels["why"].panel.title.facts,  # type: ignore[attr-defined]
        "working state": panels["working_state"].panel.title.facts,  # type: ignore[attr-defined]
    }


def press(window: MainWindow) -> None:
    window.actions_["recorded"].trigger()
    QApplication.processEvents()


def test_that_every_view_says_which_run_it_shows_and_the_switch_changes_them_all(
    qtbot: QtBot, window: MainWindow, path: Path
) -> None:
    opened(qtbot, window, path)
    QApplication.processEvents()
    simulated = words_of(window)
    assert simulated["tabs"] == "simulated with default"
    assert all("simulated" in said and "recorded" not in said for said in simulated.values()), simulated
    press(window)
    recorded = words_of(window)
    assert recorded["status"] == RECORDED_WORDS
    assert recorded["tabs"] == "recorded"
    assert RECORDED_WORDS in window.which.toolTip()
    tabs = window.tabs.tabBar()
    window.resize(1280, 800)
    QApplication.processEvents()
    assert tabs.tabRect(tabs.count() - 1).right() <= tabs.width()  # none is cut, and nothing scrolls
    assert all("recorded" in said and "simulated" not in said for said in recorded.values()), recorded
    assert window.facts.text("path") == "recorded"
    assert set(window.state.run.paths) == {"recorded"}  # type: ignore[union-attr]
    press(window)
    assert words_of(window) == simulated


def test_that_the_buttons_of_the_toolbar_and_the_key_do_the_same(qtbot: QtBot, window: MainWindow, path: Path) -> None:
    from ravenglass_gui.shell.bars.run_switch import RunSwitch

    opened(qtbot, window, path)
    switch = window.findChild(RunSwitch)
    assert switch is not None
    assert (switch.simulated.isChecked(), switch.recorded.isEnabled()) == (True, True)
    qtbot.mouseClick(switch.recorded, Qt.MouseButton.LeftButton)
    showing: list[str] = [window.state.showing]
    assert window.actions_["recorded"].isChecked()
    qtbot.keyClick(window.timeline.view, Qt.Key.Key_R)
    assert [*showing, window.state.showing] == ["recorded", "simulated"]
    assert switch.simulated.isChecked()


def test_that_the_switch_says_why_there_is_no_recorded_run(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    action = window.actions_["recorded"]
    assert not action.isEnabled()
    assert action.toolTip() == "Open a session first."
    silent = tmp_path / "silent.json"
    silent.write_text('{"messages": [{"role": "user", "content": "hello"}]}')
    with qtbot.waitSignal(window.bridge.settled, timeout=30_000):
        window.bridge.open([silent])
    assert not action.isEnabled()
    assert "no model response" in action.toolTip()


def test_that_the_call_and_the_selection_stay_when_the_run_is_switched(
    qtbot: QtBot, window: MainWindow, path: Path
) -> None:
    opened(qtbot, window, path)
    window.state.set_call(17)
    window.state.select(4)
    press(window)
    assert (window.state.call, window.state.selected) == (17, 4)


def test_that_the_timeline_draws_the_other_run_as_an_outline(qtbot: QtBot, window: MainWindow, path: Path) -> None:
    run = opened(qtbot, window, path)
    drawn = window.timeline.series
    assert drawn is not None
    assert drawn.outline is not None
    assert list(drawn.outline) == list(run.window_tokens)
    assert list(drawn.totals) == list(window.state.simulated.window_tokens)  # type: ignore[union-attr]
    assert drawn.outline_words == "recorded"
    press(window)
    drawn = window.timeline.series
    assert drawn is not None
    assert drawn.outline is not None
    assert list(drawn.totals) == list(run.window_tokens)
    assert list(drawn.outline) == list(window.state.simulated.window_tokens)  # type: ignore[union-attr]
    assert drawn.outline_words == "simulated"
    assert "simulated (outline)" in window.timeline.legend.accessibleName()


def test_that_reported_figures_lie_on_the_window_where_the_fit_is_exact(
    qtbot: QtBot, window: MainWindow, path: Path
) -> None:
    """They are told in the plot's own tokens; the one call that lies off the line lies off the window."""
    run = opened(qtbot, window, path)
    press(window)
    drawn = window.timeline.series
    assert drawn is not None
    assert drawn.reported is not None
    tops = np.array(run.window_tokens, float)
    on = [n for n in range(1, CALLS + 1) if n != OFF_CALL]
    assert max(abs(drawn.reported[n - 1] - tops[n - 1]) for n in on) < 40
    assert drawn.reported[OFF_CALL - 1] - tops[OFF_CALL - 1] > OFF_BY / SCALE / 2


def test_that_hovering_tells_both_windows_and_the_providers_figure_with_the_estimate(
    qtbot: QtBot, window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = opened(qtbot, window, path)
    told: list[str] = []

    class Tips:
        @staticmethod
        def showText(where: object, text: str, widget: object) -> None:  # noqa: ARG004
            told.append(text)

        @staticmethod
        def hideText() -> None:
            told.append("")

    monkeypatch.setattr("ravenglass_gui.views.timeline.view.QToolTip", Tips)
    view = window.timeline.view
    box = view._tokens.vb.sceneBoundingRect()
    view._hover(QPointF(box.center()), OFF_CALL)
    text = told[-1]
    reported = run.usage(OFF_CALL).context  # type: ignore[union-attr]
    assert "simulated with default" in text
    assert "recorded window" in text
    assert "(outline)" in text
    assert f"recorded: provider tokens {reported:,} (reported), estimate" in text
    assert "(−" in text  # the reported figure lies above the line, so the estimate is too small
    assert "simulated: " in text
    assert "tokens estimated with o200k_base" in text
    view._hover(QPointF(box.center()), COMPACTED_AT)
    assert "recorded compaction before this call" in told[-1]
    assert "60,000 tokens before" in told[-1]


def test_that_the_records_marks_have_a_lane_whichever_run_is_shown_and_n_and_p_stop_there(
    qtbot: QtBot, window: MainWindow, path: Path
) -> None:
    opened(qtbot, window, path)
    for _ in range(2):
        drawn = window.timeline.series
        assert drawn is not None
        lane = drawn.lanes[-1]
        assert list(lane.calls) == [CLEARED_AT, COMPACTED_AT]
        assert lane.signs == ("record:clearing", "record:compaction")
        assert {CLEARED_AT, COMPACTED_AT} <= set(window.navigator.marks())
        press(window)
    press(window)
    assert window.state.showing == "recorded"
    assert window.navigator.marks() == [CLEARED_AT, COMPACTED_AT]
    window.state.set_call(1)
    qtbot.keyClick(window.timeline.view, Qt.Key.Key_N)
    assert window.state.call == CLEARED_AT
    qtbot.keyClick(window.timeline.view, Qt.Key.Key_N)
    assert window.state.call == COMPACTED_AT
    qtbot.keyClick(window.timeline.view, Qt.Key.Key_P)
    assert window.state.call == CLEARED_AT


def test_that_why_tells_what_the_writer_did_and_shows_no_score(qtbot: QtBot, window: MainWindow, path: Path) -> None:
    opened(qtbot, window, path)
    press(window)
    why = window.layout_.docks["why"].panel
    assert isinstance(why, WhyPanel)
    window.state.set_call(CALLS)
    window.state.select(3)
    QApplication.processEvents()
    assert f"before call {COMPACTED_AT} the writer compacted its window" in why.headline.text()
    assert not why.score.isVisible()
    window.state.set_call(CLEARED_AT)
    window.state.select(2)
    QApplication.processEvents()
    assert "as a note only" in why.headline.text()
    assert "as a note only" in why._life_words.text()
    assert "standby" not in why.life.accessibleDescription()


def test_that_the_window_view_lists_the_recorded_messages_and_marks_the_cleared_one_as_a_note(
    qtbot: QtBot, window: MainWindow, path: Path
) -> None:
    run = opened(qtbot, window, path)
    panel = window.views["window"]
    assert isinstance(panel, WindowPanel)
    window.tabs.setCurrentWidget(panel)
    press(window)
    window.state.set_call(CLEARED_AT)
    QApplication.processEvents()
    row = panel.model.row_of(2)
    assert row is not None
    entry = panel.model.entry(row)
    assert entry.note  # type: ignore[union-attr]
    tip = panel.model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "the writer cleared the recorded text" in tip
    said = panel.facts.text()
    usage = run.usage(CLEARED_AT)
    assert usage is not None
    assert f"{run.frame(CLEARED_AT).tokens:,} tokens est. · recorded" in said
    assert f"{usage.context:,} provider tokens (reported)" in said


def test_that_provider_tokens_are_told_with_the_fit_and_its_error(qtbot: QtBot, window: MainWindow, path: Path) -> None:
    opened(qtbot, window, path)
    state, quota = window.state, window.layout_.docks["quota"].panel
    assert isinstance(quota, QuotaPanel)
    QApplication.processEvents()
    assert state.run is not None
    found = provider_tokens(state.run, state.call)
    assert found is not None
    assert found.how == "estimated"
    assert quota.provider.startswith("provider tokens ")
    assert "fit error" in quota.provider
    assert "est. ±" in window.facts.text("provider")
    assert found.scale == pytest.approx(SCALE, rel=0.01)
    assert f"{found.overhead:,} that the record does not hold" in window.facts._labels["provider"].toolTip()
    assert found.overhead == pytest.approx(OVERHEADS[0], rel=0.02)
    press(window)
    assert quota.provider.endswith("reported")
    assert window.facts.text("provider").endswith("reported")


def test_that_without_reported_figures_nothing_is_told_in_provider_tokens(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    opened(qtbot, window, write_recording(tmp_path / "session.jsonl", reported=False))
    for _ in range(2):
        QApplication.processEvents()
        assert window.facts.text("provider") == ""
        quota = window.layout_.docks["quota"].panel
        assert isinstance(quota, QuotaPanel)
        assert quota.provider == "tokens estimated with o200k_base"
        assert window.timeline.series is not None
        assert window.timeline.series.reported is None
        assert "provider tokens unknown" in window.timeline.series.describe(5)
        press(window)


@pytest.mark.parametrize("use", ["slider", "pin", "step", "plan", "break"])
def test_that_what_belongs_to_the_simulated_run_brings_it_back_and_says_so(
    qtbot: QtBot, window: MainWindow, path: Path, use: str
) -> None:
    opened(qtbot, window, path)
    press(window)
    posted: list[str] = []
    window.state.message_posted.connect(lambda level, sentence: posted.append(sentence))  # noqa: ARG005
    window.state.select(1)
    if use == "slider":
        window.state.set_profile(window.state.profile.with_values(trim_target=0.9))
    elif use == "pin":
        window.manifest.actions_on_message.actions["pin"].trigger()
    else:
        window.actions_[{"step": "step", "plan": "plan", "break": "run_to_break"}[use]].trigger()
    assert window.state.showing == "simulated"
    assert "belong to the simulated run" in posted[0]
    qtbot.waitUntil(lambda: not window.bridge.busy and not window.bridge.recorded.making, timeout=30_000)
    assert window.which.text().startswith("simulated with")
