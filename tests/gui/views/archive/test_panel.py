"""The archive panel: search and retrieval by hand."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ravenglass.replay import Run
from ravenglass.replay.frame import Retrieved
from ravenglass.replay.stepping.changes import HandChange
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.archive.model import ArchiveColumn
from ravenglass_gui.views.archive.panel import ArchivePanel


@pytest.fixture
def panel(loaded: DebuggerState, show: Any) -> ArchivePanel:
    shown: ArchivePanel = show(ArchivePanel(loaded))
    return shown


def choose(panel: ArchivePanel, row: int) -> None:
    panel.view.setCurrentIndex(panel.model.index(row, ArchiveColumn.CALL))


def test_that_without_a_session_it_says_what_would_be_there(state: DebuggerState, show: Any) -> None:
    panel = show(ArchivePanel(state))
    assert panel._empty.sentence() == "What is archived at each call appears here once a session is open."
    assert not panel.show_button.isEnabled()


def test_that_before_the_first_archiving_it_says_when_that_is(panel: ArchivePanel, run: Run) -> None:
    panel.state.set_call(1)
    first = run.archive()[0].call
    assert panel._empty.sentence() == f"Nothing is archived up to call 1; the first archiving is at call {first}."


def test_that_it_lists_what_is_archived_up_to_the_call(panel: ArchivePanel, run: Run) -> None:
    assert panel.model.rowCount() == len(run.archive(60))
    panel.state.set_call(40)
    assert panel.model.rowCount() == len(run.archive(40))


def test_that_a_search_keeps_the_entries_that_hold_the_text(qtbot: QtBot, panel: ArchivePanel, run: Run) -> None:
    wanted = run.archive()[1]
    number = run.session.messages[wanted.messages[-1]].text.split("(")[0].removeprefix("def ")
    qtbot.keyClicks(panel.search, f"{number}(")
    qtbot.keyClick(panel.search, Qt.Key.Key_Return)
    assert [panel.model.entry(row) for row in range(panel.model.rowCount())] == [wanted]
    panel.search.setText('no "such" text')
    panel.refresh()
    assert panel._empty.sentence() == f"None of the {len(run.archive())} entries holds this text."


def test_that_selecting_an_entry_selects_its_first_message(panel: ArchivePanel, run: Run) -> None:
    choose(panel, 1)
    assert panel.state.selected == run.archive()[1].messages[0]


def test_that_an_exact_retrieval_is_complete_and_verbatim(panel: ArchivePanel, run: Run) -> None:
    got: list[Retrieved] = []
    panel.state.retrieved.connect(got.append)
    choose(panel, 0)
    panel.cap.setValue(200_000)
    panel.retrieve()
    entry = run.archive()[0]
    assert not got[0].truncated
    assert got[0].raw == tuple(run.session.raw(m) for m in entry.messages)


def test_that_the_cap_is_the_profiles_at_first_and_cuts_what_is_larger(panel: ArchivePanel, run: Run) -> None:
    got: list[Retrieved] = []
    panel.state.retrieved.connect(got.append)
    assert panel.cap.value() == run.profile.retrieve_tokens
    choose(panel, 0)
    panel.cap.setValue(50)
    panel.retrieve()
    assert got[0].truncated
    assert got[0].tokens <= 50


def test_that_retrieving_into_the_window_makes_a_branch(panel: ArchivePanel, run: Run) -> None:
    choose(panel, 0)
    panel.retrieve_into_window()
    assert panel.state.changes == (HandChange(60, "retrieve", run.archive()[0].messages[0]),)
