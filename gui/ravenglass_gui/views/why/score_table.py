"""The score taken apart: value × weight for each part, with a bar of what it contributes, and their sum."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ravenglass.replay.frame import Why
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.palette import colours, theme

_ROW = 20
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One line: `value` 0..1 and its weight."""

    name: str
    value: float
    weight: float


class ScoreTable(QWidget):
    """Three lines and a sum. Bars of parts share one scale: the full length is a score of 1."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: tuple[ScorePart, ...] = ()
        self._score = 0.0
        self._cut: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_why(self, why: Why) -> None:
        names = ("relevance", "recency", "source")
        values = (why.relevance, why.recency, why.reliability)
        self._parts = tuple(ScorePart(n, v, w) for n, v, w in zip(names, values, why.weights, strict=True))
        self._score, self._cut = why.score, why.cut_score
        said = ", ".join(f"{p.name} {p.value:.2f} times {p.weight:g}" for p in self._parts)
        self.setAccessibleName(f"Score {self._score:.2f}: {said}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(220, _ROW * 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, _ROW * 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        plain, bold = ui_font(), ui_font(bold=True)
        painter.setFont(bold)
        metrics = painter.fontMetrics()
        name_width = metrics.horizontalAdvance("relevance") + 12
        value_width = metrics.horizontalAdvance("0.00") + 4
        weight_width = metrics.horizontalAdvance(" × 0.65") + 8
        bar_left = name_width + value_width + weight_width + 8
        result_width = value_width
        room = max(0, self.width() - bar_left - result_width - 8)
        palette = colours()
        for number, part in enumerate(self._parts):
            top = number * _ROW
            painter.setFont(plain)
            painter.setPen(QColor(palette.dim))
            painter.drawText(QRectF(0, top, name_width, _ROW), _LEFT, part.name)
            painter.setPen(QColor(palette.text))
            painter.drawText(QRectF(name_width, top, value_width, _ROW), _RIGHT, f"{part.value:.2f}")
            painter.setPen(QColor(palette.dim))
            painter.drawText(QRectF(name_width + value_width, top, weight_width, _ROW), _LEFT, f" × {part.weight:g}")
            self._bar(painter, bar_left, top, room, part.value * part.weight, palette.dim)
            painter.drawText(
                QRectF(self.width() - result_width, top, result_width, _ROW), _RIGHT, f"{part.value * part.weight:.2f}"
            )
        top = len(self._parts) * _ROW
        painter.setFont(bold)
        painter.setPen(QColor(palette.text))
        painter.drawText(QRectF(0, top, name_width, _ROW), _LEFT, "score")
        self._bar(painter, bar_left, top, room, self._score, palette.accent)
        if self._cut is not None and room > 0:
            x = bar_left + room * min(1.0, self._cut)
            painter.fillRect(QRectF(x - 0.75, top + 2, 1.5, _ROW - 4), QColor(palette.bad))
        painter.setPen(QColor(palette.text))
        painter.drawText(QRectF(self.width() - result_width, top, result_width, _ROW), _RIGHT, f"{self._score:.2f}")
        painter.end()

    def _bar(self, painter: QPainter, left: float, top: float, room: float, value: float, colour: str) -> None:
        if room <= 0:
            return
        pen = painter.pen()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours().field))
        painter.drawRoundedRect(QRectF(left, top + _ROW / 2 - 3, room, 6), 3, 3)
        if value > 0:
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(QRectF(left, top + _ROW / 2 - 3, max(2.0, room * min(1.0, value)), 6), 3, 3)
        painter.setPen(pen)
