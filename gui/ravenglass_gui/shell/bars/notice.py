"""The notice bar: sentences for the person, newest first, until closed. What is only information go by themselves."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from ravenglass.safe.visible import visible
from ravenglass_gui.theme.icons import icon, pixmap
from ravenglass_gui.theme.palette import colours, theme

INFO_MS = 8_000
_LIMIT = 50
_ICON = 16


class NoticeBar(QWidget):
    """One line that shows the newest sentence and how many wait behind it; closing shows the next."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("role", "notice")
        self._waiting: list[tuple[str, str]] = []
        self._icon = QLabel()
        self._text = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._more = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._more.setProperty("role", "dim")
        self._close = QToolButton()
        self._close.setAccessibleName("Close this notice")
        self._close.setToolTip("Close this notice")
        self._close.setIconSize(QSize(_ICON, _ICON))
        self._close.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._close.clicked.connect(self.dismiss)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 3, 4, 3)
        layout.addWidget(self._icon)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._more)
        layout.addWidget(self._close)
        self._timer = QTimer(self, singleShot=True, interval=INFO_MS)
        self._timer.timeout.connect(self.dismiss)
        theme.changed.connect(self._show_newest)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence on screen; empty when the bar is hidden."""
        return self._waiting[-1][1] if self._waiting else ""

    def post(self, level: str, sentence: str) -> None:
        """Show a sentence of level `info`, `warning` or `error`; the same one twice is shown once."""
        self._waiting = [entry for entry in self._waiting if entry[1] != sentence and entry[0] != "info"][-_LIMIT:]
        self._waiting.append((level, sentence))
        self._show_newest()

    def dismiss(self) -> None:
        """Close the sentence on screen."""
        if self._waiting:
            self._waiting.pop()
        self._show_newest()

    def clear(self) -> None:
        self._waiting.clear()
        self._show_newest()

    def _show_newest(self) -> None:
        self._timer.stop()
        self.setVisible(bool(self._waiting))
        if not self._waiting:
            return
        t = colours()
        level, sentence = self._waiting[-1]
        colour = {"error": t.bad, "warning": t.warn}.get(level, t.accent)
        self._icon.setPixmap(pixmap(level, colour, _ICON))
        self._icon.setAccessibleName(level)
        self._close.setIcon(icon("close", t.dim))
        self._text.setText(visible(sentence))
        self._text.setAccessibleName(f"{level}: {sentence}")
        rest = len(self._waiting) - 1
        self._more.setText(f"{rest} more" if rest else "")
        self.setProperty("level", level)
        self.style().unpolish(self)
        self.style().polish(self)
        if level == "info":
            self._timer.start()
