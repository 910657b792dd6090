"""The view of regrets: sorting, opening, the control, what compactions took."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from ravenglass.profile import Profile
from ravenglass.replay import replay
from ravenglass.replay.figures import UPPER_BOUND, Control, Paid, Regret
from ravenglass.replay.recorded.run import recorded_run
from ravenglass.sessions.model.session import Marker
from ravenglass_gui.shell.focus import needs
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.text.needs_text import share_words
from ravenglass_gui.views.needs.control_bars import ControlBars
from ravenglass_gui.views.needs.model import NeedsColumn, NeedsModel, cell_text, told
from ravenglass_gui.views.needs.panel import NeedsPanel
from tests.engine.builders import assistant, call, filler, result, session, summary, user

_TEXT = "\n".join(f"row {n}: total = price_{n} * amount" for n in range(1, 30))
_PAID = Paid(1, 200, 2.0, 0.0006)
_REGRETS = (
    Regret(9, 20, "name", "parseWidget", 4, (2, 4), "gone", 700, ("parseWidget",), 5, "left out by the slow path"),
    Regret(3, 8, "fetch_again", "src/a.py", 6, (6,), "mentioned", 90, (), 0, "", _PAID),
)


@pytest.fixture
def pressed(state: DebuggerState) -> DebuggerState:
    """A session in which a name and a file are needed after their source was cut."""
    read = (assistant("", call("Read", file_path="src/a.py")), result(_TEXT))
    fill = [m for n in range(12) for m in (user(f"{n} {filler(300)}"), assistant(f"so {n}"))]
    made = session(
        user("go"),
        *read,
        *fill,
        user("end"),
        assistant("price_7", call("Read", file_path="src/a.py")),
        result(_TEXT),
        assistant("x"),
    )
    state.set_session(made)
    state.set_run(replay(made, Profile(window=2_500, system_overhead=0, protect_first_n=0, summarize=False)))
    return state


def test_that_the_table_keeps_the_rules_of_a_model_and_sorts_by_any_column() -> None:
    model = NeedsModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show(_REGRETS)
    assert [model.regret(row) for row in range(2)] == [_REGRETS[1], _REGRETS[0]]
    for column in NeedsColumn:
        model.sort(column, Qt.SortOrder.AscendingOrder)
        up = [model.regret(row) for row in range(2)]
        model.sort(column, Qt.SortOrder.DescendingOrder)
        assert [model.regret(row) for row in range(2)] == up[::-1]
    model.sort(NeedsColumn.TOKENS, Qt.SortOrder.DescendingOrder)
    assert model.regret(0) == _REGRETS[0]


def test_that_a_cell_and_its_tooltip_say_what_is_known_and_what_is_not() -> None:
    name, fetch = _REGRETS
    assert [cell_text(name, column) for column in NeedsColumn] == [
        "9", "name", "parseWidget", "#4 +1", "gone", "700", "5", "", "left out by the slow path",
    ]  # fmt: skip
    assert cell_text(fetch, NeedsColumn.LOST) == "unknown"
    assert cell_text(fetch, NeedsColumn.COST) == "$0.0006"
    assert UPPER_BOUND in told(name)
    assert "When it left the window is not known." in told(fetch)
    assert "Paid again: 200 tokens, 2.0 s, $0.0006." in told(fetch)
    assert "time unknown" in told(replace(fetch, paid=replace(_PAID, seconds=None)))


def test_that_sorting_keeps_the_regret_that_is_held_and_ten_thousand_are_no_delay() -> None:
    many = tuple(replace(_REGRETS[0], call=n, what=f"name{n % 97}", tokens=n % 1_013) for n in range(1, 10_001))
    model = NeedsModel()
    started = perf_counter()
    model.show(many)
    held = QPersistentModelIndex(model.index(4_321, 0))
    kept = model.regret(4_321)
    model.sort(NeedsColumn.WHAT, Qt.SortOrder.DescendingOrder)
    assert model.regret(held.row()) == kept
    assert model.row_of(kept) == held.row()
    assert perf_counter() - started < 5


def test_that_it_lists_the_regrets_of_the_run_with_the_figures_of_its_metrics(
    pressed: DebuggerState, show: Any
) -> None:
    panel: NeedsPanel = show(NeedsPanel(pressed))
    run = pressed.run
    assert run is not None
    assert run.regrets
    m = run.metrics
    assert panel.regrets.model.rowCount() == len(run.regrets) == m.regrets
    assert panel.recall.text() == f"recall ≤ {m.recall:.2f} of {(m.names + m.fetches_again).total} needs"
    assert UPPER_BOUND.split(".")[0] in panel.recall.toolTip()
    assert f"{m.names.gone:,} gone" in panel.regrets.counts.accessibleName()
    assert f"of {m.control.lost:,}" in panel.regrets.control.accessibleName()


def test_that_a_rate_of_nothing_is_unknown_and_a_rate_of_something_may_be_zero() -> None:
    assert share_words(0, 0) == "0 of 0 (unknown)"
    assert share_words(0, 26) == "0 of 26 (0 %)"
    bars = ControlBars()
    bars.show_control(Control(51, 4, 31, 5), 4)
    assert bars.words() == ("4 of 51 (8 %)", "5 of 31 (16 %)", "difference +8 points")
    assert "4 fetches after a loss asked again for 5 results" in bars.toolTip()
    bars.show_control(Control(51, 4, 0, 0), 0)
    assert bars.words()[1:] == ("0 of 0 (unknown)", "difference unknown")
    for width in (60, 200, 300, 400, 800):
        bars.resize(width, 36)
        bars.grab()


def test_that_selecting_moves_to_the_call_and_the_source_and_enter_to_the_response(
    pressed: DebuggerState, show: Any, qtbot: QtBot
) -> None:
    panel: NeedsPanel = show(NeedsPanel(pressed))
    page = panel.regrets
    pressed.set_call(1)
    page.view.setFocus()
    assert page.current() is None
    assert "Enter" in page.details.text.toPlainText()
    qtbot.keyClick(page.view, Qt.Key.Key_Down)
    regret = page.model.regret(0)
    assert regret is not None
    assert page.current() == regret
    assert (pressed.call, pressed.selected) == (regret.call, regret.message)
    assert f"Response #{regret.response} of call {regret.call}" in page.details.text.toPlainText()
    qtbot.keyClick(page.view, Qt.Key.Key_Return)
    assert (pressed.call, pressed.selected) == (regret.call, regret.response)
    page.details.source.click()
    assert pressed.selected == regret.message
    page.details.response.click()
    assert pressed.selected == regret.response


def test_that_tab_goes_from_the_switch_to_the_list_and_on_to_the_links(pressed: DebuggerState, show: Any) -> None:
    panel: NeedsPanel = show(NeedsPanel(pressed))
    panel.regrets.view.selectRow(0)
    panel.activateWindow()
    first = panel.switch.findChildren(QToolButton)[0]
    first.setFocus()
    seen = []
    for _ in range(3):
        panel.focusNextPrevChild(True)
        seen.append(panel.focusWidget())
    assert seen == [panel.regrets.view, panel.regrets.details.source, panel.regrets.details.response]


def _compacted(state: DebuggerState) -> None:
    read = (assistant("", call("Read", file_path="src/a.py")), result(_TEXT))
    made = session(user("go"), *read, assistant("ok"), summary("so far: nothing"), *read, assistant("end"))
    made = replace(made, markers=(Marker("compaction", 4),))
    state.set_session(made)
    state.set_run(replay(made, Profile()))
    state.set_recorded(recorded_run(made))


def test_that_no_table_scrolls_sideways_and_no_header_is_cut_in_a_small_window(state: DebuggerState, show: Any) -> None:
    _compacted(state)
    state.show_recorded(True)
    panel: NeedsPanel = show(NeedsPanel(state))
    panel.resize(720, 300)
    for page in (0, 1):
        panel.switch.choose(page)
        view = (panel.regrets, panel.after)[page].view
        QApplication.processEvents()
        assert view.isVisible()
        assert view.horizontalScrollBar().maximum() == 0
        header = view.horizontalHeader()
        for column in range(header.count()):
            if not header.isSectionHidden(column):
                text = str(view.model().headerData(column, Qt.Orientation.Horizontal))
                assert view.fontMetrics().horizontalAdvance(text) < header.sectionSize(column)


def test_that_the_second_page_says_what_the_compaction_took_and_whose_it_is(
    state: DebuggerState, show: Any, qtbot: QtBot
) -> None:
    _compacted(state)
    panel: NeedsPanel = show(NeedsPanel(state))
    page = panel.after
    panel.switch.choose(1)
    assert page.isVisible()
    assert page.list_page.empty.sentence().startswith("Compactions belong to the recorded run")
    page.list_page.empty.button().click()
    assert state.showing == "recorded"
    assert "paid again" in panel.paid.text()
    assert page.model.rowCount() == 1
    QAbstractItemModelTester(page.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    page.view.setFocus()
    qtbot.keyClick(page.view, Qt.Key.Key_Down)
    assert state.call == 3
    assert page.details.text.toPlainText().startswith("Before call 3 the writer compacted its window.")
    panel.switch.choose(0)
    assert panel.regrets.view.isVisible()


def test_that_a_new_run_keeps_the_selected_regret_and_moves_nothing(state: DebuggerState, show: Any) -> None:
    _compacted(state)
    state.show_recorded(True)
    panel: NeedsPanel = show(NeedsPanel(state))
    panel.regrets.view.selectRow(0)
    chosen = panel.regrets.current()
    assert chosen is not None
    state.set_call(1)
    state.select(0)
    assert state.session is not None
    state.set_recorded(recorded_run(state.session))
    assert panel.regrets.current() == chosen
    assert (state.call, state.selected) == (1, 0)


def test_that_a_run_with_nothing_at_risk_says_so(pressed: DebuggerState, show: Any) -> None:
    assert pressed.session is not None
    pressed.set_run(replay(pressed.session, Profile(window=2_000_000)))
    panel: NeedsPanel = show(NeedsPanel(pressed))
    said = panel.regrets.list_page.empty.sentence()
    assert said.startswith("No regrets: nothing that the recorded window held was missed.")
    assert not panel.regrets.details.isVisible()


def test_that_a_session_that_needs_nothing_says_that(state: DebuggerState, show: Any) -> None:
    made = session(user("go"), assistant("ok"))
    state.set_session(made)
    state.set_run(replay(made, Profile()))
    panel: NeedsPanel = show(NeedsPanel(state))
    assert panel.regrets.list_page.empty.sentence().startswith("No response of this session needs anything")
    assert panel.recall.text() == "recall unknown: no response needs anything earlier"


def test_that_left_and_right_choose_within_the_switch(pressed: DebuggerState, show: Any, qtbot: QtBot) -> None:
    panel: NeedsPanel = show(NeedsPanel(pressed))
    first = panel.switch.findChildren(QToolButton)[0]
    assert needs(first, Qt.Key.Key_Right, "")
    qtbot.keyClick(first, Qt.Key.Key_Right)
    assert panel.switch.page() == 1
