"""The timeline's legend: the four tiers with the colour and pattern of their areas, and how to use the mouse."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ravenglass.rules import TIERS
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.palette import colours, theme
from ravenglass_gui.views.timeline.axes import LEFT_PX
from ravenglass_gui.views.timeline.canvas import PATTERNS

_REPORTED = "reported by the provider"
_REPORTED_TIP = (
    "What the provider reported for each call, less what the record does not hold, told in the tokens of this plot by"
    " the fit of the session. Point at a call for the figures themselves."
)
_HINT = "drag to scrub · shift-drag or wheel to zoom · double click shows all"
_SWATCH = 10


class Legend(QWidget):
    """Painted, one line; the hint gives way first when there is little room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._outline, self._reported = "", False
        self.show_lines("", reported=False)
        theme.changed.connect(self.update)

    def show_lines(self, outline: str, *, reported: bool) -> None:
        """Name the outline, empty where there is none, and the dots of reported figures where they are drawn."""
        self._outline, self._reported = outline, reported
        names = [*TIERS, *([f"{outline} (outline)"] if outline else []), *([_REPORTED] if reported else [])]
        self.setAccessibleName("Legend: " + ", ".join(names))
        self.setToolTip(_REPORTED_TIP if reported else "")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, round(QFontMetricsF(ui_font(-1)).height()) + 4)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        t = colours()
        painter = QPainter(self)
        painter.setFont(ui_font(-1))
        metrics = QFontMetricsF(painter.font())
        x, middle = float(LEFT_PX), self.height() / 2
        for tier in TIERS:
            box = QRectF(x, middle - _SWATCH / 2, _SWATCH, _SWATCH)
            painter.fillRect(box, QColor(t.tier(tier)))
            ink = QColor(t.panel)
            ink.setAlphaF(0.35)
            painter.fillRect(box, QBrush(ink, PATTERNS[tier]))
            x += _SWATCH + 5
            painter.setPen(QColor(t.text))
            painter.drawText(QRectF(x, 0, 200, self.height()), Qt.AlignmentFlag.AlignVCenter, tier)
            x += metrics.horizontalAdvance(tier) + 16
        x = self._lines(painter, x, middle, metrics)
        if x + metrics.horizontalAdvance(_HINT) < self.width():
            painter.setPen(QColor(t.dim))
            painter.drawText(
                QRectF(x, 0, self.width() - x, self.height()),
                Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
                _HINT,
            )
        painter.end()

    def _lines(self, painter: QPainter, x: float, middle: float, metrics: QFontMetricsF) -> float:
        """The signs of the outline and of reported figures; where the next one would begin."""
        t = colours()
        if self._outline:
            painter.setPen(QPen(QColor(t.text), 1.2))
            painter.drawPolyline([QPointF(x + dx, middle + dy) for dx, dy in ((0, 3), (7, 3), (7, -3), (14, -3))])
            x = self._word(painter, x + 19, f"{self._outline} (outline)", metrics)
        if self._reported:
            painter.setPen(QPen(QColor(t.accent), 1))
            painter.drawLine(QPointF(x, middle), QPointF(x + 14, middle))
            painter.setBrush(QColor(t.accent))
            painter.drawEllipse(QPointF(x + 7, middle), 2.2, 2.2)
            x = self._word(painter, x + 19, _REPORTED, metrics)
        return x

    def _word(self, painter: QPainter, x: float, word: str, metrics: QFontMetricsF) -> float:
        painter.setPen(QColor(colours().text))
        painter.drawText(QRectF(x, 0, 400, self.height()), Qt.AlignmentFlag.AlignVCenter, word)
        return x + metrics.horizontalAdvance(word) + 16
