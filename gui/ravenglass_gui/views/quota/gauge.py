"""Gauges of tokens: one tier against its quota, and the whole window against C inside W. Painted, nothing computed."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ravenglass.replay.frame import Frame, TierUse
from ravenglass.replay.vocabulary import Budget
from ravenglass_gui.text.numbers import compact, percent
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.palette import Palette, colours, theme
from ravenglass_gui.widgets.marks import MARK, ink, paint_tier

_ROW = 22
_BAR = 8
_NAME = 74
_PERCENT = 46
_FULL = 0.80
"""Where 100 % stands in a tier's bar; the rest is room for what is over."""


class _Gauge(QWidget):
    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(260, max(_ROW, round(QFontMetricsF(ui_font(-1)).height()) + 6))

    def minimumSizeHint(self) -> QSize:
        return QSize(180, self.sizeHint().height())


class TierGauge(_Gauge):
    """`task ▬▬▬▬|  18.1k / 37.2k  49 %`; the part that is exempt from the cut is hatched."""

    def __init__(self, tier: str, parent: QWidget | None = None) -> None:
        super().__init__(tier, parent)
        self._use: TierUse | None = None

    def show_use(self, use: TierUse | None) -> None:
        self._use = use
        self.setAccessibleDescription(f"{use.used:,} of {use.quota:,} tokens" if use else "no call")
        self.setToolTip(_tier_tip(use) if use else "")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        t = colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(ui_font(-1))
        middle = self.height() / 2
        paint_tier(painter, 0, middle, self._name, QColor(t.tier(self._name)))
        painter.setPen(ink(t.tier(self._name)))
        painter.drawText(QRectF(MARK + 6, 0, _NAME, self.height()), Qt.AlignmentFlag.AlignVCenter, self._name)
        use = self._use
        facts = f"{compact(use.used)} / {compact(use.quota)}" if use else ""
        room = max(92.0, QFontMetricsF(painter.font()).horizontalAdvance("88.8k / 88.8k") + 8)
        bar = QRectF(_NAME, middle - _BAR / 2, self.width() - _NAME - room - _PERCENT, _BAR)
        _tier_bar(painter, bar, use, QColor(t.tier(self._name)), t)
        if use is not None:
            over = use.used > use.quota
            painter.setPen(QColor(t.text))
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(self.width() - _PERCENT - room, 0, room, self.height()), right, facts)
            painter.setPen(QColor(t.warn if over else t.dim))
            share = "no quota" if not use.quota else percent(use.share)
            painter.drawText(QRectF(self.width() - _PERCENT, 0, _PERCENT, self.height()), right, share)
        painter.end()


def _tier_bar(painter: QPainter, bar: QRectF, use: TierUse | None, colour: QColor, t: Palette) -> None:
    full = bar.width() * _FULL
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(t.field))
    painter.drawRoundedRect(QRectF(bar.left(), bar.top(), full, bar.height()), 3, 3)
    if use is not None:
        share = min(use.share, 1 / _FULL)
        painter.setBrush(colour)
        painter.drawRoundedRect(QRectF(bar.left(), bar.top(), full * min(share, 1.0), bar.height()), 3, 3)
        if use.exempt and use.quota:
            hatch = QColor(t.panel)
            hatch.setAlphaF(0.5)
            width = full * min(use.exempt / use.quota, share, 1.0)
            exempt = QRectF(bar.left(), bar.top(), width, bar.height())
            painter.fillRect(exempt, QBrush(hatch, Qt.BrushStyle.BDiagPattern))
        if share > 1:
            painter.setBrush(QColor(t.warn))
            painter.drawRect(QRectF(bar.left() + full, bar.top(), full * (share - 1), bar.height()))
    painter.setPen(QPen(QColor(t.text), 1.5))
    painter.drawLine(QPointF(bar.left() + full, bar.top() - 3), QPointF(bar.left() + full, bar.bottom() + 3))


