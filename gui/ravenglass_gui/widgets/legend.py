"""The timeline's legend: the four tiers with the colour and pattern of their areas, and how to use the mouse."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ravenglass.rules import TIERS
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.tokens import theme, tokens
from ravenglass_gui.widgets.plot_axes import LEFT_PX
from ravenglass_gui.widgets.timeline_canvas import PATTERNS

_HINT = "drag to scrub · shift-drag or wheel to zoom · double click shows all"
_SWATCH = 10


class Legend(QWidget):
    """Painted, one line; the hint gives way first when there is little room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Legend: " + ", ".join(TIERS))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(300, round(QFontMetricsF(ui_font(-1)).height()) + 4)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        t = tokens()
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
        if x + metrics.horizontalAdvance(_HINT) < self.width():
            painter.setPen(QColor(t.dim))
            painter.drawText(
                QRectF(x, 0, self.width() - x, self.height()),
                Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
                _HINT,
            )
        painter.end()
