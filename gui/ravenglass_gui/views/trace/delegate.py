"""Draws an event: icon, what it is, one line about it, and at the right the messages it is about."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ravenglass.trace import TraceEvent
from ravenglass_gui.text.event_text import kind, summary
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.palette import colours
from ravenglass_gui.views.shared.list_page import ROW_HEIGHT
from ravenglass_gui.views.trace.model import EventRole
from ravenglass_gui.widgets.marks import paint_icon

_INDENT = 16
_ICON = 15
_TITLE = 148
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TraceDelegate(QStyledItemDelegate):
    """`show_call` adds the call number, for lists over several calls."""

    show_call = False

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        event = index.data(EventRole.EVENT)
        if not isinstance(event, TraceEvent):
            return
        palette = colours()
        rect = QRect(option.rect)
        state = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(rect, QColor(palette.selection))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, QColor(palette.hover))
        looks = kind(event)
        box = rect.adjusted(6 + looks.depth * _INDENT, 0, -8, 0)
        if looks.depth:
            painter.fillRect(QRect(rect.left() + 10, rect.top(), 1, rect.height()), QColor(palette.line))
        colour = palette.selection_text if selected else str(getattr(palette, looks.colour))
        paint_icon(painter, box.left(), QRectF(box).center().y(), looks.icon, colour, _ICON)
        text = QColor(palette.selection_text if selected else palette.text)
        dim = QColor(palette.selection_text if selected else palette.dim)
        painter.setFont(ui_font())
        painter.setPen(dim)
        about = about_text(event, with_call=self.show_call)
        painter.drawText(box, _RIGHT, about)
        right = box.right() - (painter.fontMetrics().horizontalAdvance(about) + 10 if about else 0)
        painter.setFont(ui_font(bold=looks.depth == 0 and looks.colour not in ("dim", "text")))
        painter.setPen(text)
        left = box.left() + _ICON + 7
        painter.drawText(QRect(left, box.top(), max(0, right - left), box.height()), _LEFT, looks.title)
        left = max(
            left + painter.fontMetrics().horizontalAdvance(looks.title) + 10, rect.left() + 6 + _ICON + 7 + _TITLE
        )
        painter.setFont(ui_font())
        painter.setPen(dim)
        room = max(0, right - left)
        words = painter.fontMetrics().elidedText(summary(event), Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRect(left, box.top(), room, box.height()), _LEFT, words)


def about_text(event: TraceEvent, *, with_call: bool) -> str:
    """`#95 #96`, `#3 … #40 (12)`, with `call 198` before it where wanted."""
    ids = event.messages
    if len(ids) <= 2:
        said = " ".join(f"#{m}" for m in ids)
    else:
        said = f"#{ids[0]} … #{ids[-1]} ({len(ids):,})"
    if not with_call:
        return said
    return f"call {event.call:,}  {said}".rstrip() if event.call else f"no such call  {said}".rstrip()
