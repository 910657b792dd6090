"""The small shapes that stand beside a word: one a tier, one a state. Colour never carries a fact alone."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from ravenglass.replay.vocabulary import State
from ravenglass_gui.theme.icons import pixmap
from ravenglass_gui.theme.palette import colours

MARK = 9
"""Side of a mark, logical pixels."""


def ink(colour: str, share: float = 0.22) -> QColor:
    """A tier's or state's colour as text: drawn a little towards the text colour, so that it reads on the panel."""
    one, two = QColor(colour), QColor(colours().text)
    return QColor.fromRgbF(
        one.redF() * (1 - share) + two.redF() * share,
        one.greenF() * (1 - share) + two.greenF() * share,
        one.blueF() * (1 - share) + two.blueF() * share,
    )


def paint_tier(painter: QPainter, left: float, middle: float, tier: str, colour: QColor) -> None:
    """The tier's mark with its left edge at `left`, centred on `middle`: square, bars, triangle or diamond."""
    box = QRectF(left, middle - MARK / 2, MARK, MARK)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    if tier == "global":
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 1, 1)
    elif tier == "session":
        painter.drawRect(QRectF(box.left(), box.top() + 1, MARK, 3))
        painter.drawRect(QRectF(box.left(), box.bottom() - 4, MARK, 3))
    elif tier == "task":
        bottom = box.bottom() - 0.5
        painter.drawPolygon(
            QPolygonF(
                [QPointF(box.left(), bottom), QPointF(box.center().x(), box.top() + 0.5), QPointF(box.right(), bottom)]
            )
        )
    else:
        centre = box.center()
        half = MARK / 2
        painter.drawPolygon(
            QPolygonF(
                [
                    QPointF(centre.x(), centre.y() - half),
                    QPointF(centre.x() + half, centre.y()),
                    QPointF(centre.x(), centre.y() + half),
                    QPointF(centre.x() - half, centre.y()),
                ]
            )
        )
    painter.restore()


def paint_state(painter: QPainter, left: float, middle: float, state: State, colour: QColor) -> None:
    """The state's mark: dotted ring, disc, half disc, ring or box with a lid."""
    box = QRectF(left, middle - MARK / 2, MARK, MARK).adjusted(0.75, 0.75, -0.75, -0.75)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(colour, 1.5)
    if state is State.REGISTERED:
        pen.setStyle(Qt.PenStyle.DotLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if state is State.ARCHIVED:
        painter.drawRect(box)
        painter.drawLine(QPointF(box.left(), box.top() + 2.5), QPointF(box.right(), box.top() + 2.5))
    else:
        painter.drawEllipse(box)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    if state is State.ACTIVE:
        painter.drawEllipse(box)
    elif state is State.STANDBY:
        painter.drawPie(box, 90 * 16, 180 * 16)
    painter.restore()


def paint_icon(painter: QPainter, left: float, middle: float, name: str, colour: str, side: float = 15) -> None:
    """An icon with its left edge at `left`, centred on `middle`, sharp on any screen."""
    image = pixmap(name, colour, 32)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawPixmap(QRectF(left, middle - side / 2, side, side), image, QRectF(image.rect()))
    painter.restore()
