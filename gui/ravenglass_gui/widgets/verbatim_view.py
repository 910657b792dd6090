"""A read-only view of recorded text: plain, monospaced, never frozen by its size, and what is copied is the record.

Texts over `WHOLE` characters are shown a part at a time; `more_changed` says how much is left.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from ravenglass_gui.models.display_text import DisplayText, display_text, utf16_length
from ravenglass_gui.theme.fonts import mono_font
from ravenglass_gui.theme.tokens import theme, tokens

WHOLE = 2_000_000
PART = 1_000_000
_MOST_HITS = 10_000


class VerbatimView(QPlainTextEdit):
    """`set_text` shows a text; `find_all`, `go_to_hit` search in what is shown."""

    more_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setFont(mono_font())
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" ") * 4)
        self._text = ""
        self._display = DisplayText("", "")
        self._hits: list[tuple[int, int]] = []
        theme.changed.connect(self._paint_hits)

    def set_text(self, text: str) -> None:
        """Show `text` from its beginning; searches are forgotten."""
        self._text = text
        self._show(len(text) if len(text) <= WHOLE else PART)

    def show_more(self) -> None:
        """Show the next part as well; the scroll position is kept."""
        at = self.verticalScrollBar().value()
        self._show(min(len(self._text), len(self._display.original) + PART))
        self.verticalScrollBar().setValue(at)

    def _show(self, characters: int) -> None:
        self._display = display_text(self._text[:characters])
        self._hits = []
        self.setExtraSelections([])
        self.setPlainText(self._display.shown)
        self.more_changed.emit()

    @property
    def text(self) -> str:
        """The whole recorded text, shown or not."""
        return self._text

    @property
    def hidden(self) -> int:
        """Characters that are not shown yet."""
        return len(self._text) - len(self._display.original)

    def notice(self) -> str:
        """What was done for display, and what is left out, as sentences."""
        said = []
        if self.hidden:
            said.append(f"The first {len(self._display.original):,} of {len(self._text):,} characters are shown.")
        return " ".join([*said, self._display.notice()]).strip()

    def find_all(self, term: str) -> int:
        """Mark every place of `term` (letter case ignored) in what is shown; how many there are."""
        self._hits = []
        if term:
            shown, before, units = self._display.shown, 0, 0
            for match in re.finditer(re.escape(term), shown, re.IGNORECASE):
                units += utf16_length(shown[before : match.start()])
                before = match.start()
                self._hits.append((units, units + utf16_length(match.group())))
                if len(self._hits) >= _MOST_HITS:
                    break
        self._paint_hits()
        return len(self._hits)

    def go_to_hit(self, number: int) -> None:
        """Select the hit of that 0-based number and scroll to it."""
        start, end = self._hits[number]
        cursor = self.textCursor()
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.centerCursor()

    def _paint_hits(self) -> None:
        form = QTextCharFormat()
        form.setBackground(QColor(tokens().pressed))
        marks = []
        for start, end in self._hits[:1_000]:
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            mark.cursor = cursor
            mark.format = form
            marks.append(mark)
        self.setExtraSelections(marks)

    def createMimeDataFromSelection(self) -> QMimeData:
        """What is copied is the recorded text, not its display."""
        cursor = self.textCursor()
        data = QMimeData()
        taken = self._display.verbatim(cursor.selectionStart(), cursor.selectionEnd())
        data.setText(taken.encode("utf-8", "replace").decode("utf-8"))
        return data
