"""Draws the blocks of a window: token bars, stub marks, blocks that are new, and lines across the whole width."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView, QWidget

from ravenglass.replay.frame import WindowMessage
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.palette import Palette, colours
from ravenglass_gui.views.shared.list_page import ROW_HEIGHT
from ravenglass_gui.views.window.model import ICONS, Block, Line, WindowColumn, WindowRole, block_text
from ravenglass_gui.widgets.marks import paint_icon

PAD = 8
_BAR = 3
_NUMBER = 58
"""Room for the token number at the right of its column; the bar takes the rest."""
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

ROLE_ICONS = {
    "system": "mdi6.cog-outline",
    "developer": "mdi6.cog-outline",
    "user": "mdi6.account-outline",
    "assistant": "mdi6.robot-outline",
    "tool": "mdi6.wrench-outline",
}


def _icon(message: WindowMessage) -> str:
    own = ICONS.get(message.label) if message.id is None else None
    return own or ROLE_ICONS.get(message.role, "session")


class WindowView(QTreeView):
    """A flat list with columns whose headings and cache lines span all of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setItemsExpandable(False)
        self.setIndentation(0)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(WindowDelegate(self))

    def drawRow(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry = index.data(WindowRole.ENTRY)
        if not isinstance(entry, Line):
            super().drawRow(painter, option, index)
            return
        rect = QRect(option.rect)
        box = QRect(PAD, rect.top(), self.viewport().width() - 2 * PAD, rect.height())
        palette = colours()
        painter.save()
        painter.setFont(ui_font(-2, bold=True))
        cache = entry.kind != "section"
        colour = QColor(palette.accent if entry.kind == "cache" else palette.dim)
        painter.setPen(colour)
        words = entry.text if cache else entry.text.upper()
        painter.drawText(box, _LEFT, words)
        start = box.left() + painter.fontMetrics().horizontalAdvance(words) + 10
        painter.setPen(
            QPen(colour if cache else QColor(palette.line), 1, Qt.PenStyle.DashLine if cache else Qt.PenStyle.SolidLine)
        )
        middle = box.center().y()
        painter.drawLine(start, middle, box.right(), middle)
        painter.restore()


class WindowDelegate(QStyledItemDelegate):
    """Reads `WindowRole.ENTRY` and `WindowRole.LARGEST`."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry = index.data(WindowRole.ENTRY)
        if not isinstance(entry, Block):
            return
        palette = colours()
        rect = QRect(option.rect)
        state = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(rect, QColor(palette.selection))
        elif entry.gone or entry.message.added:
            painter.fillRect(rect, QColor(palette.removed if entry.gone else palette.added))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, QColor(palette.hover))
        font = QFont(option.font)
        painter.setFont(font)
        text = QColor(palette.selection_text if selected else palette.dim if entry.gone else palette.text)
        box = rect.adjusted(PAD, 0, -PAD, 0)
        column = index.column()
        painter.setPen(text)
        if column == WindowColumn.ID:
            if entry.message.added or entry.gone:
                edge = palette.bad if entry.gone else palette.good
                painter.fillRect(QRect(rect.left(), rect.top(), _BAR, rect.height()), QColor(edge))
            number = "" if entry.message.id is None else str(entry.message.id)
            painter.drawText(box, _RIGHT, number)
        elif column == WindowColumn.WHAT:
            self._what(painter, box, entry, palette, selected)
        elif column == WindowColumn.TOKENS:
            self._tokens(painter, box, entry, int(index.data(WindowRole.LARGEST) or 0), palette, selected)
        else:
            words = block_text(entry.message)
            painter.drawText(
                box, _LEFT, painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, box.width())
            )

    def _what(self, painter: QPainter, box: QRect, entry: Block, palette: Palette, selected: bool) -> None:
        """Icon of the role, label, and scissors with a word where the text is not verbatim: `stub`, `updated`."""
        pen = painter.pen()
        middle = QRectF(box).center().y()
        message = entry.message
        ink = palette.selection_text if selected else palette.dim
        paint_icon(painter, box.left(), middle, _icon(message), ink)
        left, right = box.left() + 21, box.right()
        if not message.verbatim and message.id is not None:
            word = "note" if entry.note else message.stand_in
            right -= painter.fontMetrics().horizontalAdvance(word)
            colour = palette.selection_text if selected else palette.warn
            painter.setPen(QColor(colour))
            painter.drawText(QRect(right, box.top(), box.right() - right + 1, box.height()), _LEFT, word)
            right -= 18
            paint_icon(painter, right, middle, "mdi6.content-cut", colour)
        painter.setPen(pen)
        rest = QRect(left, box.top(), max(0, right - left - 4), box.height())
        words = painter.fontMetrics().elidedText(message.label, Qt.TextElideMode.ElideRight, rest.width())
        painter.drawText(rest, _LEFT, words)

    def _tokens(
        self, painter: QPainter, box: QRect, entry: Block, largest: int, palette: Palette, selected: bool
    ) -> None:
        painter.drawText(box, _RIGHT, f"{entry.message.tokens:,}")
        room = box.width() - _NUMBER
        if room > 4 and largest:
            length = max(1.0, room * entry.message.tokens / largest)
            colour = QColor(palette.selection_text if selected else palette.accent)
            colour.setAlphaF(0.35 if entry.gone else 0.75)
            painter.fillRect(QRectF(box.left(), QRectF(box).center().y() - 3, length, 6), colour)
