"""Keys that mean something else inside one panel than in the rest of the window.

A shortcut of the panel would be ambiguous with the window's; so the panel claims the key before shortcuts are
looked up (`ShortcutOverride`) and acts when it arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget


class LocalKeys(QObject):
    """Watches a panel; what its focused child does not use itself arrives here. `keys` are made by `ctrl`."""

    def __init__(self, panel: QWidget, keys: Mapping[int, Callable[[], object]]) -> None:
        super().__init__(panel)
        self._keys = dict(keys)
        self.enabled = True
        """While it is off, the keys mean what they mean in the rest of the window."""
        panel.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self.enabled and isinstance(event, QKeyEvent):
            act = self._keys.get(event.keyCombination().toCombined())
            if act is not None and event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if act is not None and event.type() == QEvent.Type.KeyPress:
                act()
                return True
        return super().eventFilter(watched, event)


def plain(key: Qt.Key) -> int:
    """A key by itself as one number."""
    return QKeyCombination(key).toCombined()


def ctrl(key: Qt.Key, *, shift: bool = False) -> int:
    """Ctrl with a key, and Shift where wanted, as one number."""
    held = Qt.KeyboardModifier.ControlModifier
    return QKeyCombination(held | Qt.KeyboardModifier.ShiftModifier if shift else held, key).toCombined()
