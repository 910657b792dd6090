"""The window panel: what the call saw."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from ravenglass.replay import SimulatedRun, replay
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.text.numbers import percent
from ravenglass_gui.views.message.panel import MessagePanel
from ravenglass_gui.views.window.model import Block, Line, WindowColumn
from ravenglass_gui.views.window.panel import WindowPanel
from tests.gui.replayed import slow_call


@pytest.fixture
def panel(loaded: DebuggerState, show: Any) -> WindowPanel:
    shown: WindowPanel = show(WindowPanel(loaded))
    return shown


def blocks(panel: WindowPanel) -> list[int | None]:
    listed = (panel.model.entry(row) for row in range(panel.model.rowCount()))
    return [entry.message.id for entry in listed if isinstance(entry, Block)]


def test_that_without_a_session_it_says_what_would_be_there(state: DebuggerState, show: Any) -> None:
    panel = show(WindowPanel(state))
    assert panel._empty.sentence() == "What each model call saw appears here once a session is open."


def test_that_its_header_gives_the_figures_of_the_frame(panel: WindowPanel, run: SimulatedRun) -> None:
    call = slow_call(run)
    panel.state.set_call(call)
    frame = run.frame(call)
    assert panel.facts.text() == (
        f"{frame.included} messages · {frame.tokens:,} of {run.budget.available:,} tokens est. · slow path"
        f" · {run.cache_read(call):,} cached · repeated injection {percent(frame.injection.ratio or 0.0)}"
    )


def test_that_the_list_follows_the_playhead(panel: WindowPanel, run: SimulatedRun) -> None:
    for call in (3, 50, 12):
        panel.state.set_call(call)
        assert blocks(panel) == [m.id for m in run.window(call).messages]


def test_that_selecting_a_block_selects_its_message_and_the_other_way_round(
    qtbot: QtBot, panel: WindowPanel, run: SimulatedRun
) -> None:
    rows = [r for r in range(panel.model.rowCount()) if isinstance(panel.model.entry(r), Block)]
    index = panel.model.index(rows[2], 0)
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=panel.view.visualRect(index).center())
    assert panel.state.selected == blocks(panel)[2]
    last = blocks(panel)[-1]
    panel.state.select(last)
    assert panel.view.currentIndex().row() == panel.model.row_of(last or 0)


def test_that_a_message_that_is_not_in_the_window_selects_no_block(panel: WindowPanel, run: SimulatedRun) -> None:
    outside = next(m for m in range(run.rows(60)) if not run.in_window(60, m))
    panel.state.select(blocks(panel)[2])
    panel.state.select(outside)
    assert not panel.view.selectionModel().hasSelection()
    assert panel.state.selected == outside


def test_that_only_changes_lists_what_came_and_what_left(panel: WindowPanel, run: SimulatedRun) -> None:
    call = slow_call(run)
    panel.state.set_call(call)
    panel.changed_only.setChecked(True)
    texts = [e.text for r in range(panel.model.rowCount()) if isinstance(e := panel.model.entry(r), Line)]
    assert texts[-1] == f"left the window at this call · {run.frame(call).evicted}"


def test_that_the_cache_line_and_headings_are_drawn_over_the_whole_width(panel: WindowPanel, run: SimulatedRun) -> None:
    panel.state.set_call(slow_call(run) + 1)
    row = next(r for r in range(panel.model.rowCount()) if getattr(panel.model.entry(r), "kind", "") == "cache")
    panel.view.scrollTo(panel.model.index(row, 0))
    box = panel.view.visualRect(panel.model.index(row, 0))
    picture = panel.view.viewport().grab().toImage()
    ends = [x for x in range(box.left(), panel.view.viewport().width()) if _drawn(picture, x, box)]
    assert ends[0] < 200
    assert ends[-1] > panel.view.viewport().width() - 40
    gaps = [later - x for x, later in pairwise(ends)]
    assert max(gaps) < 100, "a label, and dashes to its right"


def _drawn(picture: QImage, x: int, box: QRect) -> bool:
    """Whether a column of pixels of a row holds more than its background."""
    return len({picture.pixelColor(x, y).name() for y in range(box.top() + 2, box.bottom() - 2)}) > 1


def test_that_a_click_on_the_summary_selects_no_message(qtbot: QtBot, panel: WindowPanel, run: SimulatedRun) -> None:
    tight = replay(run.session, run.profile.with_values(window=6_000, system_overhead=0))
    call = tight.markers()["summarized"][0]
    panel.state.set_profile(tight.profile)
    panel.state.set_run(tight)
    panel.state.set_call(call)
    rows = {r: e for r in range(panel.model.rowCount()) if isinstance(e := panel.model.entry(r), Block)}
    row = next(r for r, entry in rows.items() if entry.message.label == "summary")
    selected = panel.state.selected
    index = panel.model.index(row, WindowColumn.WHAT)
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=panel.view.visualRect(index).center())
    assert panel.state.selected == selected
    panel.view.grab()  # paints its icon and word
    headings = [e.text for r in range(row) if isinstance(e := panel.model.entry(r), Line)]
    assert headings[-1] == "session: working state, summary"


def test_that_a_block_that_is_no_message_is_read_in_full_in_the_message_pane(
    loaded: DebuggerState, run: SimulatedRun, show: Any
) -> None:
    panel, pane = show(WindowPanel(loaded)), show(MessagePanel(loaded))
    loaded.set_call(slow_call(run))
    made = next(m for m in run.window(loaded.call).messages if m.id is None and m.text)
    row = next(
        row
        for row in range(panel.model.rowCount())
        if isinstance(entry := panel.model.entry(row), Block) and entry.message == made
    )
    loaded.select(2)
    panel.view.setCurrentIndex(panel.model.index(row, 0))
    assert pane.text.view.text == made.text
    assert pane.title.title == f"BLOCK OF THE WINDOW · {made.label.upper()}"
    assert not pane.tabs.isTabVisible(2)
    pane.back.click()
    assert pane.title.title.startswith("MESSAGE #2")
    assert pane.tabs.isTabVisible(2)
