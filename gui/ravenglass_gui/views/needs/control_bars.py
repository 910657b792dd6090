"""The control: how often results were fetched again while they stood in the window, above how often after their loss.

Both bars have one scale, both counts stand beside them, and a rate of nothing is unknown, without a bar.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ravenglass.replay.figures import Control
from ravenglass_gui.text.needs_text import control_tip, control_words, difference_words, share_words
from ravenglass_gui.text.plain import plain_tip
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.palette import colours, theme
from ravenglass_gui.views.needs.class_counts import LINE

_LABELS = ("source still there", "after its loss")
_GAP = 8
_BAR = 8
_LEAST = 60
"""Pixels of a bar below which the word before the difference gives way."""
_SHORTEST = 24
"""Pixels of a bar below which it says nothing and gives its room to the words."""


class ControlBars(QWidget):
    """Two lines. The difference stands right of both where there is room, else in the tooltip alone."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._control = Control()
        self.setFont(ui_font(-1))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_control(self, control: Control, fetches: int | None) -> None:
        """`fetches`: those of the recorded run after a loss; None in a simulated one."""
        self._control = control
        self.setAccessibleName(control_words(control))
        self.setToolTip(plain_tip(control_tip(control, fetches), longest=1_200))
        self.updateGeometry()
        self.update()

    def words(self) -> tuple[str, str, str]:
        """Both rates with their counts, and the difference."""
        c = self._control
        return share_words(c.there_again, c.there), share_words(c.lost_again, c.lost), difference_words(c)

    def sizeHint(self) -> QSize:
        return QSize(self._fixed() + 100, 2 * LINE)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._fixed(), 2 * LINE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.update()

    def _wide(self, *texts: str) -> int:
        return max(self.fontMetrics().horizontalAdvance(text) for text in texts) + _GAP

    def _fixed(self) -> int:
        """Everything but the bars."""
        there, lost, _ = self.words()
        return self._wide(*_LABELS) + self._wide(there, lost)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        painter, t = QPainter(self), colours()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        there, lost, difference = self.words()
        labels, shares, last = self._wide(*_LABELS), self._wide(there, lost), self._wide(difference)
        room = self.width() - labels - shares
        if room - last < _LEAST:
            difference = difference.partition(" ")[2]
            last = self._wide(difference)
        tells = room - last >= _SHORTEST
        bar = max(0, min(room - (last if tells else 0) - _GAP, 160))
        rates = (self._control.rate_there, self._control.rate_lost)
        most = max((rate for rate in rates if rate is not None), default=0.0)
        left_middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        for number, (label, share, rate) in enumerate(zip(_LABELS, (there, lost), rates, strict=True)):
            top = number * LINE
            painter.setPen(QColor(t.dim))
            painter.drawText(QRectF(0, top, labels, LINE), left_middle, label)
            if bar >= _SHORTEST and rate is not None:
                groove = QRectF(labels, top + (LINE - _BAR) / 2, bar, _BAR)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(t.field))
                painter.drawRoundedRect(groove, 3, 3)
                painter.setBrush(QColor(t.warn if number else t.accent))
                long = bar * rate / most if most else 0.0
                painter.drawRoundedRect(QRectF(groove.left(), groove.top(), long, _BAR), 3, 3)
            painter.setPen(QColor(t.text))
            where = labels + (bar + _GAP if bar >= _SHORTEST else 0)
            painter.drawText(QRectF(where, top, shares, LINE), left_middle, share)
            if tells and number == 1:
                painter.setPen(QColor(t.dim))
                painter.drawText(QRectF(where + shares, top, last, LINE), left_middle, difference)
        painter.end()
