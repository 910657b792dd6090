"""A read-only view of recorded text: plain, monospaced, never frozen by its size, and what is copied is the record.

Texts over `WHOLE` characters are shown a page of `PAGE` characters at a time, so that the widget never holds more than
that; `more_changed` says that another part is shown. A search goes over the whole text, a slice at a time.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QMimeData, QTimer, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from ravenglass_gui.text.display_text import DisplayText, display_text, joined, utf16_length
from ravenglass_gui.theme.fonts import mono_font
from ravenglass_gui.theme.palette import colours, theme

WHOLE = 2_000_000
PAGE = 1_000_000
_SLICE = 100_000
_SLICE_LINES = 2_500
"""Most characters and lines put into the widget at a time: some 20 ms of work."""
_SEARCHED = 500_000
"""Characters searched at a time."""
_MOST_HITS = 10_000
_MARKED = 300
"""Hits of a page with a background; the others are reached by stepping."""


class VerbatimView(QPlainTextEdit):
    """`set_text` shows a text; `look_for`, `go_to_hit` search in all of it."""

    more_changed = Signal()
    found = Signal()
    """More of the text was searched; `searching` says whether that was the rest of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setFont(mono_font())
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" ") * 4)
        self._text = ""
        self._display = DisplayText("", "")
        self._start = self._end = 0
        self._hits: list[tuple[int, int]] = []
        self._goal: int | None = None
        self._pattern: re.Pattern[str] | None = None
        self._searched = self._reach = 0
        self._filling = QTimer(self, singleShot=True, interval=0)
        self._filling.timeout.connect(self._fill)
        self._seeking = QTimer(self, singleShot=True, interval=0)
        self._seeking.timeout.connect(self._seek)
        theme.changed.connect(self._paint_hits)

    def set_text(self, text: str) -> None:
        """Show `text` from its beginning; searches are forgotten."""
        self._text = text
        self.look_for("")
        self._show_from(0)

    def turn(self, pages: int) -> None:
        """Show another page of a long text: the next (1), the one before (-1)."""
        last = max(0, len(self._text) - 1) // self._page
        self._show_from(min(max(self._start // self._page + pages, 0), last) * self._page)

    @property
    def _page(self) -> int:
        return PAGE if len(self._text) > WHOLE else WHOLE

    def _show_from(self, start: int) -> None:
        self._start, self._end = start, min(len(self._text), start + self._page)
        self._goal = None
        self._display = DisplayText("", "")
        self.setExtraSelections([])
        self.clear()
        self._fill()

    def _fill(self) -> None:
        """Append the next slice; the rest follows between events, so that no text holds up the window."""
        start = self._start + len(self._display.original)
        end = self._slice_end(start)
        part = display_text(self._text[start:end])
        self._display = joined(self._display, part)
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(part.shown)
        if end < self._end:
            self._filling.start()
        else:
            self._filling.stop()
            self._paint_hits()
        self._reach_goal()
        self.more_changed.emit()

    def _slice_end(self, start: int) -> int:
        """Where a slice from `start` ends: after so many lines or characters, at a line's end where there is one."""
        end = min(self._end, start + _SLICE)
        at = start
        for _ in range(_SLICE_LINES):
            line_end = self._text.find("\n", at, end)
            if line_end < 0:
                return end if end == self._end or at == start else at
            at = line_end + 1
        return at

    @property
    def filling(self) -> bool:
        """More of the page is on its way."""
        return self._filling.isActive()

    @property
    def text(self) -> str:
        """The whole recorded text, shown or not."""
        return self._text

    @property
    def before(self) -> int:
        """Characters before what is shown."""
        return self._start

    @property
    def after(self) -> int:
        """Characters after what is shown."""
        return len(self._text) - self._end

    def notice(self) -> str:
        """What was done for display, and what is left out, as sentences."""
        said = []
        if self.before or self.after:
            said.append(f"Characters {self._start + 1:,} to {self._end:,} of {len(self._text):,} are shown.")
        return " ".join([*said, self._display.notice()]).strip()

    # -- search ----------------------------------------------------------------------------------------------

    @property
    def searching(self) -> bool:
        """The end of the text was not reached yet."""
        return self._seeking.isActive()

    @property
    def hits(self) -> int:
        """Places found so far; at most 10,000 are looked for."""
        return len(self._hits)

    def look_for(self, term: str) -> None:
        """Look for every place of `term` (letter case ignored) in the whole text, shown or not; "" ends a search."""
        self._seeking.stop()
        self._hits, self._searched, self._goal = [], 0, None
        self._reach = len(term)
        self._pattern = re.compile(re.escape(term), re.IGNORECASE) if term else None
        if self._pattern is None:
            self._paint_hits()
            return
        self._seek()

    def _seek(self) -> None:
        """Search the next slice; a place may reach into the one after it."""
        if self._pattern is None:
            return
        stop = min(len(self._text), self._searched + _SEARCHED)
        at = self._searched
        while len(self._hits) < _MOST_HITS:
            match = self._pattern.search(self._text, at, stop + self._reach)
            if match is None or match.start() >= stop:
                break
            self._hits.append(match.span())
            at = max(match.end(), at + 1)
        self._searched = max(stop, at)
        if self._searched < len(self._text) and len(self._hits) < _MOST_HITS:
            self._seeking.start()
        else:
            self._paint_hits()
        self.found.emit()

    def go_to_hit(self, number: int) -> None:
        """Select the hit of that 0-based number and scroll to it, on whatever page it stands."""
        start = self._hits[number][0]
        if not self._start <= start < self._end:
            self._show_from(start // self._page * self._page)
        self._goal = number
        self._reach_goal()

    def _reach_goal(self) -> None:
        """Select the wanted hit as soon as that part of the page is there."""
        if self._goal is None:
            return
        start, end = self._hits[self._goal]
        there = self._start + len(self._display.original)
        if min(end, self._end) > there:
            return
        self._goal = None
        cursor = self.textCursor()
        first = self._display.position(utf16_length(self._text[self._start : start]))
        cursor.setPosition(first)
        last = self._display.position(utf16_length(self._text[self._start : min(end, self._end)]) - 1) + 1
        cursor.setPosition(max(first, last), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.centerCursor()

    def _paint_hits(self) -> None:
        form = QTextCharFormat()
        form.setBackground(QColor(colours().pressed))
        marks = []
        there = self._start + len(self._display.original)
        units, at = 0, self._start
        for start, end in [hit for hit in self._hits if self._start <= hit[0] and hit[1] <= there][:_MARKED]:
            units += utf16_length(self._text[at:start])
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(self._display.position(units))
            units += utf16_length(self._text[start:end])
            at = end
            cursor.setPosition(self._display.position(units - 1) + 1, QTextCursor.MoveMode.KeepAnchor)
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
