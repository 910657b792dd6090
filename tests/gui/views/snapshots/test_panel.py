"""The view of snapshots: the list, what differs between two, rolling back and undoing it."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from ravenglass.replay import SimulatedRun
from ravenglass.replay.stepping.changes import HandChange, RollBack
from ravenglass.replay.vocabulary import Snapshot, Taken, compare
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.snapshots.diff_text import diff_text
from ravenglass_gui.views.snapshots.model import SnapshotModel
from ravenglass_gui.views.snapshots.panel import SnapshotsPanel


@pytest.fixture
def panel(loaded: DebuggerState, show: Any) -> SnapshotsPanel:
    shown: SnapshotsPanel = show(SnapshotsPanel(loaded))
    return shown


def test_that_the_table_keeps_the_rules_of_a_model(run: SimulatedRun) -> None:
    model = SnapshotModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert model.show(run.snapshots())
    assert not model.show(run.snapshots())
    assert model.rowCount() == len(run.snapshots()) > 1


def test_that_the_row_follows_the_playhead_and_a_click_moves_it(panel: SnapshotsPanel, run: SimulatedRun) -> None:
    for call in (60, 31, 1):
        panel.state.set_call(call)
        chosen = panel.current()
        assert chosen is not None
        assert chosen.step == max(taken.step for taken in run.snapshots() if taken.step <= call)
    panel.view.clicked.emit(panel.model.index(2, 0))
    assert panel.state.call == run.snapshots()[2].step


def test_that_the_chosen_one_is_compared_with_the_one_before_or_any_other(
    panel: SnapshotsPanel, run: SimulatedRun, qtbot: QtBot
) -> None:
    taken = run.snapshots()
    held = [run.snapshot(one) for one in taken]
    panel.state.set_call(taken[2].step)
    qtbot.waitUntil(lambda: panel.text.view.toPlainText() == diff_text(compare(held[1], held[2])))
    panel.against.setCurrentIndex(1)
    qtbot.waitUntil(lambda: panel.text.view.toPlainText() == diff_text(compare(held[0], held[2])))
    assert panel.facts.text().startswith(f"{len(held[2].entries):,} entries · ")


def test_that_snapshots_are_made_away_from_the_gui_thread(
    panel: SnapshotsPanel, run: SimulatedRun, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = SimulatedRun.snapshot
    threads: set[str] = set()

    def noted(self: SimulatedRun, taken: Taken) -> Snapshot:
        threads.add(threading.current_thread().name)
        assert self is not run  # the one on screen is the GUI thread's to ask
        return made(self, taken)

    monkeypatch.setattr(SimulatedRun, "snapshot", noted)
    for taken in run.snapshots():
        panel.state.set_call(taken.step)
    qtbot.waitUntil(lambda: panel.facts.text() != "", timeout=30_000)
    assert threads
    assert all(name.startswith("ravenglass look") for name in threads)


def test_that_a_snapshot_that_cannot_be_made_is_a_sentence(
    panel: SnapshotsPanel, run: SimulatedRun, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: SimulatedRun, taken: Taken) -> Snapshot:
        raise ValueError("no such thing")

    monkeypatch.setattr(SimulatedRun, "snapshot", broken)
    panel.state.set_call(run.snapshots()[1].step)
    qtbot.waitUntil(lambda: "no such thing" in panel.text.view.toPlainText())


def test_that_rolling_back_drops_later_changes_and_undo_brings_them_again(
    panel: SnapshotsPanel, run: SimulatedRun
) -> None:
    state, taken = panel.state, run.snapshots()[2]
    late = HandChange(50, "pin", 2)
    state.add_change(late)
    state.set_call(taken.step)
    panel.back_button.click()
    assert list(state.changes) == [RollBack(taken.step + 1, taken.name, taken.task, run.calls)]
    state.undo_change()
    assert list(state.changes) == [late]
    state.redo_change()
    assert [type(change) for change in state.changes] == [RollBack]


def test_that_nothing_can_be_rolled_back_to_where_no_call_follows(panel: SnapshotsPanel, run: SimulatedRun) -> None:
    last = [taken.step for taken in run.snapshots()][-1]
    panel.state.set_call(run.calls)
    assert panel.back_button.isEnabled() == (last < run.calls)
