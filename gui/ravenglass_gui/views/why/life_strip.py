"""The life of a message over all calls: a strip coloured by state, high where it stood in the window.

Clicking moves the playhead. It paints the engine's `LifeSpan`s and computes nothing.
"""

from __future__ import annotations

from bisect import bisect_right

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ravenglass.replay.frame import LifeSpan
from ravenglass.replay.vocabulary import Form
from ravenglass_gui.theme.palette import colours, theme

_HIGH, _LOW = 14, 6
"""Height of a span in and out of the window."""
_PATTERNS = {
    Form.OFFLOADED: Qt.BrushStyle.Dense3Pattern,
    Form.STUB: Qt.BrushStyle.BDiagPattern,
    Form.SHRUNK: Qt.BrushStyle.Dense5Pattern,
    Form.REFERENCE: Qt.BrushStyle.FDiagPattern,
    Form.PARTIAL: Qt.BrushStyle.BDiagPattern,
    Form.UPDATED: Qt.BrushStyle.Dense6Pattern,
}


class LifeStrip(QWidget):
    """`show_life` sets what is drawn; `call_chosen` carries the call that was clicked."""

    call_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._life: tuple[LifeSpan, ...] = ()
        self._calls = 0
        self._call = 0
        self._recorded = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMouseTracking(True)
        theme.changed.connect(self.update)

    def show_life(self, life: tuple[LifeSpan, ...], calls: int, call: int, *, recorded: bool = False) -> None:
        self._life, self._calls, self._call, self._recorded = life, calls, call, recorded
        self.setAccessibleName("Life of the message over the calls")
        self.setAccessibleDescription("; ".join(self.say(span) for span in life[:20]))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, _HIGH + 10)

    def call_at(self, x: float) -> int:
        """The call drawn at a horizontal position, clamped to those there are; 0 without calls."""
        if not self._calls:
            return 0
        return min(max(int(x / max(1, self.width()) * self._calls) + 1, 1), self._calls)

    def say(self, span: LifeSpan) -> str:
        """A span in the words of the run that is shown."""
        return words(span, recorded=self._recorded)

    def span_at(self, call: int) -> LifeSpan | None:
        place = bisect_right([span.first for span in self._life], call) - 1
        span = self._life[place] if place >= 0 else None
        return span if span is not None and span.first <= call <= span.last else None

    def _x(self, call: int) -> float:
        return (call - 1) / self._calls * self.width()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        palette = colours()
        middle = self.height() / 2 - 1
        painter.fillRect(QRectF(0, middle - 1, self.width(), 2), QColor(palette.line))
        if not self._calls:
            painter.end()
            return
        for span in self._life:
            height = _LOW if span.form is Form.OUT else _HIGH
            left = self._x(span.first)
            box = QRectF(left, middle - height / 2, max(1.5, self._x(span.last + 1) - left), height)
            colour = QColor(palette.state(span.state.label))
            pattern = _PATTERNS.get(span.form)
            if pattern is None:
                painter.fillRect(box, colour)
            else:
                painter.fillRect(box, QColor(palette.field))
                painter.fillRect(box, QBrush(colour, pattern))
        if self._call:
            centre = (self._x(self._call) + self._x(self._call + 1)) / 2
            painter.setPen(QPen(QColor(palette.text), 1.5))
            painter.drawLine(QPointF(centre, 0), QPointF(centre, self.height()))
        if self.hasFocus():
            painter.setPen(QPen(QColor(palette.accent), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._calls:
            self.call_chosen.emit(self.call_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._calls:
            self.call_chosen.emit(self.call_at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right go to the first call of the span before and after."""
        starts = [span.first for span in self._life]
        if event.key() == Qt.Key.Key_Right:
            later = [s for s in starts if s > self._call]
            if later:
                self.call_chosen.emit(later[0])
        elif event.key() == Qt.Key.Key_Left:
            earlier = [s for s in starts if s < self._call]
            if earlier:
                self.call_chosen.emit(earlier[-1])
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
                event.accept()  # here they go from change to change, not from call to call
                return True
        elif isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            call = self.call_at(event.pos().x())
            span = self.span_at(call)
            QToolTip.showText(event.globalPos(), f"call {call:,}: {self.say(span) if span else 'not known yet'}", self)
            return True
        return super().event(event)


def words(span: LifeSpan, *, recorded: bool = False) -> str:
    """A span as words; states are this engine's, a recorded run has none."""
    calls = f"call {span.first:,}" if span.first == span.last else f"calls {span.first:,} to {span.last:,}"
    places = {
        Form.OUT: "not in the window", Form.FULL: "in the window, in full",
        Form.OFFLOADED: "in the window, large results as stubs", Form.STUB: "in the window as a stub",
        Form.SHRUNK: "in the window, shrunk to what fitted",
        Form.REFERENCE: "in the window as a reference or a difference",
        Form.UPDATED: "in the window as edits left the file",
        Form.PARTIAL: "in the window as a note only",
    }  # fmt: skip
    return f"{calls} {places[span.form] if recorded else f'{span.state.label}, {places[span.form]}'}"
