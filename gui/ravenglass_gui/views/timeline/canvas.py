"""What the timeline draws inside its two plots: stacked tiers with limits, and event lanes. Pixels, not widgets.

Both are items in the pixel coordinates of their view box, drawn once into a pixmap per size, range, palette and
series; scrubbing then only moves the playhead over a picture. At most one polygon point a pixel column is drawn,
so 20,000 calls cost what 1,000 do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from ravenglass_gui.state.shown import is_recorded
from ravenglass_gui.theme.palette import Palette, colours
from ravenglass_gui.views.timeline.axes import token_ticks
from ravenglass_gui.views.timeline.markers import draw_marker
from ravenglass_gui.views.timeline.series import DrawnPart, Series

PATTERNS = {
    "global": Qt.BrushStyle.NoBrush,
    "session": Qt.BrushStyle.Dense7Pattern,
    "task": Qt.BrushStyle.BDiagPattern,
    "atomic": Qt.BrushStyle.Dense5Pattern,
}
"""Laid over a tier's colour, so that tiers can be told apart without it."""

LANE_PX = 14
PALE = 0.35
"""Opacity of a run whose place another one takes."""
DOT_PX = 7.0
"""Least distance of two dots."""


@dataclass(frozen=True, slots=True)
class PlotScale:
    """Maps calls and tokens of the visible range to pixels of a `width` x `height` area."""

    first: float
    last: float
    low: float
    high: float
    width: float
    height: float

    def x(self, call: float) -> float:
        return (call - self.first) / (self.last - self.first) * self.width

    def y(self, value: float) -> float:
        return self.height - (value - self.low) / (self.high - self.low) * self.height

    def xs(self, calls: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return (calls - self.first) / (self.last - self.first) * self.width


def scale_of(box: pg.ViewBox) -> PlotScale:
    """The scale of what a view box shows now."""
    (first, last), (low, high) = box.viewRange()
    rect = box.rect()
    return PlotScale(first, max(last, first + 1e-9), low, max(high, low + 1e-9), rect.width(), rect.height())


class PixelItem(QGraphicsItem):
    """A child of a view box that caches what `draw` paints until size, range, palette or content change."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._box = box
        self._content = 0
        self._key: tuple[object, ...] = ()
        self._picture = QPixmap()
        self.draw: Callable[[QPainter, PlotScale, Palette], None] | None = None

    def refresh(self) -> None:
        """The content changed; draw again."""
        self._content += 1
        self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(self._box.rect())

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:  # noqa: ARG002
        scale = scale_of(self._box)
        ratio = widget.devicePixelRatioF() if widget is not None else 1.0
        if self.draw is None or scale.width < 1 or scale.height < 1:
            return
        key = (scale, ratio, colours(), self._content)
        if key != self._key:
            self._picture = QPixmap(max(1, round(scale.width * ratio)), max(1, round(scale.height * ratio)))
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
            inner = QPainter(self._picture)
            self.draw(inner, scale, colours())
            inner.end()
            self._key = key
        painter.drawPixmap(QPointF(0, 0), self._picture)


def _fill(
    tiers: tuple[str, ...], stack: npt.NDArray[np.int64], painter: QPainter, scale: PlotScale, t: Palette
) -> None:
    """One filled step area a tier."""
    edges, tops = steps(stack, scale)
    if not len(edges):
        return
    lower = np.full(tops.shape[1], scale.y(0.0))
    for tier, top in zip(tiers, tops, strict=True):
        upper = scale.height - (top - scale.low) / (scale.high - scale.low) * scale.height
        path = _area(edges, upper, lower)
        colour = QColor(t.tier(tier))
        colour.setAlphaF(0.78)
        painter.fillPath(path, colour)
        ink = QColor(t.panel)
        ink.setAlphaF(0.22)
        painter.fillPath(path, QBrush(ink, PATTERNS[tier]))
        lower = upper


def _fill_part(series: Series, part: DrawnPart, painter: QPainter, scale: PlotScale, t: Palette) -> None:
    """What is there of the run that is being made; behind its edge, pale, the run that it takes the place of."""
    edge = scale.x(part.calls + 0.5)
    painter.save()
    painter.setClipRect(QRectF(edge, 0, max(0.0, scale.width - edge), scale.height))
    painter.setOpacity(PALE)
    _fill(series.tiers, series.stack, painter, scale, t)
    painter.restore()
    _fill(series.tiers, part.stack, painter, scale, t)
    painter.setPen(QPen(QColor(t.accent), 1, Qt.PenStyle.DashLine))
    painter.drawLine(QLineF(round(edge) + 0.5, 0, round(edge) + 0.5, scale.height))


def draw_tiers(
    series: Series, painter: QPainter, scale: PlotScale, t: Palette, *, part: DrawnPart | None = None
) -> None:
    """Grid, turn boundaries, one filled step area a tier, and the lines of C, threshold and target. `part`: what is
    there of the run that is being made in its place."""
    painter.setPen(QPen(QColor(t.grid), 1))
    for value in token_ticks(series.top, scale.height):
        y = round(scale.y(value)) + 0.5
        painter.drawLine(QLineF(0, y, scale.width, y))
    _turns(series, painter, scale, t)
    if part is None:
        _fill(series.tiers, series.stack, painter, scale, t)
    else:
        _fill_part(series, part, painter, scale, t)
    if series.outline is not None:
        draw_outline(series.outline, painter, scale, t)
    if series.reported is not None:
        draw_reported(series.reported, painter, scale, t)
    for value, colour_name, style in limits(series, t, part):
        pen = QPen(QColor(colour_name), 1.3, style)
        painter.setPen(pen)
        y = round(scale.y(value)) + 0.5
        painter.drawLine(QLineF(0, y, scale.width, y))


def draw_outline(totals: npt.NDArray[np.int64], painter: QPainter, scale: PlotScale, t: Palette) -> None:
    """The run that is not shown, as a stepped line: a dark one under a light one, to be seen over every area."""
    edges, tops = steps(totals.reshape(1, -1), scale)
    if not len(edges):
        return
    y = scale.height - (tops[0] - scale.low) / (scale.high - scale.low) * scale.height
    path = pg.arrayToQPath(np.repeat(edges, 2)[1:-1], np.repeat(y, 2), connect="all")
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((t.panel, 3.0), (t.text, 1.2)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawPath(path)


def draw_reported(values: npt.NDArray[np.float64], painter: QPainter, scale: PlotScale, t: Palette) -> None:
    """The provider's figures as a thin line where they stand side by side, with dots on it that never touch."""
    begin, end = visible(len(values), scale)
    part = values[begin:end]
    known = np.flatnonzero(~np.isnan(part))
    if not len(known):
        return
    xs = scale.xs((known + begin + 1).astype(np.float64))
    ys = scale.height - (part[known] - scale.low) / (scale.high - scale.low) * scale.height
    joined = np.append(np.diff(known) == 1, False).astype(np.int32)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(t.accent), 1))
    if len(xs) > 1:
        painter.drawPath(pg.arrayToQPath(xs, ys, connect=joined))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(t.panel), 1))
    painter.setBrush(QColor(t.accent))
    last = -np.inf
    for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
        if x - last >= DOT_PX:
            painter.drawEllipse(QPointF(x, y), 2.2, 2.2)
            last = x
    painter.restore()


