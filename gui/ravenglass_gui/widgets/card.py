"""The surface of a panel: a rounded rectangle in the panel's colour with a fine line around it."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ravenglass_gui.theme.palette import colours, theme

RADIUS = 6


def paint_card(widget: QWidget) -> None:
    """Paint the surface behind `widget`'s children; call from its `paintEvent`."""
    t = colours()
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(t.line), 1))
    painter.setBrush(QColor(t.panel))
    painter.drawRoundedRect(QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
    painter.end()


class Card(QWidget):
    """A plain container with that surface."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        paint_card(self)
