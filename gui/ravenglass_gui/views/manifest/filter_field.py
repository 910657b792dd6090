"""The filter box: green or red at once, completion of keys and values, history, and the error under it as a sentence.

It knows no filter language: what is valid and what can be completed is asked of the functions given to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QStringListModel, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QLabel, QLineEdit, QMenu, QVBoxLayout, QWidget

from ravenglass.errors import FilterError
from ravenglass_gui.actions.local import LocalActions
from ravenglass_gui.theme.icons import icon
from ravenglass_gui.theme.palette import colours, theme
from ravenglass_gui.views.manifest.filter_completion import Completion
from ravenglass_gui.widgets.pace import after_rest

_PAUSE_MS = 150
_HISTORY = 20


class FilterField(QWidget):
    """`accepted` carries the text of a valid filter, a moment after typing stopped or at once on Enter."""

    accepted = Signal(str)

    def __init__(
        self,
        check: Callable[[str], None],
        complete: Callable[[str, int], Completion],
        parent: QWidget | None = None,
    ) -> None:
        """`check` raises FilterError for a text that does not parse."""
        super().__init__(parent)
        self._check, self._complete = check, complete
        self._history: list[str] = []
        self.field = QLineEdit(self)
        self.field.setClearButtonEnabled(True)
        self.field.setPlaceholderText('Filter, for example  tier:task state:standby tokens>500 "login"')
        self.field.setAccessibleName("Manifest filter")
        self.setFocusProxy(self.field)
        self._error = QLabel(self)
        self._error.setTextFormat(Qt.TextFormat.PlainText)
        self._error.setWordWrap(True)
        self._error.setProperty("role", "bad")
        self._error.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.field)
        layout.addWidget(self._error)
        self._words = QStringListModel(self)
        self._completer = QCompleter(self._words, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setWidget(self.field)
        self._completer.activated.connect(self._insert)
        self._open_history = QAction(self)
        self._open_history.setText("Recent filters")
        self._open_history.triggered.connect(self._show_history)
        self.field.addAction(self._open_history, QLineEdit.ActionPosition.LeadingPosition)
        self._pause = after_rest(self, _PAUSE_MS)
        self._pause.triggered.connect(self.apply)
        self.field.textEdited.connect(self._edited)
        self.field.textChanged.connect(self._changed)
        self.field.returnPressed.connect(self._entered)
        self.field.installEventFilter(self)
        LocalActions(self.field, "Filter", {"offer": self._offer})
        theme.changed.connect(self._restyle)
        self._restyle()

    def text(self) -> str:
        return self.field.text()

    def set_text(self, text: str) -> None:
        """Show `text` without announcing it; its state is checked."""
        if text != self.field.text():
            self.field.setText(text)
        self._pause.cancel()
        self._judge()

    def error(self) -> str:
        """The sentence under the field, empty while the filter is valid."""
        return "" if self._error.isHidden() else self._error.text()

    def history(self) -> tuple[str, ...]:
        """Filters that were entered, newest first."""
        return tuple(self._history)

    def show_error(self, error: FilterError) -> None:
        """Mark the text as invalid and say why and where."""
        self._error.setText(f"Character {error.position + 1}: {error}")
        self._error.show()
        self._set_level("error")

    def apply(self) -> None:
        """Announce the text if it is valid."""
        self._pause.cancel()
        if self._judge():
            self.accepted.emit(self.field.text().strip())

    def _judge(self) -> bool:
        try:
            self._check(self.field.text())
        except FilterError as error:
            self.show_error(error)
            return False
        self._error.hide()
        self._set_level("good" if self.field.text().strip() else "")
        return True

    def _set_level(self, level: str) -> None:
        if self.field.property("level") != level:
            self.field.setProperty("level", level)
            self._restyle()

    def _edited(self) -> None:
        self._offer()

    def _changed(self) -> None:
        self._pause.throttle()

    def _entered(self) -> None:
        self.apply()
        text = self.field.text().strip()
        if text and not self.error():
            self._history = [text, *(t for t in self._history if t != text)][:_HISTORY]

    def _offer(self) -> None:
        found = self._complete(self.field.text(), self.field.cursorPosition())
        self._words.setStringList(list(found.words))
        if not found.words:
            self._popup().hide()
            return
        left = self.field.cursorRect().left()
        box = self.field.rect().adjusted(left, 0, 0, 0)
        box.setWidth(min(280, self.field.width()))
        self._completer.complete(box)

    def _popup(self) -> QAbstractItemView:
        popup = self._completer.popup()
        assert popup is not None
        return popup

    def _insert(self, word: str) -> None:
        found = self._complete(self.field.text(), self.field.cursorPosition())
        text = self.field.text()
        complete = not word.endswith((":", "<", ">", "="))
        put = word + (" " if complete and not text[found.end :].startswith(" ") else "")
        self.field.setText(text[: found.start] + put + text[found.end :])
        self.field.setCursorPosition(found.start + len(put))
        if not complete:
            self._offer()

    def _show_history(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text in self._history:
            menu.addAction(text.replace("&", "&&"), partial(self._recall, text))
        if not self._history:
            menu.addAction("No filter was entered yet").setEnabled(False)
        menu.popup(self.field.mapToGlobal(QPoint(0, self.field.height())))

    def _recall(self, text: str) -> None:
        self.field.setText(text)
        self.apply()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down in an empty field the history, Escape clears."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = event.key()
            if key == Qt.Key.Key_Down and not self.field.text() and not self._popup().isVisible():
                self._show_history()
                return True
            if key == Qt.Key.Key_Escape and self.field.text() and not self._popup().isVisible():
                self.field.clear()
                self.apply()
                return True
        return super().eventFilter(watched, event)

    def _restyle(self) -> None:
        palette = colours()
        self._open_history.setIcon(icon("filter", palette.dim))
        self._popup().setStyleSheet(
            f"QAbstractItemView {{ background: {palette.panel}; border: 1px solid {palette.line}; padding: 3px; }}"
            "QAbstractItemView::item { padding: 3px 8px; }"
            f"QAbstractItemView::item:selected {{ background: {palette.hover}; color: {palette.text}; }}"
        )
        level = self.field.property("level")
        colour = palette.bad if level == "error" else palette.good if level == "good" else palette.line
        self.field.setStyleSheet(f"QLineEdit {{ border: 1px solid {colour}; }}")
