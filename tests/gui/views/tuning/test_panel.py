"""Tuning: controls from the schema, values at once, one undo a finished change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass.profile import Profile, field_specs
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.tuning.panel import TuningPanel

_SPLIT = {"quota_global", "quota_session", "quota_task", "quota_atomic"}


@pytest.fixture
def panel(state: DebuggerState, show: Any) -> TuningPanel:
    shown: TuningPanel = show(TuningPanel(state), 340, 900)
    return shown


def slide(panel: TuningPanel, name: str, *positions: int) -> None:
    """Drag a field's handle over positions and let go."""
    slider = panel.editors[name].slider
    assert slider is not None
    slider.setSliderDown(True)
    for position in positions:
        slider.setSliderPosition(position)
    slider.setSliderDown(False)


def test_that_every_used_field_of_the_schema_has_a_control_and_no_other(panel: TuningPanel) -> None:
    used = {spec.name for spec in field_specs() if spec.used}
    assert set(panel.editors) | set(panel.split.numbers if panel.split else ()) == used
    assert not set(panel.editors) & _SPLIT


def test_that_dragging_sets_the_profile_while_moving_and_is_one_undo(panel: TuningPanel) -> None:
    seen: list[float] = []
    panel.state.profile_changed.connect(lambda: seen.append(panel.state.profile.trim_target))
    slide(panel, "trim_target", 20, 30, 35)
    assert len(seen) == 3
    assert panel.undo_stack.count() == 1
    panel.undo_stack.undo()
    assert panel.state.profile == Profile()
    panel.undo_stack.redo()
    assert panel.state.profile.trim_target == seen[-1]


def test_that_a_typed_number_is_taken_exactly(qtbot: QtBot, panel: TuningPanel) -> None:
    number = panel.editors["window"].number
    assert number is not None
    number.setFocus()
    number.selectAll()
    qtbot.keyClicks(number, "65,537")
    qtbot.keyClick(number, Qt.Key.Key_Return)
    assert panel.state.profile.window == 65_537
    assert panel.undo_stack.count() == 1


def test_that_what_is_no_number_is_given_up(qtbot: QtBot, panel: TuningPanel) -> None:
    number = panel.editors["window"].number
    assert number is not None
    number.setFocus()
    number.selectAll()
    qtbot.keyClicks(number, "many")
    qtbot.keyClick(number, Qt.Key.Key_Return)
    assert panel.state.profile == Profile()
    assert number.value() == 128_000


def test_that_changed_fields_are_marked_counted_and_reset_one_by_one(qtbot: QtBot, panel: TuningPanel) -> None:
    slide(panel, "trim_target", 10)
    slide(panel, "protect_first_n", 9)
    editor = panel.editors["trim_target"]
    assert editor.dot.isVisible()
    assert panel.title.facts == "default* · 2 changed"
    editor.reset.click()
    assert panel.state.profile.trim_target == Profile().trim_target
    assert not editor.dot.isVisible()
    panel.reset_all.click()
    assert panel.state.profile == Profile()
    assert panel.title.facts == "default · nothing changed"


def test_that_an_invalid_combination_says_why_in_place_and_keeps_the_last_valid_one(
    qtbot: QtBot, panel: TuningPanel
) -> None:
    assert panel.split is not None
    number = panel.split.numbers["quota_task"]
    number.setFocus()
    number.selectAll()
    qtbot.keyClicks(number, "0.9")
    qtbot.keyClick(number, Qt.Key.Key_Return)
    assert panel.state.profile == Profile()
    assert "add up to 1.50 of C" in panel.split.error.text()
    assert "stay in force" in panel.split.error.text()
    slide(panel, "trim_target", 30)
    assert panel.split.error.isHidden()
    assert number.value() == 0.4


def test_that_a_window_smaller_than_its_reserves_is_refused_at_its_slider(panel: TuningPanel) -> None:
    slide(panel, "window", 0)
    editor = panel.editors["window"]
    assert panel.state.profile == Profile()
    assert "leaves nothing after the reserves" in editor.error.text()


