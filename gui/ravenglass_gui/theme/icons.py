"""Icons by what they mean, coloured by the palette and cached by name and colour.

They are plain pixmaps: a theme switch asks for them again (`icon` is cheap), nothing repaints through Python.
"""

from __future__ import annotations

from functools import lru_cache

import qtawesome
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QPixmap

from ravenglass_gui.theme.palette import colours

ICONS = {
    "open": "mdi6.folder-open-outline",
    "close": "mdi6.close",
    "save": "mdi6.content-save-outline",
    "first": "mdi6.skip-backward-outline",
    "previous_turn": "mdi6.chevron-double-left",
    "previous": "mdi6.chevron-left",
    "next": "mdi6.chevron-right",
    "next_turn": "mdi6.chevron-double-right",
    "last": "mdi6.skip-forward-outline",
    "play": "mdi6.play-outline",
    "pause": "mdi6.pause",
    "step": "mdi6.debug-step-into",
    "run": "mdi6.debug-step-over",
    "undo": "mdi6.undo",
    "redo": "mdi6.redo",
    "theme": "mdi6.circle-half-full",
    "keys": "mdi6.keyboard-outline",
    "filter": "mdi6.filter-variant",
    "reset": "mdi6.restore",
    "zoom_in": "mdi6.magnify-plus-outline",
    "zoom_out": "mdi6.magnify-minus-outline",
    "left": "mdi6.arrow-left",
    "right": "mdi6.arrow-right",
    "fit": "mdi6.fit-to-page-outline",
    "session": "mdi6.message-text-outline",
    "agent": "mdi6.subdirectory-arrow-right",
    "project": "mdi6.folder-outline",
    "profile": "mdi6.tune-variant",
    "float": "mdi6.dock-window",
    "demo": "mdi6.school-outline",
    "quit": "mdi6.exit-to-app",
    "info": "mdi6.information-outline",
    "warning": "mdi6.alert-outline",
    "error": "mdi6.alert-circle-outline",
    "protected": "mdi6.shield-half-full",
    "pinned": "mdi6.pin",
    "archived": "mdi6.archive-outline",
    "search": "mdi6.magnify",
    "copy": "mdi6.content-copy",
    "slow": "mdi6.triangle",
    "fail_safe": "mdi6.close-thick",
    "retrieved": "mdi6.tray-arrow-up",
    "accepted": "mdi6.check-circle-outline",
    "plan": "mdi6.format-list-checks",
    "edit": "mdi6.pencil-outline",
    "add": "mdi6.plus",
    "delete": "mdi6.trash-can-outline",
    "follow": "mdi6.access-point",
    "recorded": "mdi6.record-circle-outline",
    "refresh": "mdi6.refresh",
    "place": "mdi6.robot-outline",
    "database": "mdi6.database-outline",
}
"""Meaning -> glyph. `icon` also takes a glyph's own name."""

_SIZES = (16, 20, 24, 32, 48)


def icon(name: str, colour: str = "") -> QIcon:
    """The icon in a colour (`#rrggbb`; the palette's text colour if empty), greyed when disabled."""
    palette = colours()
    return _icon(ICONS.get(name, name), colour or palette.text, palette.faint)


def pixmap(name: str, colour: str = "", size: int = 16) -> QPixmap:
    """The icon as a pixmap of `size` logical pixels."""
    return icon(name, colour).pixmap(QSize(size, size))


@lru_cache(maxsize=512)
def _icon(glyph: str, colour: str, disabled: str) -> QIcon:
    drawn = QIcon()
    for mode, ink in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, disabled)):
        engine = qtawesome.icon(glyph, color=QColor(ink))
        for size in _SIZES:
            drawn.addPixmap(engine.pixmap(QSize(size, size)), mode)
    return drawn


def forget() -> None:
    """Drop the cached pixmaps; they may not outlive the application."""
    _icon.cache_clear()
