"""The view of regrets: sorting, opening, the control, what compactions took."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from ravenglass.profile import Profile
from ravenglass.replay import replay
from ravenglass.replay.figures import UPPER_BOUND, Paid, Regret
from ravenglass.replay.recorded.run import recorded_run
from ravenglass.sessions.model.session import Marker
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.needs.model import NeedsColumn, NeedsModel, cell_text, told
from ravenglass_gui.views.needs.panel import NeedsPanel
from tests.engine.builders import assistant, call, filler, result, session, summary, user

_TEXT = "\n".join(f"row {n}: total = price_{n} * amount" for n in range(1, 30))
_PAID = Paid(1, 200, 2.0, 0.0006)
_REGRETS = (
    Regret(9, 20, "name", "parseWidget", 4, (2, 4), "gone", 700, 5, "left out by the slow path"),
    Regret(3, 8, "fetch_again", "src/a.py", 6, (6,), "mentioned", 90, 0, "", _PAID),
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
        "9", "name", "parseWidget", "#4 and 1 more", "gone", "700", "5", "", "left out by the slow path",
    ]  # fmt: skip
    assert cell_text(fetch, NeedsColumn.LOST) == "unknown"
    assert cell_text(fetch, NeedsColumn.COST) == "$0.0006"
    assert UPPER_BOUND in told(name)
    assert "Paid again: 200 tokens, 2.0 s, $0.0006." in told(fetch)


def test_that_it_lists_the_regrets_of_the_run_with_the_figures_of_its_metrics(
    pressed: DebuggerState, show: Any
) -> None:
    panel: NeedsPanel = show(NeedsPanel(pressed))
    run = pressed.run
    assert run is not None
    assert run.regrets
    assert panel.model.rowCount() == len(run.regrets) == run.metrics.regrets
    assert f"recall {run.metrics.recall:.2f}" in panel.recall.text()
    assert UPPER_BOUND.split(".")[0] in panel.recall.toolTip()
    assert f"{run.metrics.names.gone:,} gone" in panel.classes.text()
    assert f"of {run.metrics.control.lost:,}" in panel.control.text()
    assert not panel.aftermaths.isVisible()


def test_that_a_click_moves_to_the_call_and_selects_the_source_and_a_double_click_the_response(
    pressed: DebuggerState, show: Any
) -> None:
    panel: NeedsPanel = show(NeedsPanel(pressed))
    pressed.set_call(1)
    panel.view.setCurrentIndex(panel.model.index(0, 0))
    regret = panel.model.regret(0)
    assert regret is not None
    panel.view.clicked.emit(panel.model.index(0, 0))
    assert (pressed.call, pressed.selected) == (regret.call, regret.message)
    panel.view.doubleClicked.emit(panel.model.index(0, 0))
    assert pressed.selected == regret.response


def test_that_the_recorded_run_lists_what_was_paid_again_and_what_the_compaction_took(
    state: DebuggerState, show: Any
) -> None:
    read = (assistant("", call("Read", file_path="src/a.py")), result(_TEXT))
    made = session(user("go"), *read, assistant("ok"), summary("so far: nothing"), *read, assistant("end"))
    made = replace(made, markers=(Marker("compaction", 4),))
    state.set_session(made)
    run = recorded_run(made)
    state.set_run(run)
    panel: NeedsPanel = show(NeedsPanel(state))
    assert "paid again" in panel.recall.text()
    assert panel.aftermaths.isVisible()
    assert panel.after.rowCount() == 1
    panel.aftermaths.clicked.emit(panel.after.index(0, 0))
    assert state.call == 3


def test_that_a_run_with_nothing_at_risk_says_so(loaded: DebuggerState, show: Any) -> None:
    whole = replay(loaded.session, Profile(window=2_000_000)) if loaded.session is not None else None
    loaded.set_run(whole)
    panel: NeedsPanel = show(NeedsPanel(loaded))
    assert panel._empty.sentence().startswith("Nothing is at risk under this profile")
    assert not panel.source_button.isEnabled()
