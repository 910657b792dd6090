"""The timeline's plots and mouse: scrub, zoom, hover. It knows a `Series`, not the state.

Click or drag moves the playhead (reported at most once a frame), shift-drag zooms into a range, the wheel zooms
at the pointer, a double click shows everything again.
"""

from __future__ import annotations

from functools import partial

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QGraphicsItem, QToolTip, QWidget

from ravenglass_gui.text.numbers import compact
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.palette import Palette, colours, theme
from ravenglass_gui.views.timeline.axes import CallAxis, MarginAxis, MarginLabel, TokenAxis, token_ticks
from ravenglass_gui.views.timeline.canvas import LANE_PX, PixelItem, draw_lanes, draw_tiers, limits, scale_of
from ravenglass_gui.views.timeline.playhead import Playhead, PointerLine, ZoomBand
from ravenglass_gui.views.timeline.series import DrawnPart, Series
from ravenglass_gui.widgets.pace import at_most_every

FRAME_MS = 16
MIN_SPAN = 6.0
"""Fewest calls that a zoom shows."""
_LIMIT_NAMES = ("C", "threshold", "target")
_CALL_AXIS_PX = 20


class TimelineView(pg.GraphicsLayoutWidget):
    """Two plots that share their calls: tokens above, event lanes below."""

    scrubbed = Signal(int)
    """The call that the pointer asks for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timelineView")
        self.setAccessibleName("Timeline: window tokens by tier for every call")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._series: Series | None = None
        self._part: DrawnPart | None = None
        self._call = 0
        self._span = (0.5, 1.5)
        self._wanted: int | None = None
        self._zoom_from: float | None = None
        self._zoom_to = 0.0
        self._scrubbing = False
        self._frame = at_most_every(self, FRAME_MS)
        self._frame.triggered.connect(self._report)
        self._build()
        theme.changed.connect(self._recolour)
        self._recolour()

    def _build(self) -> None:
        self.ci.layout.setContentsMargins(0, 2, 0, 0)
        self.ci.layout.setSpacing(0)
        self._left, self._right, self._lane_names, self._bottom = TokenAxis(), MarginAxis(), MarginAxis(), CallAxis()
        blank = pg.AxisItem("left", showValues=False)
        blank.setWidth(self._left.width())
        blank.setPen(None)
        self._tokens = self._plot(0, left=self._left, right=self._right)
        self._tokens.hideAxis("bottom")
        self._events = self._plot(1, left=blank, right=self._lane_names, bottom=self._bottom)
        self._bottom.setHeight(_CALL_AXIS_PX)
        self._events.setXLink(self._tokens)
        self._right.labels = self._limit_labels
        self._lane_names.labels = self._lane_labels
        self._areas, self._lanes = PixelItem(self._tokens.vb), PixelItem(self._events.vb)
        self._heads = [Playhead(self._tokens.vb, grip=True), Playhead(self._events.vb, grip=False)]
        self._pointer, self._band = PointerLine(self._tokens.vb), ZoomBand(self._tokens.vb)
        for box in (self._tokens.vb, self._events.vb):
            box.sigXRangeChanged.connect(self._place)
            box.sigResized.connect(self._resized)

    def _plot(self, row: int, **axes: pg.AxisItem) -> pg.PlotItem:
        plot = self.addPlot(row=row, col=0, axisItems=axes, enableMenu=False)
        plot.showAxis("right")
        plot.hideButtons()
        plot.setMouseEnabled(x=False, y=False)
        plot.vb.setDefaultPadding(0)
        plot.vb.disableAutoRange()
        plot.ctrlMenu.deleteLater()  # a menu without a parent, which nobody can open here and nobody would delete
        plot.ctrlMenu = None
        return plot

    # -- content ---------------------------------------------------------------------------------------------

    def set_series(self, series: Series) -> None:
        """Draw another series; the visible range is kept where it still lies inside."""
        whole = self._series is None or self._series.calls != series.calls or self._shows_all(self._series)
        self._series, self._part = series, None
        self._areas.draw = partial(draw_tiers, series)
        self._lanes.draw = partial(draw_lanes, series)
        rows = max(1, len(series.lanes))
        self.ci.layout.setRowFixedHeight(1, rows * LANE_PX + _CALL_AXIS_PX + 2)
        self._tokens.setYRange(0, series.top, padding=0)
        self._resized()
        if whole:
            self.reset_zoom()
        for item in (self._areas, self._lanes):
            item.refresh()
        for axis in (self._right, self._lane_names):
            axis.update()

    def set_part(self, part: DrawnPart | None) -> None:
        """What is there of the run that takes the place of the one drawn; None: nothing is being made."""
        if self._series is not None and part is not self._part:
            self._part = part
            self._areas.draw = partial(draw_tiers, self._series, part=part)
            self._areas.refresh()
            self._right.update()

    def set_call(self, call: int) -> None:
        """Move the playhead; scrolls just enough to keep it visible."""
        moved, self._call = call != self._call, call
        first, last = self._span
        if moved and self._series is not None and call and not first <= call <= last:
            half = (last - first) / 2
            self._show(call - half, call + half)
        for head in self._heads:
            head.show_call(call or None)

    @property
    def span(self) -> tuple[float, float]:
        """The visible calls."""
        return self._span

    # -- zoom ------------------------------------------------------------------------------------------------

    def reset_zoom(self) -> None:
        if self._series is not None:
            self._show(0.5, self._series.calls + 0.5)

    def zoom(self, factor: float, around: float | None = None) -> None:
        """Show `factor` times as many calls, keeping `around` (the playhead if None) where it is."""
        first, last = self._span
        centre = around if around is not None else float(min(max(self._call, first), last))
        self._show(centre - (centre - first) * factor, centre + (last - centre) * factor)

    def pan(self, share: float) -> None:
        """Move by a share of what is visible; negative to earlier calls."""
        first, last = self._span
        step = (last - first) * share
        self._show(first + step, last + step)

    def _shows_all(self, series: Series) -> bool:
        return self._span == (0.5, series.calls + 0.5)

    def _show(self, first: float, last: float) -> None:
        if self._series is None:
            return
        low, high = 0.5, self._series.calls + 0.5
        width = min(max(last - first, min(MIN_SPAN, high - low)), high - low)
        first = min(max((first + last - width) / 2 if last - first < width else first, low), high - width)
        self._span = (first, first + width)
        self._tokens.setXRange(first, first + width, padding=0)

    # -- mouse -----------------------------------------------------------------------------------------------

    def _call_at(self, position: QPointF) -> float:
        return float(self._tokens.vb.mapSceneToView(self.mapToScene(position.toPoint())).x())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or self._series is None:
            return
        at = self._call_at(event.position())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._zoom_from = self._zoom_to = at
        else:
            self._scrubbing = True
            self._ask(at)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self._call_at(event.position())
        if self._zoom_from is not None:
            self._zoom_to = at
            self._band.show_band((self._zoom_from, at))
        elif self._scrubbing:
            self._ask(at)
        else:
            self._hover(event.position(), at)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002
        if self._zoom_from is not None:
            first, last = sorted((self._zoom_from, self._zoom_to))
            self._zoom_from = None
            self._band.show_band(None)
            if last - first > (self._span[1] - self._span[0]) / 200:
                self._show(first, last)
        elif self._scrubbing:
            self._scrubbing = False
            self._report()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002
        self.reset_zoom()

    def wheelEvent(self, event: QWheelEvent) -> None:
        across, down = event.angleDelta().x(), event.angleDelta().y()
        if across and abs(across) > abs(down):
            self.pan(-across / 1200)
        elif down:
            self.zoom(0.85 ** (down / 120), self._call_at(event.position()))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()  # keys belong to the window's actions

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer.show_call(None)
        super().leaveEvent(event)

    def _ask(self, at: float) -> None:
        if self._series is None or not self._series.calls:
            return
        self._wanted = min(max(round(at), 1), self._series.calls)
        for head in self._heads:
            head.show_call(self._wanted)
        self._frame.throttle()

    def _report(self) -> None:
        self._frame.cancel()
        if self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            self.scrubbed.emit(wanted)

    def _hover(self, position: QPointF, at: float) -> None:
        series, call = self._series, round(at)
        box = self._tokens.vb.sceneBoundingRect()
        inside = series is not None and 1 <= call <= series.calls and box.left() <= position.x() <= box.right()
        self._pointer.show_call(call if inside else None)
        if inside and series is not None:
            QToolTip.showText(
                self.mapToGlobal(position.toPoint() + QPoint(14, 10)), self._described(series, call), self
            )
        else:
            QToolTip.hideText()

    def _described(self, series: Series, call: int) -> str:
        """The figures are those of the run that every panel shows until the other is done."""
        said = series.describe(call)
        return said if self._part is None else f"{said}\nof the run before; the new one is at call {self._part.calls:,}"

    def _place(self) -> None:
        for strip in (*self._heads, self._pointer):
            strip.place()

    def _resized(self) -> None:
        if self._series is not None:
            self._left.show_ticks(token_ticks(self._series.top, self._tokens.vb.height()))
        self._place()

    # -- labels and colours ----------------------------------------------------------------------------------

    def _limit_labels(self, t: Palette) -> list[MarginLabel]:
        if self._series is None:
            return []
        scale = scale_of(self._tokens.vb)
        lines = zip(limits(self._series, t, self._part), _LIMIT_NAMES, strict=False)
        return [MarginLabel(scale.y(value), f"{name} {compact(value)}", ink) for (value, ink, _), name in lines]

    def _lane_labels(self, t: Palette) -> list[MarginLabel]:
        if self._series is None:
            return []
        return [
            MarginLabel(row * LANE_PX + LANE_PX / 2, f"{lane.label} {len(lane.calls):,}", t.dim, lane.event)
            for row, lane in enumerate(self._series.lanes)
        ]

    def _recolour(self) -> None:
        t = colours()
        self.setBackground(t.panel)
        for axis in (self._left, self._bottom):
            axis.setStyle(tickFont=ui_font(-2), tickLength=-4, tickTextOffset=4)
            axis.setTextPen(t.dim)
            axis.setPen(pg.mkPen(None))
            axis.setTickPen(pg.mkPen(t.dim if axis is self._bottom else None))
        items: tuple[QGraphicsItem, ...] = (self._areas, self._lanes, self._right, self._lane_names, *self._heads)
        for item in items:
            item.update()