def _tier_tip(use: TierUse) -> str:
    lines = [f"{use.tier}: {use.used:,} of {use.quota:,} tokens"]
    if use.exempt:
        lines.append(f"{use.exempt:,} tokens of it are protected or pinned (hatched), exempt from the cut")
    if use.used > use.quota:
        lines.append(f"over by {use.used - use.quota:,} tokens")
    return "\n".join(lines)


class WindowGauge(_Gauge):
    """W as one bar: what the window holds, what is free of C, and the reserves O, S and B hatched at the end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", parent)
        self._budget: Budget | None = None
        self._frame: Frame | None = None

    def show_frame(self, budget: Budget | None, frame: Frame | None) -> None:
        self._budget, self._frame = budget, frame
        self.setToolTip(_window_tip(budget, frame) if budget and frame else "")
        self.setAccessibleDescription(self.toolTip())
        self.update()

    def sizeHint(self) -> QSize:
        line = round(QFontMetricsF(ui_font(-2)).height())
        return QSize(260, 12 + line + 6)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        budget, frame = self._budget, self._frame
        if budget is None or frame is None:
            return
        t = colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(0, 2, self.width(), 10)
        painter.fillRect(bar, QColor(t.field))
        per_token = bar.width() / budget.window
        x = bar.left()
        parts = [(use.used, QColor(t.tier(use.tier))) for use in frame.tiers]
        parts.append((frame.working_state_tokens, QColor(t.dim)))
        for amount, colour in parts:
            painter.fillRect(QRectF(x, bar.top(), amount * per_token, bar.height()), colour)
            x += amount * per_token
        c = bar.left() + budget.available * per_token
        self._reserves(painter, bar, c, per_token, t)
        _limit(painter, bar, bar.left() + budget.threshold * per_token, t.warn, Qt.PenStyle.DotLine)
        _limit(painter, bar, c, t.bad, Qt.PenStyle.SolidLine)
        painter.end()

    def _reserves(self, painter: QPainter, bar: QRectF, c: float, per_token: float, t: Palette) -> None:
        budget = self._budget
        if budget is None:
            return
        painter.setFont(ui_font(-2))
        x = c
        for letter, amount in (("O", budget.output_reserve), ("S", budget.system), ("B", budget.safety)):
            width = amount * per_token
            part = QRectF(x, bar.top(), width, bar.height())
            painter.fillRect(part.adjusted(1, 0, 0, 0), QBrush(QColor(t.faint), Qt.BrushStyle.BDiagPattern))
            painter.setPen(QColor(t.dim))
            where = QRectF(part.center().x() - 10, bar.bottom(), 20, self.height() - bar.bottom())
            painter.drawText(where, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, letter)
            x += width
        painter.setPen(QColor(t.bad))
        under = QRectF(0, bar.bottom(), c + 4, self.height() - bar.bottom())
        painter.drawText(under, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, "C")
        painter.setPen(QColor(t.dim))
        share = (self._frame.tokens if self._frame else 0) / budget.available
        words = f"{percent(share)} of C · W {compact(budget.window)}"
        painter.drawText(under, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, words)


def _limit(painter: QPainter, bar: QRectF, x: float, colour: str, style: Qt.PenStyle) -> None:
    painter.setPen(QPen(QColor(colour), 1.5, style))
    painter.drawLine(QPointF(x, bar.top() - 2), QPointF(x, bar.bottom() + 2))


def _window_tip(budget: Budget, frame: Frame) -> str:
    how = "measured in this session" if budget.system_measured else "the profile's figure"
    return "\n".join(
        (
            f"window {frame.tokens:,} of C = {budget.available:,} tokens",
            f"W  {budget.window:,}  window size",
            f"O  {budget.output_reserve:,}  output reserve",
            f"S  {budget.system:,}  system prompt and tools ({how})",
            f"B  {budget.safety:,}  safety buffer",
            f"fast path below {budget.threshold:,}, trim target {budget.target:,}",
        )
    )
