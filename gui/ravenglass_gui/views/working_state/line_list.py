"""Lines of text with the message each comes from, and an editor in the place of the one that is changed. Rows are
reused, not rebuilt."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from ravenglass.safe.visible import visible
from ravenglass_gui.theme.icons import icon
from ravenglass_gui.theme.palette import colours, theme
from ravenglass_gui.views.working_state.entries import TITLES, Entry
from ravenglass_gui.views.working_state.line_editor import LineEditor

_ICON = 14


class _Row(QWidget):
    """One entry: its text, a word for what changed, the source as a button, and a button to change or add."""

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
        self.change = QToolButton(self)
        self.change.setProperty("role", "tiny")
        self.change.setIconSize(QSize(_ICON, _ICON))
        self.change.setFixedSize(_ICON + 8, _ICON + 6)
        self.change.clicked.connect(lambda: owner.edit(self.entry))
        keep = self.change.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        self.change.setSizePolicy(keep)
        layout = QHBoxLayout(self)
        layout.setSpacing(6)
        self._layout = layout
        layout.addWidget(self.text, 1)
        for widget in (self.mark, self.source, self.change):
            layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)

    def show_entry(self, entry: Entry, first: bool) -> None:
        """Take the looks of an entry; colours are those of the palette shown now."""
        self.entry = entry
        palette = colours()
        heading = entry.kind == "heading"
        self._layout.setContentsMargins(0, 8 if heading and not first else 1, 0, 1)
        self.text.setText(visible(entry.text))
        colour = palette.dim if entry.kind in ("removed", "none", "note") else palette.text
        weight = "font-weight: 600;" if heading else "font-weight: 400;"
        struck = "text-decoration: line-through;" if entry.kind == "removed" else ""
        self.text.setStyleSheet(f"color: {colour}; {weight} {struck}")
        words = {"added": "+ new", "removed": "− gone", "heading": entry.facts}.get(entry.kind, "")
        if entry.by_hand and entry.kind != "removed":
            words = "by hand"
        ink = {"added": palette.good, "removed": palette.bad}.get(entry.kind, palette.dim)
        self.mark.setText(words)
        self.mark.setStyleSheet(f"color: {ink};")
        self.mark.setVisible(bool(words))
        self.source.setVisible(entry.source is not None)
        if entry.source is not None:
            what = "the latest message when it was written" if entry.by_hand else "which this line comes from"
            self.source.setText(entry.facts)
            self.source.setToolTip(f"Select message {entry.facts}, {what}")
            self.source.setAccessibleName(f"Select message {entry.source}")
            self.source.setStyleSheet(f"QToolButton {{ color: {palette.accent}; padding: 0 2px; }}")
        self._offer_change(entry)

    def _offer_change(self, entry: Entry) -> None:
        self.change.setVisible(entry.list is not None and (entry.editable or entry.kind == "heading"))
        if entry.kind == "heading" and entry.list is not None:
            self.change.setIcon(icon("add", colours().dim))
            named = TITLES[entry.list].lower()
            words = f"Add a line to the {named} from this call on (branch)"
            words = f"The {named} hold as many lines as fit; remove one first" if entry.full else words
        else:
            self.change.setIcon(icon("edit", colours().dim))
            words = "Change or remove this line from this call on (branch)"
        self.change.setEnabled(not entry.full)
        self.change.setToolTip(words)
        self.change.setAccessibleName(words if entry.kind == "heading" else f"{words}: {entry.text}")


class LineList(QScrollArea):
    """`show_entries` replaces the rows; `source_chosen` carries a message id, `wished` a `LineWish`."""

    source_chosen = Signal(int)
    wished = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.limit = 0
        """Characters that a line may have."""
        self._body = QWidget(self)
        self._body.setProperty("role", "body")
        self._layout = QVBoxLayout(self._body)
        self._layout.setContentsMargins(0, 0, 4, 0)
        self._layout.setSpacing(0)
        self._layout.addStretch(1)
        self.setWidget(self._body)
        self.editor = LineEditor(self._body)
        self.editor.hide()
        self.editor.wished.connect(self.wished)
        self.editor.closed.connect(self.close_editor)
        self._hidden: _Row | None = None
        self._rows: list[_Row] = []
        self._entries: list[Entry] = []
        theme.changed.connect(self._restyle)

    def show_entries(self, entries: list[Entry]) -> None:
        if entries != self._entries:
            self.close_editor()
            self._entries = list(entries)
            self._restyle()

    def entries(self) -> list[Entry]:
        return list(self._entries)

    def follow(self, entry: Entry) -> None:
        if entry.source is not None:
            self.source_chosen.emit(entry.source)

    def edit(self, entry: Entry) -> None:
        """Open the editor under a heading, for a new line, or in the place of a line."""
        if entry.list is None:
            return
        self.close_editor()
        row = self._rows[self._entries.index(entry)]
        self._layout.insertWidget(self._layout.indexOf(row) + 1, self.editor)
        self.editor.show()
        if entry.editable:
            self._hidden = row
            row.hide()
        self.editor.edit(entry.list, entry.text if entry.editable else "", self.limit)
        QTimer.singleShot(0, self.editor, lambda: self.ensureWidgetVisible(self.editor))

    def close_editor(self) -> None:
        """Put the editor away; what was typed is not taken."""
        if self.editor.isHidden():
            return
        self.editor.hide()
        self._layout.removeWidget(self.editor)
        if self._hidden is not None:
            self._hidden.show()
            self._hidden = None
        self.setFocus()

    def _restyle(self) -> None:
        while len(self._rows) < len(self._entries):
            row = _Row(self)
            self._layout.insertWidget(self._layout.count() - 1, row)
            self._rows.append(row)
        for number, row in enumerate(self._rows):
            shown = number < len(self._entries)
            row.setVisible(shown and row is not self._hidden)
            if shown:
                row.show_entry(self._entries[number], number == 0)
