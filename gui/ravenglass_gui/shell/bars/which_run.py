"""In the corner of the tabs: which of the session's runs the views show."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from superqt import QElidingLabel

from ravenglass.replay.run import Run, SimulatedRun
from ravenglass.safe.visible import visible
from ravenglass_gui.state.shown import is_recorded, words
from ravenglass_gui.text.plain import plain_tip

_WIDTH = 170
"""Pixels: the tabs need the rest of the line in a window of 1280."""


class WhichRun(QElidingLabel):
    """Short, so that no tab is cut; the tooltip has all of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "facts")
        self.setContentsMargins(8, 0, 10, 9)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setFixedWidth(_WIDTH)

    def say(self, run: Run | None) -> None:
        """`recorded`, `simulated with default`, `asked small-model`; nothing without a run."""
        said = words(run) if run is not None else ""
        asked = run.asked if isinstance(run, SimulatedRun) else ""
        short = "recorded" if is_recorded(run) else visible(f"asked {asked}" if asked else said)
        margins = self.contentsMargins()
        room = _WIDTH - margins.left() - margins.right()  # the label itself elides as if it had no margins
        self.setText(self.fontMetrics().elidedText(short, Qt.TextElideMode.ElideRight, room))
        self.setToolTip(plain_tip(said))
