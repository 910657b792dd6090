"""The shape and colour of every marked event: the same sign in the timeline, its legend and lists."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from ravenglass_gui.theme.palette import Palette

_R = 4.0
"""Half the size of a marker, in pixels."""


def marker_colour(event: str, t: Palette) -> str:
    return {
        "slow_path_accepted": t.accent,
        "fallback": t.bad,
        "summarized": t.warn,
        "archived": t.dim,
        "retrieved": t.good,
        "protected_overflow": t.warn,
        "quota_exceeded": t.warn,
        "regret": t.bad,
        "record:compaction": t.text,
        "record:consolidated": t.text,
        "record:clearing": t.text,
        "record:rollback": t.text,
        "record:resume": t.text,
        "record:new_chain": t.text,
        "record:fall": t.warn,
        "record:rise": t.warn,
    }.get(event, t.dim)


def draw_marker(painter: QPainter, event: str, at: QPointF, t: Palette) -> None:
    """Draw the event's sign centred on `at`: every kind has its own shape."""
    ink = QColor(marker_colour(event, t))
    x, y = at.x(), at.y()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    if event == "slow_path_accepted":
        painter.drawPolygon(_polygon((x, y - _R), (x + _R, y + _R - 1), (x - _R, y + _R - 1)))
    elif event == "archived":
        painter.drawRect(QRectF(x - 3, y - 3, 6, 6))
    elif event == "summarized":
        for row in (-3, 0, 3):
            painter.drawRect(QRectF(x - 4, y + row - 1, 5 if row == 3 else 8, 2))
    elif event == "retrieved":
        painter.drawPolygon(_polygon((x - _R, y - _R + 1), (x + _R, y - _R + 1), (x, y + _R)))
    elif event == "protected_overflow":
        painter.drawPolygon(_polygon((x, y - _R), (x + _R, y), (x, y + _R), (x - _R, y)))
    elif event == "fallback":
        painter.setPen(QPen(ink, 2))
        painter.drawLine(QPointF(x - 3, y - 3), QPointF(x + 3, y + 3))
        painter.drawLine(QPointF(x - 3, y + 3), QPointF(x + 3, y - 3))
    elif event in ("record:compaction", "record:consolidated"):  # two arrows that press together
        painter.drawPolygon(_polygon((x - _R, y - _R), (x, y), (x - _R, y + _R)))
        painter.drawPolygon(_polygon((x + _R, y - _R), (x, y), (x + _R, y + _R)))
    elif event == "record:clearing":
        painter.setPen(QPen(ink, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(x - 3, y - 3, 6, 6))
    elif event == "record:rollback":
        painter.drawPolygon(_polygon((x + _R - 1, y - _R), (x + _R - 1, y + _R), (x - _R, y)))
    elif event == "record:resume":
        painter.drawRect(QRectF(x - _R, y - _R, 2, 2 * _R))
        painter.drawPolygon(_polygon((x - 1, y - _R), (x + _R, y), (x - 1, y + _R)))
    elif event == "record:new_chain":  # a bar, and nothing before it
        painter.drawRect(QRectF(x - 1, y - _R, 3, 2 * _R))
    elif event == "record:fall":
        painter.drawPolygon(_polygon((x - _R, y - _R), (x + _R, y + _R), (x - _R, y + _R)))
    elif event == "record:rise":
        painter.drawPolygon(_polygon((x - _R, y + _R), (x + _R, y - _R), (x + _R, y + _R)))
    elif event == "regret":  # a gap in a ring
        painter.setPen(QPen(ink, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawArc(QRectF(x - 3.2, y - 3.2, 6.4, 6.4), 60 * 16, 300 * 16)
    elif event == "quota_exceeded":
        painter.setPen(QPen(ink, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(at, 3.2, 3.2)
    else:
        painter.drawEllipse(at, 2.5, 2.5)


def _polygon(*points: tuple[float, float]) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in points])