def test_that_a_border_of_the_split_moves_its_two_neighbours_and_keeps_their_sum(panel: TuningPanel) -> None:
    assert panel.split is not None
    panel.split.slider.setValue((20, 40, 90))
    profile = panel.state.profile
    assert (profile.quota_global, profile.quota_session, profile.quota_task, profile.quota_atomic) == (
        0.2, 0.2, 0.5, 0.1,
    )  # fmt: skip
    assert panel.split.left_over.text() == "all of C is assigned"


def test_that_shares_finer_than_a_per_cent_survive_moving_another_border(panel: TuningPanel) -> None:
    assert panel.split is not None
    panel.state.set_profile(Profile(quota_global=0.125, quota_session=0.3, quota_task=0.4, quota_atomic=0.1))
    assert panel.split.left_over.text().endswith("of C unassigned")
    split: tuple[Any, ...] = panel.split.slider.value()
    first, second, third = split
    panel.split.slider.setValue((first, second, third + 5))
    assert panel.state.profile.quota_global == 0.125
    assert sum(panel.state.profile.quotas.values()) == pytest.approx(0.925)


def test_that_switches_and_choices_are_taken_at_once(panel: TuningPanel) -> None:
    switch = panel.editors["quota_borrowing"].switch
    choice = panel.editors["pressure_basis"].choice
    assert switch is not None
    assert choice is not None
    switch.click()
    choice.setCurrentIndex(1)
    choice.activated.emit(1)
    assert panel.state.profile.quota_borrowing is True
    assert panel.state.profile.pressure_basis == "full_log"
    assert panel.undo_stack.count() == 2


def test_that_a_preset_chosen_elsewhere_is_shown_and_can_be_undone(panel: TuningPanel) -> None:
    panel.state.set_profile(load("tight-32k"))
    number = panel.editors["window"].number
    assert number is not None
    assert number.text() == "32,000 tokens"
    panel.undo_stack.undo()
    assert panel.state.profile == Profile()


def test_that_control_z_undoes_inside_the_panel(qtbot: QtBot, panel: TuningPanel) -> None:
    slide(panel, "trim_target", 10)
    slider = panel.editors["trim_target"].slider
    assert slider is not None
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert panel.state.profile == Profile()


def test_that_a_saved_profile_comes_back_and_a_bad_file_changes_nothing(panel: TuningPanel, tmp_path: Path) -> None:
    said: list[tuple[str, str]] = []
    panel.state.message_posted.connect(lambda level, sentence: said.append((level, sentence)))
    slide(panel, "trim_target", 10)
    saved = panel.state.profile
    panel.save_file(tmp_path / "mine.toml")
    panel.reset_all.click()
    panel.load_file(tmp_path / "mine.toml")
    assert panel.state.profile == saved
    bad = tmp_path / "bad.toml"
    bad.write_text("window = 'wide'", encoding="utf-8")
    panel.load_file(bad)
    assert panel.state.profile == saved
    assert said[-1][0] == "error"
    assert "window" in said[-1][1]
    assert "bad.toml" in said[-1][1]


def test_that_the_help_line_says_what_a_field_does_and_where_its_value_came_from(panel: TuningPanel) -> None:
    panel.state.set_profile(load("tight-32k"))
    panel.editors["window"].looked_at.emit("window")
    assert "set by the preset tight-32k" in panel.help.text()


def test_that_the_wheel_over_a_slider_without_focus_scrolls_instead(panel: TuningPanel) -> None:
    from PySide6.QtCore import QPoint, QPointF
    from PySide6.QtGui import QWheelEvent

    slider = panel.editors["trim_target"].slider
    assert slider is not None
    panel.help.setFocus()
    wheel = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(0, 0), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    slider.wheelEvent(wheel)
    assert not wheel.isAccepted()
    assert panel.state.profile == Profile()
