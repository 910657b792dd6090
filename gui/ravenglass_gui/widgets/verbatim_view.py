"""A read-only view of recorded text: plain, monospaced, never frozen by its size, and what is copied is the record.

Texts over `WHOLE` characters are shown a part at a time; `more_changed` says how much is left.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QMimeData, QTimer, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from ravenglass_gui.models.display_text import DisplayText, display_text, joined, utf16_length
from ravenglass_gui.theme.fonts import mono_font
from ravenglass_gui.theme.tokens import theme, tokens

WHOLE = 2_000_000
PART = 1_000_000
_SLICE = 150_000
_SLICE_LINES = 2_500
"""Most characters and lines put into the widget at a time: some 20 ms of work."""
_MOST_HITS = 10_000
_MARKED = 300
"""Hits with a background; the others are reached by stepping."""


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
        self._wanted = 0
        self._filling = QTimer(self, singleShot=True, interval=0)
        self._filling.timeout.connect(self._fill)
        theme.changed.connect(self._paint_hits)

    def set_text(self, text: str) -> None:
        """Show `text` from its beginning; searches are forgotten."""
        self._text = text
        self._display = DisplayText("", "")
        self._wanted = len(text) if len(text) <= WHOLE else PART
        self._hits = []
        self.setExtraSelections([])
        self.clear()
        self._fill()

    def show_more(self) -> None:
        """Show the next part as well; the scroll position is kept."""
        self._wanted = min(len(self._text), self._wanted + PART)
        self._fill()

    def _fill(self) -> None:
        """Append the next slice; the rest follows between events, so that no text holds up the window."""
        start = len(self._display.original)
        end = self._slice_end(start)
        part = display_text(self._text[start:end])
        self._display = joined(self._display, part)
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(part.shown)
        if end < self._wanted:
            self._filling.start()
        else:
            self._filling.stop()
        self.more_changed.emit()

    def _slice_end(self, start: int) -> int:
        """Where a slice from `start` ends: after so many lines or characters, at a line's end where there is one."""
        end = min(self._wanted, start + _SLICE)
        at = start
        for _ in range(_SLICE_LINES):
            line_end = self._text.find("\n", at, end)
            if line_end < 0:
                return end if end == self._wanted or at == start else at
            at = line_end + 1
        return at

    @property
    def filling(self) -> bool:
        """More of the wanted text is on its way."""
        return self._filling.isActive()

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
        if self.hidden and not self.filling:
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
        for start, end in self._hits[:_MARKED]:
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
