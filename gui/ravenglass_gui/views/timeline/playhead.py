"""What moves over the timeline: the playhead, the pointer's line, the band of a zoom. Narrow items, cheap to move.

Each is a child of a view box in its pixel coordinates and covers only what it draws, so that a move repaints two
strips and not the plot.
"""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from ravenglass_gui.theme.palette import colours
from ravenglass_gui.views.timeline.canvas import scale_of

_GRIP = 6.0
_LEAST_COLUMN = 4.0
"""Narrower columns are not shaded: the line alone says where the playhead is."""


class Strip(QGraphicsItem):
    """A vertical strip at a call; nothing is drawn where there is none."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._box = box
        self._call: int | None = None
        self._column = 0.0
        self._height = 0.0
        self.setZValue(10)

    def show_call(self, call: int | None) -> None:
        if call != self._call:
            self._call = call
            self.place()

    def place(self) -> None:
        """The call, the visible range or the size changed: stand where the call is now."""
        scale = scale_of(self._box)
        column = scale.x(1) - scale.x(0)
        if (column, scale.height) != (self._column, self._height):
            self.prepareGeometryChange()
            self._column, self._height = column, scale.height
        self.setVisible(self._call is not None)
        if self._call is not None:
            self.setPos(round(scale.x(self._call)), 0)

    def boundingRect(self) -> QRectF:
        half = max(self._column / 2, _GRIP) + 1
        return QRectF(-half, 0, 2 * half, self._height)


class Playhead(Strip):
    """The line, with a grip at its top where asked for, and the call's column where it is wide enough."""

    def __init__(self, box: pg.ViewBox, *, grip: bool) -> None:
        super().__init__(box)
        self._grip = grip

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:  # noqa: ARG002
        accent = QColor(colours().accent)
        if self._column > _LEAST_COLUMN:
            painter.fillRect(QRectF(-self._column / 2, 0, self._column, self._height), veil(colours().accent, 0.18))
        painter.fillRect(QRectF(-1, 0, 2, self._height), accent)
        if self._grip:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(accent)
            painter.drawPolygon(QPolygonF([QPointF(-_GRIP, 0), QPointF(_GRIP, 0), QPointF(0, 8)]))


class PointerLine(Strip):
    """Where the mouse is."""

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:  # noqa: ARG002
        painter.fillRect(QRectF(0, 0, 1, self._height), QColor(colours().dim))


class ZoomBand(QGraphicsItem):
    """The range that a shift-drag is about to show."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._box = box
        self._rect = QRectF()
        self.setZValue(11)

    def show_band(self, band: tuple[float, float] | None) -> None:
        """`band` are two calls in any order."""
        self.prepareGeometryChange()
        scale = scale_of(self._box)
        first, last = sorted(map(scale.x, band)) if band is not None else (0.0, 0.0)
        self._rect = QRectF(first, 0, last - first, scale.height)
        self.update()

    def boundingRect(self) -> QRectF:
        return self._rect

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:  # noqa: ARG002
        painter.fillRect(self._rect, veil(colours().accent, 0.25))


def veil(colour: str, alpha: float) -> QColor:
    """A colour that lets through what is behind it."""
    ink = QColor(colour)
    ink.setAlphaF(alpha)
    return ink
