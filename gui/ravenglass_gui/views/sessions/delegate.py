"""Paints a row of the session list: an icon, the title, and below it the dim facts."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.icons import pixmap
from ravenglass_gui.theme.palette import colours
from ravenglass_gui.views.sessions.model import SessionRole

_ICON = 16
_PAD = 4
_HEADINGS = ("section", "project")


class SessionDelegate(QStyledItemDelegate):
    """Text of a session is drawn as it is: nothing here can become markup."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: ARG002
        # The same for every row, so that the tree need not ask ten thousand of them.
        return QSize(80, QFontMetrics(ui_font()).height() + QFontMetrics(ui_font(-2)).height() + 2 * _PAD)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        t = colours()
        current = bool(index.data(SessionRole.CURRENT))
        kind = str(index.data(SessionRole.KIND))
        heading = kind in _HEADINGS
        facts = str(index.data(SessionRole.FACTS) or "")
        box: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        if current:
            painter.fillRect(box, QColor(t.selection))
        elif state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_HasFocus):
            painter.fillRect(box, QColor(t.hover))
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(t.accent))
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        ink = t.selection_text if current else t.accent if kind == "more" else t.text
        icon = str(index.data(SessionRole.ICON) or "")
        font = ui_font(bold=heading)
        line = QFontMetrics(font).height()
        top = box.top() + (_PAD if facts else (box.height() - line) // 2)
        if icon:
            drawn = pixmap(icon, t.selection_text if current else t.dim, _ICON)
            painter.drawPixmap(box.left() + 2, top + (line - _ICON) // 2, drawn)
        text = box.adjusted(_ICON + 7 if icon else _PAD, _PAD if facts else (box.height() - line) // 2, -_PAD, 0)
        painter.setFont(font)
        painter.setPen(QColor(ink))
        title = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        _elided(painter, QRect(text.left(), text.top(), text.width(), line), title)
        if facts:
            painter.setFont(ui_font(-2))
            painter.setPen(QColor(t.selection_text if current else t.bad if index.data(SessionRole.BAD) else t.dim))
            _elided(painter, QRect(text.left(), text.top() + line, text.width(), text.height() - line), facts)
        painter.restore()


def _elided(painter: QPainter, box: QRect, text: str) -> None:
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextSingleLine, shown)
