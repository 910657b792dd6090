"""A slider that marks the default under its groove and leaves the wheel to the page unless it has the focus."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSlider, QWidget

from ravenglass_gui.theme.palette import colours

HANDLE = 12
"""Width of the handle in the style sheet, pixels."""


class MarkedSlider(QSlider):
    """`set_mark` takes the position of the default."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._mark: int | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_mark(self, position: int) -> None:
        self._mark = position
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._mark is None or self.maximum() <= self.minimum():
            return
        share = (self._mark - self.minimum()) / (self.maximum() - self.minimum())
        x = HANDLE / 2 + share * (self.width() - HANDLE)
        painter = QPainter(self)
        painter.setPen(QPen(QColor(colours().dim), 1.5))
        bottom = self.height() / 2 + 9
        painter.drawLine(QPointF(x, bottom - 4), QPointF(x, bottom))
        painter.end()
