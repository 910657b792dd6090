"""How many needs were where: a line for names, one for fetches again, each count with its class's mark and word."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ravenglass.replay.figures import Classes
from ravenglass_gui.text.needs_text import CLASSES_TIP, WHERE, classes_words
from ravenglass_gui.text.plain import plain_tip
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.palette import colours, theme
from ravenglass_gui.widgets.marks import MARK
from ravenglass_gui.widgets.where_mark import paint_where

LINE = 18
"""Pixels of a line of figures."""
_GAP = 10
_TITLES = ("names", "fetches again")


class ClassCounts(QWidget):
    """Columns are as wide as their longest cell; the words stand in the first line, for both."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Classes, Classes] = (Classes(), Classes())
        self.setFont(ui_font(-1))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_counts(self, names: Classes, fetches: Classes) -> None:
        self._rows = (names, fetches)
        said = f"Names: {classes_words(names)}. Fetches again: {classes_words(fetches)}."
        self.setAccessibleName(said)
        self.setToolTip(plain_tip(f"{CLASSES_TIP}\n{said}"))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._title_width() + sum(self._widths()) + 1, 2 * LINE)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _shown(self) -> list[str]:
        """Classes that any need is in; the tooltip has all of them."""
        return [name for name in WHERE if name == "verbatim" or any(getattr(row, name) for row in self._rows)]

    def _title_width(self) -> int:
        return max(self.fontMetrics().horizontalAdvance(title) for title in _TITLES) + _GAP

    def _widths(self) -> list[int]:
        metrics = self.fontMetrics()
        return [
            max(metrics.horizontalAdvance(_cell(row, name)) for row in self._rows) + MARK + 5 + _GAP
            for name in self._shown()
        ]

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        painter, t = QPainter(self), colours()
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        for number, (title, row) in enumerate(zip(_TITLES, self._rows, strict=True)):
            top, left = number * LINE, self._title_width()
            painter.setPen(QColor(t.dim))
            painter.drawText(QRectF(0, top, left, LINE), flags, title)
            for name, width in zip(self._shown(), self._widths(), strict=True):
                paint_where(painter, left, top + LINE / 2, name)
                painter.setPen(QColor(t.text if getattr(row, name) else t.dim))
                painter.drawText(QRectF(left + MARK + 5, top, width, LINE), flags, _cell(row, name))
                left += width
        painter.end()


def _cell(row: Classes, name: str) -> str:
    return f"{getattr(row, name):,} {WHERE[name]}"