def limits(series: Series, t: Palette, part: DrawnPart | None = None) -> tuple[tuple[int, str, Qt.PenStyle], ...]:
    """(tokens, colour, line style) of C, the fast path's threshold and the trim target; C alone, to compare with, where
    none of them decided anything."""
    if is_recorded(series.run):
        return ((series.available, t.bad, Qt.PenStyle.SolidLine),)
    of = part or series
    return (
        (of.available, t.bad, Qt.PenStyle.SolidLine),
        (of.threshold, t.warn, Qt.PenStyle.DotLine),
        (of.target, t.accent, Qt.PenStyle.DashLine),
    )


def draw_lanes(series: Series, painter: QPainter, scale: PlotScale, t: Palette) -> None:
    """One lane a kind of event; markers that would fall on the same pixels are drawn once."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for row, lane in enumerate(series.lanes):
        y = row * LANE_PX + LANE_PX / 2
        painter.setPen(QPen(QColor(t.grid), 1))
        painter.drawLine(QLineF(0, y, scale.width, y))
        xs = scale.xs(lane.calls.astype(np.float64))
        places = np.flatnonzero((xs > -LANE_PX) & (xs < scale.width + LANE_PX))
        if len(places) > scale.width / 3:
            places = places[np.unique(np.round(xs[places] / 3), return_index=True)[1]]
        for place in places.tolist():
            draw_marker(painter, lane.sign(place), QPointF(float(xs[place]), y), t)


def _turns(series: Series, painter: QPainter, scale: PlotScale, t: Palette) -> None:
    xs = scale.xs(series.turns.astype(np.float64) - 0.5)
    xs = xs[(xs >= 0) & (xs <= scale.width)]
    if len(xs) > scale.width / 6:
        return  # closer than 6 px they would be a grey wash that says nothing
    painter.setPen(QPen(QColor(t.grid), 1))
    painter.drawLines([QLineF(round(x) + 0.5, 0, round(x) + 0.5, scale.height) for x in xs.tolist()])


def visible(calls: int, scale: PlotScale) -> tuple[int, int]:
    """Index of the first visible call, and of the one after the last."""
    return max(0, int(np.floor(scale.first - 0.5))), min(calls, int(np.ceil(scale.last + 0.5)))


def steps(values: npt.NDArray[np.int64], scale: PlotScale) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Pixel edges (n+1) and tops (rows, n) of the visible calls of `values` (rows, calls), at most one step a pixel
    column: the highest of what falls on it."""
    begin, end = visible(values.shape[1], scale)
    if end <= begin:
        return np.zeros(0), np.zeros((len(values), 0))
    stack = values[:, begin:end].astype(np.float64)
    columns = max(1, int(scale.width))
    if end - begin <= columns:
        return scale.xs(np.arange(begin, end + 1, dtype=np.float64) + 0.5), stack
    starts = np.unique(np.linspace(0, end - begin, columns, endpoint=False).astype(np.int64))
    edges = np.append(starts, end - begin).astype(np.float64) + begin + 0.5
    return scale.xs(edges), np.maximum.reduceat(stack, starts, axis=1)


def _area(
    edges: npt.NDArray[np.float64], upper: npt.NDArray[np.float64], lower: npt.NDArray[np.float64]
) -> QPainterPath:
    x = np.repeat(edges, 2)[1:-1]
    outline_x = np.concatenate((x, x[::-1]))
    outline_y = np.concatenate((np.repeat(upper, 2), np.repeat(lower, 2)[::-1]))
    path: QPainterPath = pg.arrayToQPath(outline_x, outline_y, connect="all")
    path.closeSubpath()
    return path
