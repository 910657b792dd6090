"""The manifest panel as a person uses it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QInputDialog
from pytestqt.qtbot import QtBot

from ravenglass.replay import SimulatedRun
from ravenglass.replay.stepping.changes import Compaction, HandChange
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.manifest.model import ManifestColumn
from ravenglass_gui.views.manifest.panel import ManifestPanel
from ravenglass_gui.views.shared.list_page import ROW_HEIGHT


@pytest.fixture
def panel(loaded: DebuggerState, show: Any) -> ManifestPanel:
    shown: ManifestPanel = show(ManifestPanel(loaded))
    return shown


def listed(panel: ManifestPanel) -> list[int | None]:
    return [panel.model.message_at(row) for row in range(panel.model.rowCount())]


def top(panel: ManifestPanel) -> int | None:
    return panel.model.message_at(panel.view.rowAt(0))


def empty(panel: ManifestPanel) -> str:
    return panel._empty.sentence() if panel._empty.isVisible() else ""


def test_that_without_a_session_it_says_what_would_be_there(state: DebuggerState, show: Any) -> None:
    assert empty(show(ManifestPanel(state))) == "What each model call knew appears here once a session is open."


def test_that_it_lists_what_the_call_knew(panel: ManifestPanel, run: SimulatedRun) -> None:
    panel.state.set_call(20)
    assert listed(panel) == list(range(run.rows(20)))
    assert panel._count.text() == f"{run.rows(20)} of {run.rows(20)}"


def test_that_a_hidden_panel_does_no_work_and_catches_up(panel: ManifestPanel, run: SimulatedRun) -> None:
    panel.hide()
    panel.state.set_call(20)
    assert panel.model.rowCount() == run.rows(60)
    panel.show()
    assert panel.model.rowCount() == run.rows(20)


def test_that_scrubbing_keeps_the_scroll_position_and_the_selection(panel: ManifestPanel) -> None:
    panel.view.verticalScrollBar().setValue(40 * ROW_HEIGHT)
    panel.state.select(45)
    before = top(panel)
    for call in (59, 58, 40, 55, 60):
        panel.state.set_call(call)
    assert top(panel) == before
    assert panel.view.currentIndex().row() == 45
    assert panel.state.selected == 45


def test_that_going_back_before_the_selected_message_keeps_it_selected_for_later(panel: ManifestPanel) -> None:
    panel.state.select(100)
    panel.state.set_call(10)
    assert panel.state.selected == 100
    assert not panel.view.selectionModel().hasSelection()
    panel.state.set_call(60)
    assert panel.view.currentIndex().row() == 100


def test_that_a_click_selects_the_message_for_everyone(qtbot: QtBot, panel: ManifestPanel) -> None:
    place = panel.view.visualRect(panel.model.index(3, ManifestColumn.TEXT)).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert panel.state.selected == 3


def test_that_a_selection_made_elsewhere_is_scrolled_to(panel: ManifestPanel) -> None:
    panel.state.select(110)
    assert panel.view.visualRect(panel.model.index(110, 0)).intersects(panel.view.viewport().rect())


def test_that_the_filter_is_green_when_valid_and_red_with_a_sentence_when_not(
    qtbot: QtBot, panel: ManifestPanel, run: SimulatedRun
) -> None:
    qtbot.keyClicks(panel.filter.field, "role:user")
    qtbot.keyClick(panel.filter.field, Qt.Key.Key_Return)
    assert panel.filter.field.property("level") == "good"
    assert listed(panel) == run.query(60, "role:user")
    qtbot.keyClicks(panel.filter.field, " tokns>5")
    qtbot.keyClick(panel.filter.field, Qt.Key.Key_Return)
    assert panel.filter.field.property("level") == "error"
    assert panel.filter.error().startswith("Character 11: ")
    assert listed(panel) == run.query(60, "role:user")
    assert panel.state.filter == "role:user"


def test_that_a_filter_set_elsewhere_is_shown(panel: ManifestPanel, run: SimulatedRun) -> None:
    panel.state.set_filter("tier:session")
    assert panel.filter.text() == "tier:session"
    assert listed(panel) == run.query(60, "tier:session")


def test_that_a_filter_that_hides_everything_says_so_and_can_be_cleared(qtbot: QtBot, panel: ManifestPanel) -> None:
    panel.state.set_filter("tokens>999999")
    assert empty(panel) == f"The filter hides all {panel.state.run.rows(60)} messages known at this call."  # type: ignore[union-attr]
    qtbot.mouseClick(panel._empty.button(), Qt.MouseButton.LeftButton)
    assert panel.state.filter == ""
    assert panel.view.isVisible()


def test_that_entered_filters_are_remembered_newest_first(qtbot: QtBot, panel: ManifestPanel) -> None:
    for text in ("role:user", "role:tool", "role:user"):
        panel.filter.field.clear()
        qtbot.keyClicks(panel.filter.field, text)
        qtbot.keyClick(panel.filter.field, Qt.Key.Key_Return)
    assert panel.filter.history() == ("role:user", "role:tool")


def test_that_completion_puts_the_chosen_word_into_the_text(qtbot: QtBot, panel: ManifestPanel) -> None:
    qtbot.keyClicks(panel.filter.field, "ti")
    assert panel.filter._words.stringList() == ["tier:"]
    panel.filter._insert("tier:")
    assert panel.filter._words.stringList() == ["tier:global", "tier:session", "tier:task", "tier:atomic"]
    panel.filter._insert("tier:task")
    assert panel.filter.text() == "tier:task "
    panel.filter._popup().hide()
    panel.filter.apply()


def test_that_a_header_click_orders_through_the_engine(qtbot: QtBot, panel: ManifestPanel, run: SimulatedRun) -> None:
    header = panel.view.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(ManifestColumn.TOKENS) + 30, header.height() // 2)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert listed(panel) == run.query(60, "", "tokens", True)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert listed(panel) == run.query(60, "", "tokens", False)
    assert panel.model.headerData(ManifestColumn.TOKENS, Qt.Orientation.Horizontal) == "↑ tokens"


def test_that_pinning_by_key_is_a_change_that_makes_a_branch(qtbot: QtBot, panel: ManifestPanel) -> None:
    panel.state.select(12)
    panel.state.set_call(30)
    panel.view.setFocus()
    qtbot.keyClick(panel.view, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    assert panel.state.changes == (HandChange(30, "pin", 12),)


def test_that_protecting_and_taking_it_away_are_changes_that_make_a_branch(qtbot: QtBot, panel: ManifestPanel) -> None:
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    panel.view.setFocus()
    for message in (12, 0):
        panel.state.select(message)
        qtbot.keyClick(panel.view, Qt.Key.Key_P, both)
    assert panel.state.changes == (HandChange(60, "protect", 12), HandChange(60, "unprotect", 0))
    menu = panel.actions_on_message.menu("")
    assert "Take the protection away (branch)" in [action.text() for action in menu.actions()]
    menu.deleteLater()


def test_that_relevance_is_asked_for_and_goes_into_the_change(
    monkeypatch: pytest.MonkeyPatch, panel: ManifestPanel
) -> None:
    panel.state.select(12)
    monkeypatch.setattr(QInputDialog, "getDouble", lambda *_: (0.75, True))
    panel.actions_on_message.actions["relevance"].trigger()
    assert panel.state.changes == (HandChange(60, "relevance", 12, 0.75),)


def test_that_compacting_here_asks_for_a_target_and_is_a_change_that_makes_a_branch(
    monkeypatch: pytest.MonkeyPatch, panel: ManifestPanel
) -> None:
    monkeypatch.setattr(QInputDialog, "getInt", lambda *_: (4_000, True))
    panel.actions_on_message.actions["compact"].trigger()
    assert panel.state.changes == (Compaction(60, 4_000),)
    monkeypatch.setattr(QInputDialog, "getInt", lambda *_: (4_000, False))
    panel.actions_on_message.actions["compact"].trigger()
    assert len(panel.state.changes) == 1


def test_that_what_is_in_the_window_in_full_cannot_be_retrieved_and_says_so(
    panel: ManifestPanel, run: SimulatedRun
) -> None:
    said: list[str] = []
    panel.state.message_posted.connect(lambda _level, sentence: said.append(sentence))
    whole = next(m for m in run.query(60, "flag:included") if run.row(60, m).form.label == "full")
    panel.state.select(whole)
    panel.actions_on_message.actions["retrieve"].trigger()
    assert panel.state.changes == ()
    assert said == [f"Message #{whole} is in the window in full; there is nothing to retrieve."]


def test_that_first_and_last_use_move_the_playhead_there(panel: ManifestPanel, run: SimulatedRun) -> None:
    message = run.query(60, "state:archived")[0]
    panel.state.select(message)
    panel.actions_on_message.actions["last_use"].trigger()
    last = panel.state.call
    assert run.in_window(last, message)
    assert not any(run.in_window(call, message) for call in range(last + 1, 61))
    panel.actions_on_message.actions["first_use"].trigger()
    assert panel.state.call == run.row(60, message).call


def test_that_address_and_text_can_be_copied(panel: ManifestPanel, run: SimulatedRun) -> None:
    panel.state.select(0)
    panel.actions_on_message.actions["copy_address"].trigger()
    assert QGuiApplication.clipboard().text() == run.row(60, 0).address
    panel.actions_on_message.actions["copy_text"].trigger()
    assert QGuiApplication.clipboard().text() == run.session.messages[0].text


def test_that_the_menu_offers_to_filter_by_the_cell_it_was_opened_on(panel: ManifestPanel) -> None:
    panel.state.select(0)
    panel.view.setCurrentIndex(panel.model.index(0, ManifestColumn.TIER))
    menu = panel.actions_on_message.menu("tier:session")
    texts = [action.text() for action in menu.actions() if action.text()]
    menu.deleteLater()
    assert texts[0] == "Pin (branch)"
    assert "Filter by tier:session" in texts
    panel.actions_on_message.actions["filter_value"].trigger()
    assert panel.state.filter == "tier:session"


def test_that_rows_are_drawn_in_both_palettes(panel: ManifestPanel) -> None:
    from ravenglass_gui.theme.apply import set_theme

    pictures = []
    for choice in ("dark", "light"):
        set_theme(choice)
        QApplication.processEvents()
        pictures.append(panel.view.grab().toImage())
    assert pictures[0].pixelColor(200, 200).lightness() < 128 < pictures[1].pixelColor(200, 200).lightness()
