"""Which keys the focused control needs for itself, so that no shortcut of one key takes them away from it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QTreeView,
    QWidget,
)

_MOVES = frozenset({Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End})
_SIDEWAYS = frozenset({Qt.Key.Key_Left, Qt.Key.Key_Right})
_ENDS = frozenset({Qt.Key.Key_Home, Qt.Key.Key_End})
_PRESS = frozenset({Qt.Key.Key_Space})


def keeps_key(event: QKeyEvent) -> bool:
    """Whether the widget with the focus needs this key more than the window does.

    Tables select whole rows and leave Left and Right to the playhead; trees open and close with them.
    """
    widget = QApplication.focusWidget()
    if event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
        return False
    return widget is not None and needs(widget, Qt.Key(event.key()), event.text())


def needs(widget: QWidget, key: Qt.Key, text: str) -> bool:
    """Whether a control of this kind does something of its own with a key; `text` is what the key types."""
    if isinstance(widget, (QLineEdit, QAbstractSpinBox)):
        return key in _MOVES or (text.isprintable() and bool(text))
    if isinstance(widget, (QPlainTextEdit, QTextEdit)):
        return not widget.isReadOnly() and (key in _MOVES or (bool(text) and text.isprintable()))
    if isinstance(widget, QComboBox):
        return key in _MOVES | _PRESS
    if isinstance(widget, QAbstractSlider):
        return key in _MOVES
    if isinstance(widget, QTabBar):
        return key in _SIDEWAYS
    if isinstance(widget, QAbstractButton):
        group = widget.group()
        # Tab reaches a switch of several buttons once; within it Left and Right choose.
        return key in _PRESS or (group is not None and group.exclusive() and key in _SIDEWAYS)
    if isinstance(widget, QTreeView):
        return key in _MOVES
    if isinstance(widget, QAbstractItemView):
        return key in _ENDS
    return False
