"""The row that is selected, in sentences, with buttons that go to its source and its response."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPlainTextEdit, QToolButton, QVBoxLayout, QWidget

from ravenglass.replay.figures import Regret
from ravenglass.safe.visible import visible_lines
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.palette import colours, theme

_MARGIN = 3
_MOST_SOURCES = 30
"""Sources that the menu lists, the latest first."""


class Details(QWidget):
    """`go(call, message)` is asked for by the buttons; they are hidden where there is nothing to go to.
    `lines` are seen without scrolling."""

    go = Signal(int, int)

    def __init__(self, parent: QWidget | None = None, *, lines: int) -> None:
        super().__init__(parent)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setFont(ui_font(-1))
        self.text.document().setDocumentMargin(_MARGIN)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName("The selected row in words")
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.source, self.response = QToolButton(self), QToolButton(self)
        self._menu = QMenu(self)
        self._regret: Regret | None = None
        buttons = QVBoxLayout()
        buttons.setContentsMargins(0, 0, 0, 0)
        buttons.setSpacing(2)
        for button in (self.source, self.response):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            buttons.addWidget(button)
        buttons.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.text, 1)
        row.addLayout(buttons)
        height = lines * self.text.fontMetrics().lineSpacing() + 2 * _MARGIN + 2
        self.text.setFixedHeight(height)
        self.source.clicked.connect(self._to_source)
        self.response.clicked.connect(self._to_response)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.say("")

    def say(self, sentence: str, regret: Regret | None = None) -> None:
        """Words; of a regret with its buttons."""
        self._regret = regret
        self.text.setPlainText(visible_lines(sentence))
        for button in (self.source, self.response):
            button.setVisible(regret is not None)
        if regret is None:
            return
        self.source.setText(f"Source #{regret.message}")
        self.source.setToolTip("Select the message that was out of the window, at the call of the regret")
        self.response.setText(f"Response #{regret.response}")
        self.response.setToolTip("Select the response that needed it, at its call (Enter)")
        self._menu.clear()
        for message in reversed(regret.sources[-_MOST_SOURCES:]):
            self._menu.addAction(f"Source #{message}").triggered.connect(partial(self._to, regret.call, message))
        several = len(regret.sources) > 1
        self.source.setMenu(self._menu if several else None)  # type: ignore[arg-type]
        mode = QToolButton.ToolButtonPopupMode
        self.source.setPopupMode(mode.MenuButtonPopup if several else mode.DelayedPopup)

    def _restyle(self) -> None:
        """Buttons that only go somewhere look like links."""
        for button in (self.source, self.response):
            button.setStyleSheet(f"QToolButton {{ color: {colours().accent}; padding: 2px 16px 2px 6px; }}")

    def _to(self, call: int, message: int) -> None:
        self.go.emit(call, message)

    def _to_source(self) -> None:
        if self._regret is not None:
            self.go.emit(self._regret.call, self._regret.message)

    def _to_response(self) -> None:
        if self._regret is not None:
            self.go.emit(self._regret.call, self._regret.response)
