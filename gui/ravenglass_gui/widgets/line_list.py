"""A short list of wrapped lines with a link to the message each comes from. Rows are reused, not rebuilt."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from ravenglass_gui.models.working_state import Entry
from ravenglass_gui.theme.tokens import theme, tokens


class _Row(QWidget):
    """One entry: its text, a word for what changed, and the source as a button."""

    def __init__(self, owner: LineList) -> None:
        super().__init__(owner)
        self.entry = Entry("none", "")
        self.text = QLabel(self)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.mark = QLabel(self)
        self.mark.setTextFormat(Qt.TextFormat.PlainText)
        self.source = QToolButton(self)
        self.source.setCursor(Qt.CursorShape.PointingHandCursor)
        self.source.clicked.connect(lambda: owner.follow(self.entry))
        layout = QHBoxLayout(self)
        layout.setSpacing(6)
        self._layout = layout
        layout.addWidget(self.text, 1)
        layout.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.source, 0, Qt.AlignmentFlag.AlignTop)

    def show_entry(self, entry: Entry, first: bool) -> None:
        """Take the looks of an entry; colours are those of the palette shown now."""
        self.entry = entry
        palette = tokens()
        heading = entry.kind == "heading"
        self._layout.setContentsMargins(0, 8 if heading and not first else 1, 0, 1)
        self.text.setText(entry.text)
        colour = palette.dim if entry.kind in ("removed", "none") else palette.text
        weight = "font-weight: 600;" if heading else "font-weight: 400;"
        struck = "text-decoration: line-through;" if entry.kind == "removed" else ""
        self.text.setStyleSheet(f"color: {colour}; {weight} {struck}")
        words = {"added": "+ new", "removed": "− gone", "heading": entry.facts}.get(entry.kind, "")
        ink = {"added": palette.good, "removed": palette.bad}.get(entry.kind, palette.dim)
        self.mark.setText(words)
        self.mark.setStyleSheet(f"color: {ink};")
        self.mark.setVisible(bool(words))
        self.source.setVisible(entry.source is not None)
        if entry.source is not None:
            self.source.setText(entry.facts)
            self.source.setToolTip(f"Select message {entry.facts}, which this line comes from")
            self.source.setAccessibleName(f"Select message {entry.source}")
            self.source.setStyleSheet(f"QToolButton {{ color: {palette.accent}; padding: 0 2px; }}")


class LineList(QScrollArea):
    """`show_entries` replaces the rows; `source_chosen` carries a message id."""

    source_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._body = QWidget(self)
        self._body.setProperty("role", "body")
        self._layout = QVBoxLayout(self._body)
        self._layout.setContentsMargins(0, 0, 4, 0)
        self._layout.setSpacing(0)
        self._layout.addStretch(1)
        self.setWidget(self._body)
        self._rows: list[_Row] = []
        self._entries: list[Entry] = []
        theme.changed.connect(self._restyle)

    def show_entries(self, entries: list[Entry]) -> None:
        if entries != self._entries:
            self._entries = list(entries)
            self._restyle()

    def entries(self) -> list[Entry]:
        return list(self._entries)

    def follow(self, entry: Entry) -> None:
        if entry.source is not None:
            self.source_chosen.emit(entry.source)

    def _restyle(self) -> None:
        while len(self._rows) < len(self._entries):
            row = _Row(self)
            self._layout.insertWidget(len(self._rows), row)
            self._rows.append(row)
        for number, row in enumerate(self._rows):
            shown = number < len(self._entries)
            row.setVisible(shown)
            if shown:
                row.show_entry(self._entries[number], number == 0)
