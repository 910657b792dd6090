"""Axes of the timeline: token ticks on the left, names of limits and event lanes in the right margin.

The right margin exists so that no label ever lies over a fill.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from ravenglass_gui.text.numbers import tick
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.palette import Palette, colours
from ravenglass_gui.views.timeline.markers import draw_marker

LEFT_PX = 44
RIGHT_PX = 132


_TICK_PX = 22
"""Least distance of two token labels."""


def token_ticks(top: float, height: float) -> list[float]:
    """Round values from 0 up to `top`, at least 22 pixels apart on `height` pixels."""
    least = max(1.0, top * _TICK_PX / max(height, 1.0))
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * digit for digit in (1, 2, 2.5, 5, 10) if power * digit >= least)
    return [step * n for n in range(int(top / step) + 1)]


class TokenAxis(pg.AxisItem):
    """Left axis: `20k`."""

    def __init__(self) -> None:
        super().__init__("left")
        self.setWidth(LEFT_PX)

    def show_ticks(self, values: list[float]) -> None:
        self.setTicks([[(value, tick(value)) for value in values]])


class CallAxis(pg.AxisItem):
    """Bottom axis: whole call numbers only."""

    def __init__(self) -> None:
        super().__init__("bottom")

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:  # noqa: N803
        spacings: list[tuple[float, float]] = super().tickSpacing(minVal, maxVal, size)
        return [(max(1.0, step), offset) for step, offset in spacings[:1]]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002
        return [f"{value:,.0f}" for value in values]


@dataclass(frozen=True, slots=True)
class MarginLabel:
    """A text beside the plot at `y` pixels. `event` draws that event's sign before it."""

    y: float
    text: str
    colour: str
    event: str = ""


class MarginAxis(pg.AxisItem):
    """Right margin: draws what `labels` answers, pushed apart where they would touch."""

    def __init__(self) -> None:
        super().__init__("right")
        self.setWidth(RIGHT_PX)
        self.labels: Callable[[Palette], list[MarginLabel]] = lambda _: []

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:  # noqa: ARG002
        t = colours()
        font = ui_font(-2)
        painter.setFont(font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = QFontMetricsF(font)
        height = metrics.height()
        labels = sorted(self.labels(t), key=lambda label: label.y)
        for label, y in zip(labels, spread([label.y for label in labels], height, self.rect().height()), strict=True):
            x = 6.0
            if label.event:
                draw_marker(painter, label.event, QPointF(x + 10, y), t)
                x += 20
            elif abs(y - label.y) > 1:  # a short leader ties a displaced name to its line
                painter.setPen(QPen(QColor(label.colour), 1))
                painter.drawLine(QPointF(0, label.y), QPointF(5, y))
            painter.setPen(QColor(label.colour))
            box = QRectF(x, y - height / 2, self.rect().width() - x, height)
            text = metrics.elidedText(label.text, Qt.TextElideMode.ElideRight, box.width())
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def spread(wanted: list[float], gap: float, height: float) -> list[float]:
    """Positions at least `gap` apart and inside `height` where that is possible, each near where it is wanted.

    `wanted` is ascending; so is the answer.
    """
    placed: list[float] = []
    for y in wanted:
        placed.append(max(y, placed[-1] + gap) if placed else max(y, gap / 2))
    limit = height - gap / 2
    for i in range(len(placed) - 1, -1, -1):
        placed[i] = min(placed[i], limit)
        limit = placed[i] - gap
    return placed
