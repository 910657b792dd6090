"""In the real window: what was read and edited since, and what is shown as a difference, is called so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass.replay.stepping.changes import Compaction
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.manifest.model import FLAG_WORDS, ManifestRole
from ravenglass_gui.views.why.panel import WhyPanel
from ravenglass_gui.views.window.model import Block, WindowRole
from ravenglass_gui.views.window.panel import WindowPanel
from ravenglass_gui.work.replay_bridge import Bridge
from tests.acceptance.test_seeds import CODE, EDIT, OLD, READ, TEST, chat

pytestmark = pytest.mark.usefixtures("unstyled")
SHOWN = 2
"""The result of the first read."""


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[MainWindow]:
    state = DebuggerState()
    state.set_profile(load("default").with_values(protect_first_n=0))
    made = MainWindow(state, Bridge(state, remember=False))
    qtbot.addWidget(made)
    made.show()
    yield made
    made.close()


def opened(qtbot: QtBot, window: MainWindow, path: Path) -> None:
    """The session with a slow path at its last call, which is on screen, and the read selected."""

    def settled() -> bool:
        return not window.bridge.busy and not window.bridge.recorded.making

    window.bridge.open([path])
    qtbot.waitUntil(settled, timeout=60_000)
    window.state.set_call(4)
    window.state.add_change(Compaction(4, 60_000))
    qtbot.waitUntil(settled, timeout=60_000)


def block(qtbot: QtBot, window: MainWindow, message: int) -> tuple[Block, str]:
    """A message's block in the Window tab, and its tooltip."""
    panel = window.findChild(WindowPanel)
    assert panel is not None
    window.tabs.setCurrentWidget(panel)
    model = panel.model

    def found() -> list[tuple[Block, str]]:
        rows = [model.index(row, 0) for row in range(model.rowCount())]
        listed = [(index.data(WindowRole.ENTRY), index.data(Qt.ItemDataRole.ToolTipRole)) for index in rows]
        return [(e, tip) for e, tip in listed if isinstance(e, Block) and e.message.id == message]

    qtbot.waitUntil(lambda: bool(found()))
    return found()[0]


def test_that_manifest_window_and_why_show_a_read_as_the_edit_left_the_file(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    opened(qtbot, window, chat(tmp_path / "s.jsonl", ([READ], [CODE]), ([EDIT], ["ok"]), ([TEST], ["1 passed"])))
    window.state.select(SHOWN)
    rows = window.manifest.model
    row = next(r for r in range(rows.rowCount()) if rows.index(r, 0).data(ManifestRole.ROW).id == SHOWN)
    assert "updated" in rows.index(row, 0).data(ManifestRole.ROW).flags
    assert "as an edit since left it" in FLAG_WORDS["updated"]
    shown, tip = block(qtbot, window, SHOWN)
    assert shown.message.text.endswith(CODE.replace("return 1", "return 3"))
    assert shown.message.stand_in == "updated"
    assert "the file as an edit since left it, not as it was read" in tip
    why = window.findChild(WhyPanel)
    assert why is not None
    qtbot.waitUntil(lambda: "as the edits since left the file" in why.reasons.text())


def test_that_a_difference_is_called_so(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    newer = OLD.replace("line 100\n", "line one hundred\n")
    steps = ([READ, TEST], [OLD, "1 passed"]), ([READ], [newer]), ([TEST], ["1 passed"])
    opened(qtbot, window, chat(tmp_path / "s.jsonl", *steps))
    shown, tip = block(qtbot, window, 5)
    assert shown.message.stand_in == "difference"
    assert "the difference from an earlier version that stands in the window too" in tip
    assert block(qtbot, window, SHOWN)[0].message.verbatim
