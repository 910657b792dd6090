"""In the corner of the tabs: which of the session's runs the views show."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from superqt import QElidingLabel

from ravenglass.replay.run import Run
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
        """`recorded`, `simulated with default`; nothing without a run."""
        said = words(run) if run is not None else ""
        self.setText("recorded" if is_recorded(run) else visible(said))
        self.setToolTip(plain_tip(said))
