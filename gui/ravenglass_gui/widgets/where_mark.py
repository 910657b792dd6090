"""The marks of the four classes of a need: disc, half disc, ring, dotted ring. They stand beside the word."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from ravenglass_gui.theme.palette import colours
from ravenglass_gui.widgets.marks import MARK

_SCALE = 2
"""Pixels of a pixmap per logical pixel."""


def where_colour(where: str) -> str:
    """The palette's colour of a class."""
    t = colours()
    return {"verbatim": t.good, "mentioned": t.warn, "gone": t.bad}.get(where, t.dim)


def paint_where(painter: QPainter, left: float, middle: float, where: str) -> None:
    """The class's mark with its left edge at `left`, centred on `middle`."""
    _paint(painter, left, middle, where, where_colour(where))


def where_pixmap(where: str) -> QPixmap:
    """The mark by itself, for a cell."""
    return _pixmap(where, where_colour(where))


@lru_cache(maxsize=16)
def _pixmap(where: str, colour: str) -> QPixmap:
    made = QPixmap(MARK * _SCALE, MARK * _SCALE)
    made.setDevicePixelRatio(_SCALE)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    _paint(painter, 0, MARK / 2, where, colour)
    painter.end()
    return made


def _paint(painter: QPainter, left: float, middle: float, where: str, colour: str) -> None:
    box = QRectF(left, middle - MARK / 2, MARK, MARK).adjusted(0.75, 0.75, -0.75, -0.75)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(QColor(colour), 1.5)
    if where == "never_there":
        pen.setStyle(Qt.PenStyle.DotLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(box)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    if where == "verbatim":
        painter.drawEllipse(box)
    elif where == "mentioned":
        painter.drawPie(box, 90 * 16, 180 * 16)
    painter.restore()
