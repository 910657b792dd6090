"""The view of the registry: what is listed, the filter, selecting, resolving addresses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from ravenglass.replay import Run
from ravenglass.replay.living import Living
from ravenglass.replay.vocabulary import FIELDS, shown
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.registry import panel as registry_panel
from ravenglass_gui.views.registry.model import RegistryColumn, RegistryModel
from ravenglass_gui.views.registry.panel import RegistryPanel


@pytest.fixture
def panel(loaded: DebuggerState, show: Any, monkeypatch: pytest.MonkeyPatch) -> RegistryPanel:
    """Shows every call at once, however slow the machine is."""
    monkeypatch.setattr(registry_panel, "_FRAME_S", 1_000.0)
    shown: RegistryPanel = show(RegistryPanel(loaded))
    return shown


def cell(panel: RegistryPanel, row: int, column: RegistryColumn) -> str:
    return str(panel.model.index(row, column).data())


def test_that_the_table_keeps_the_rules_of_a_model(run: Run) -> None:
    model = RegistryModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show(run.registry(60).entries, Living(run, 60))
    model.show(run.registry(3).entries, Living(run, 3))
    assert model.rowCount() == len(run.registry(3))


def test_that_every_entry_of_the_call_is_listed_with_whether_it_is_alive(panel: RegistryPanel, run: Run) -> None:
    for call in (60, 7):
        panel.state.set_call(call)
        known, living = run.registry(call), Living(run, call)
        assert panel.model.rowCount() == len(known)
        for row, entry in enumerate(known):
            said = living.of(entry)
            assert cell(panel, row, RegistryColumn.STATE) == entry.state.label
            assert cell(panel, row, RegistryColumn.TOKENS) == f"{entry.tokens:,}"
            alive = "yes" if said.alive else "no"
            assert cell(panel, row, RegistryColumn.ALIVE) == f"{alive}: {said.why}"


def test_that_scrubbing_passes_a_slow_registry_by_and_it_is_shown_once_the_playhead_rests(
    qtbot: QtBot, panel: RegistryPanel, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry_panel, "_FRAME_S", 0.0)
    read: list[int] = []
    made = panel._read

    def noted() -> None:
        read.append(panel.state.call)
        made()

    monkeypatch.setattr(panel, "_read", noted)
    for call in range(40, 50):
        panel.state.set_call(call)
    assert read == []
    qtbot.waitUntil(lambda: read == [49], timeout=10_000)
    assert panel.model.rowCount() == len(run.registry(49))


def test_that_the_filter_keeps_entries_with_every_word(qtbot: QtBot, panel: RegistryPanel, run: Run) -> None:
    qtbot.keyClicks(panel.filter, "state:archived")
    qtbot.keyClick(panel.filter, Qt.Key.Key_Return)
    wanted = sum(entry.state.label == "archived" for entry in run.registry(60))
    assert panel.model.rowCount() == wanted > 0
    assert panel.count.text() == f"{wanted} of {len(run.registry(60)):,} entries"


def test_that_a_filter_that_cannot_be_read_is_said_and_can_be_cleared(panel: RegistryPanel, run: Run) -> None:
    panel.filter.setText("colour:red")
    panel.refresh()
    assert panel._empty.sentence().startswith("'colour' is no field of the registry")
    panel._empty.button().click()
    panel.refresh()
    assert panel.model.rowCount() == len(run.registry(60))


def test_that_selecting_an_entry_selects_its_message_and_the_other_way_round(panel: RegistryPanel) -> None:
    panel.view.setCurrentIndex(panel.model.index(5, 0))
    chosen = panel.model.entry(5)
    assert chosen is not None
    assert panel.state.selected == chosen.message
    panel.state.select(2)
    current = panel.model.entry(panel.view.currentIndex().row())
    assert current is not None
    assert current.message == 2


def test_that_any_listed_address_is_resolved_to_its_text(qtbot: QtBot, panel: RegistryPanel, run: Run) -> None:
    for entry in (run.registry(60).entries[1], run.registry(60).entries[-1]):
        panel.address.setText(entry.context_id)
        qtbot.keyClick(panel.address, Qt.Key.Key_Return)
        found = run.resolve(entry.context_id, 60)
        assert panel.state.selected == found.message
        assert panel.text.view.toPlainText() == found.text
        assert panel.answer.text().startswith(f"#{found.message} · {found.state.label} at call 60")


def test_that_an_address_that_stands_for_nothing_is_said_in_place(panel: RegistryPanel) -> None:
    before = panel.state.selected
    panel.address.setText("cxt://session/another/msg/3")
    panel.resolve_button.click()
    assert panel.answer.isVisible()
    assert panel.answer.text().endswith(".")
    assert panel.text.isHidden()
    assert panel.state.selected == before


def test_that_what_an_address_stood_for_goes_with_its_call(panel: RegistryPanel, run: Run) -> None:
    panel.address.setText(run.registry(60).entries[0].context_id)
    panel.resolve()
    assert panel.text.isVisible()
    panel.state.set_call(12)
    assert panel.text.isHidden()
    assert panel.answer.isHidden()


def test_that_nothing_scrolls_sideways_and_every_field_of_the_entry_is_told(panel: RegistryPanel, run: Run) -> None:
    panel.resize(742, 300)
    assert panel.view.horizontalScrollBar().maximum() == 0
    panel.state.select(run.registry(60).entries[2].message)
    entry = panel.model.entry(panel.view.currentIndex().row())
    assert entry is not None
    for name in FIELDS:
        if said := shown(entry, name):
            assert said[:12] in panel.details.text()
            assert said in str(panel.model.index(2, 0).data(Qt.ItemDataRole.ToolTipRole))


def test_that_a_message_is_found_by_its_own_entry_and_not_by_what_comes_from_it(run: Run) -> None:
    model = RegistryModel()
    entries = run.registry(60).entries
    message = next(entry for entry in entries if entry.group is not None)
    derived = replace(message, group=None)
    for listed in ((derived, message), (message, derived)):
        model.show(listed, None)
        found = model.row_of(message.message)
        assert found is not None
        assert model.entry(found) == message
    model.show((derived,), None)
    assert model.row_of(message.message) == 0
