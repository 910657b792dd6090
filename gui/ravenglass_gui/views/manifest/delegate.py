"""Draws a row of the manifest: coloured words with their marks, flags as icons, dimmed where not in the window."""

from __future__ import annotations

from urllib.parse import unquote

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ravenglass.replay.frame import ManifestRow
from ravenglass_gui.state.planning import Tick
from ravenglass_gui.theme.fonts import mono_font
from ravenglass_gui.theme.palette import Palette, colours
from ravenglass_gui.views.manifest.model import NUMERIC, ManifestColumn, ManifestRole, cell_text
from ravenglass_gui.views.shared.list_page import ROW_HEIGHT
from ravenglass_gui.widgets.marks import MARK, ink, paint_icon, paint_state, paint_tier

PAD = 8
_ICON = 15
_BAR = 3
_PATH_SHARE = 0.45
"""Most of the last column that a path may take from the text behind it."""

FLAG_ICONS = {
    "pinned": ("pinned", "warn"),
    "protected": ("protected", "accent"),
    "archived": ("archived", "dim"),
    "stub": ("mdi6.content-cut", "dim"),
    "updated": ("mdi6.file-edit-outline", "dim"),
    "expired": ("mdi6.clock-alert-outline", "bad"),
    "orphan": ("mdi6.link-off", "bad"),
    "unanswered": ("mdi6.help-circle-outline", "warn"),
    "error": ("error", "bad"),
}
"""Flag -> (icon, field of the palette). The words are in the tooltip."""


class ManifestDelegate(QStyledItemDelegate):
    """Reads `ManifestRole.ROW` only; every colour is asked for at painting time."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row = index.data(ManifestRole.ROW)
        if not isinstance(row, ManifestRow):
            return
        column = ManifestColumn(index.column())
        palette = colours()
        tick = index.data(ManifestRole.TICK)
        rect = QRect(option.rect)
        state = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(rect, QColor(palette.selection))
        elif row.changed:
            painter.fillRect(rect, QColor(palette.stripe))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, QColor(palette.hover))
        if column is ManifestColumn.TICK:
            _tick(painter, rect, tick, palette, selected)
            return
        if row.changed and column is ManifestColumn.ID:
            painter.fillRect(QRect(rect.left(), rect.top(), _BAR, rect.height()), QColor(palette.accent))
        font = QFont(option.font)
        painter.setFont(font)
        self._cell(painter, rect.adjusted(PAD, 0, -PAD, 0), row, column, palette, selected)

    def _cell(
        self, painter: QPainter, box: QRect, row: ManifestRow, column: ManifestColumn, palette: Palette, selected: bool
    ) -> None:
        plain = QColor(palette.selection_text if selected else palette.text if row.included else palette.dim)
        if column in NUMERIC:
            painter.setPen(plain)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, cell_text(row, column))
        elif column is ManifestColumn.TIER:
            colour = plain if selected else _faded(ink(palette.tier(row.tier)), row.included, palette)
            paint_tier(painter, box.left(), _middle(box), row.tier, colour)
            _word(painter, box, row.tier, colour)
        elif column is ManifestColumn.STATE:
            colour = plain if selected else _faded(ink(palette.state(row.state.label)), row.included, palette)
            paint_state(painter, box.left(), _middle(box), row.state, colour)
            _word(painter, box, row.state.label, colour)
        elif column is ManifestColumn.FLAGS:
            self._flags(painter, box, row, palette, selected)
        elif column is ManifestColumn.ROLE:
            self._role(painter, box, row, palette, plain, selected)
        else:
            self._text(painter, box, row, palette, plain, selected)

    def _role(
        self, painter: QPainter, box: QRect, row: ManifestRow, palette: Palette, plain: QColor, selected: bool
    ) -> None:
        """`tool Read`, `assistant Read, Grep`: of a result the tool is what one looks for, the role is dim."""
        dim = plain if selected else QColor(palette.dim)
        result = row.role == "tool" and bool(row.tool)
        metrics = painter.fontMetrics()
        painter.setPen(dim if result else plain)
        painter.drawText(box, _LEFT, metrics.elidedText(row.role, Qt.TextElideMode.ElideRight, box.width()))
        if not row.tool:
            return
        left = box.left() + metrics.horizontalAdvance(row.role + "  ")
        rest = QRect(left, box.top(), box.right() - left + 1, box.height())
        if rest.width() > metrics.horizontalAdvance("M…"):
            painter.setPen(plain if result else dim)
            painter.drawText(rest, _LEFT, metrics.elidedText(row.tool, Qt.TextElideMode.ElideRight, rest.width()))

    def _flags(self, painter: QPainter, box: QRect, row: ManifestRow, palette: Palette, selected: bool) -> None:
        left = box.left()
        for flag, (name, field) in FLAG_ICONS.items():
            if flag not in row.flags:
                continue
            if left + _ICON > box.right() + 2:
                break
            colour = palette.selection_text if selected else str(getattr(palette, field))
            paint_icon(painter, left, _middle(box), name, colour, _ICON)
            left += _ICON + 3

    def _text(
        self, painter: QPainter, box: QRect, row: ManifestRow, palette: Palette, plain: QColor, selected: bool
    ) -> None:
        """For what a file holds its path, then the text on one line. The whole address is in the tooltip."""
        left = box.left()
        path = file_path(row.address)
        if path:
            font = painter.font()
            painter.setFont(mono_font())
            metrics = QFontMetrics(painter.font())
            shown = metrics.elidedText(path, Qt.TextElideMode.ElideLeft, int(box.width() * _PATH_SHARE))
            painter.setPen(plain if selected else QColor(palette.dim))
            painter.drawText(box, _LEFT, shown)
            left += metrics.horizontalAdvance(shown) + 10
            painter.setFont(font)
        painter.setPen(plain)
        rest = QRect(left, box.top(), max(0, box.right() - left + 1), box.height())
        painter.drawText(
            rest, _LEFT, painter.fontMetrics().elidedText(row.snippet, Qt.TextElideMode.ElideRight, rest.width())
        )


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


def file_path(address: str) -> str:
    """The path in a file's address, as it was before encoding; empty for every other address."""
    head, found, path = address.partition("/file/")
    return unquote(path) if found and head.startswith("cxt://project/") else ""


_TICKS = {
    Tick.IN: ("mdi6.checkbox-marked", "accent"),
    Tick.OUT: ("mdi6.checkbox-blank-outline", "dim"),
    Tick.ARCHIVE: ("archived", "warn"),
    Tick.FIXED: ("mdi6.lock-check-outline", "dim"),
}


def _tick(painter: QPainter, rect: QRect, tick: object, palette: Palette, selected: bool) -> None:
    if isinstance(tick, Tick):
        name, field = _TICKS[tick]
        colour = palette.selection_text if selected else str(getattr(palette, field))
        paint_icon(painter, rect.center().x() - _ICON / 2, _middle(rect), name, colour, _ICON)


def _middle(box: QRect) -> float:
    return QRectF(box).center().y()


def _word(painter: QPainter, box: QRect, word: str, colour: QColor) -> None:
    painter.setPen(colour)
    painter.drawText(box.adjusted(MARK + 6, 0, 0, 0), _LEFT, word)


def _faded(colour: QColor, included: bool, palette: Palette) -> QColor:
    """Half way to the dim colour for rows that are not in the window."""
    if included:
        return colour
    dim = QColor(palette.dim)
    return QColor(
        (colour.red() + dim.red()) // 2, (colour.green() + dim.green()) // 2, (colour.blue() + dim.blue()) // 2
    )
