"""The selected message, verbatim: its text, its structure, its record. What a retrieval brought back shows here too."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QPushButton, QTabWidget, QToolButton, QTreeView, QVBoxLayout, QWidget

from ravenglass.errors import SessionError
from ravenglass.replay.frame import Retrieved, WindowMessage
from ravenglass.sessions.model.session import Message, Session
from ravenglass.traces import LoggedMessage
from ravenglass_gui.actions.local import LocalActions
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.text.numbers import amount
from ravenglass_gui.views.message.facts import counted, pretty, raw_text, readable_calls, row_at, structure
from ravenglass_gui.views.message.find_bar import FindBar
from ravenglass_gui.views.shared.live_panel import LivePanel
from ravenglass_gui.views.shared.payload_tree import PayloadTreeModel
from ravenglass_gui.views.shared.text_page import TextPage
from ravenglass_gui.widgets.empty_state import EmptyState
from ravenglass_gui.widgets.section import SectionTitle

_AT_ONCE = 1_000_000
"""Bytes of a record up to which its digest is made before it is shown."""


class MessagePanel(LivePanel):
    """Follows the shared selection; each page is filled when it is looked at."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "messagePanel", parent)
        self.title = SectionTitle("Message", parent=self)
        self.find_bar = FindBar(self)
        self.find_bar.hide()
        self.text = TextPage("Text of the message, verbatim", self)
        self.raw = TextPage("Record of the message, as recorded", self)
        self.tree = PayloadTreeModel(self, ("what", "value"))
        self._tree_view = QTreeView(self)
        self._tree_view.setModel(self.tree)
        self._tree_view.setAccessibleName("Structure of the message")
        self._tree_view.setUniformRowHeights(True)
        self._tree_view.setColumnWidth(0, 220)
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        for page, name in ((self.text, "Text"), (self._tree_view, "Structure"), (self.raw, "Raw record")):
            self.tabs.addTab(page, name)
        self.pretty = QToolButton(self)
        self.pretty.setText("{ } indented")
        self.pretty.setCheckable(True)
        self.pretty.setToolTip("Show the record's JSON indented. Off, it is shown byte for byte.")
        self.pretty.setAccessibleName("Show the record's JSON indented")
        self.pretty.toggled.connect(self._fill_raw)
        self.tabs.setCornerWidget(self.pretty)
        self.back = QPushButton("Back to the selected message", self)
        self.back.setAccessibleName("Back to the selected message")
        self.back.hide()
        self.back.clicked.connect(self._selected)
        self._empty = EmptyState(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(4)
        for widget in (self.title, self.find_bar):
            layout.addWidget(widget)
        layout.addWidget(self.back, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.tabs, 1)
        layout.addWidget(self._empty, 1)
        self._shown: tuple[Session, int] | None = None
        self._digest = ""
        self._filled: set[int] = set()
        self._retrieved: Retrieved | None = None
        self._block: WindowMessage | None = None
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._hash)
        self.tabs.currentChanged.connect(self._page_changed)
        LocalActions(self, "Message", {"find": self._open_find})
        state.selection_changed.connect(self._selected)
        state.session_changed.connect(self._selected)
        state.retrieved.connect(self._show_retrieved)
        state.block_chosen.connect(self._show_block)

    def refresh(self) -> None:
        if self._retrieved is not None:
            self._fill_retrieved(self._retrieved)
            return
        if self._block is not None:
            self._fill_block(self._block)
            return
        session, message = self.state.session, self.state.selected
        known = session is not None and message is not None and 0 <= message < len(session.messages)
        self.tabs.setVisible(known)
        self._empty.setVisible(not known)
        log = self.state.log
        if session is None and log is not None and message is not None:
            self._fill_logged(log.message(message))
            return
        if session is None or message is None or not known:
            self._shown = None
            self.title.set_title("Message")
            self.title.set_facts("")
            self._empty.say(
                "Select a message in the manifest, the window or the trace to read it verbatim."
                if session is not None or log is not None
                else "Open a session; the message you select is shown here, exactly as it was recorded."
            )
            return
        if not self._shows(session, message):
            self._digest = ""
            self._filled.clear()
            for page in (1, 2):
                self.tabs.setTabVisible(page, True)
        else:
            self._filled.discard(1)  # flags and tokens follow the playhead; the text does not
        self._shown = (session, message)
        if not self._digest and sum(span.length for span in session.messages[message].spans) < _AT_ONCE:
            self._digest = _digest_of(session, message)
        elif not self._digest:
            self._later.start()
        self._show_title(session, message)
        self._fill_page()

    def _shows(self, session: Session, message: int) -> bool:
        """Whether what is on screen is this message; a session that was read on is another object of the same file."""
        if self._shown is None or message != self._shown[1]:
            return False
        before = self._shown[0]
        if before is session:
            return True
        old, new = before.messages[message], session.messages[message]
        same = (before.path, before.key, before.id) == (session.path, session.key, session.id)
        return same and (old is new or (old.spans, old.parts, old.tool_calls) == (new.spans, new.parts, new.tool_calls))

    def _hash(self) -> None:
        """The digest of a large record, after the message itself is on screen."""
        if self._shown is not None:
            self._digest = _digest_of(*self._shown)
            self._show_title(*self._shown)

    def _show_title(self, session: Session, message: int) -> None:
        record = session.messages[message]
        row = row_at(self.state.run, self.state.call, message)
        named = [f"Message #{message}", record.role, record.tool_name or ""]
        self.title.set_title(" · ".join(part for part in named if part))
        said = [
            "verbatim",
            counted(self.state.run, session, row, message),
            f"sha256 {self._digest[:8]}…" if self._digest else "",
        ]
        self.title.set_facts(" · ".join(part for part in said if part))

    def _selected(self) -> None:
        self._retrieved = self._block = None
        self.back.hide()
        self.invalidate()

    def _page_changed(self) -> None:
        self._fill_page()
        page = self.tabs.currentWidget()
        if isinstance(page, TextPage):
            self.find_bar.attach(page.view)

    def _fill_page(self) -> None:
        page = self.tabs.currentIndex()
        self.pretty.setVisible(page == 2)
        session, message = self.state.session, self.state.selected
        if self._retrieved is not None or self._block is not None or page in self._filled:
            return
        if session is None or message is None or not self._shown:
            return
        self._filled.add(page)
        if page == 0:
            try:
                self.text.set_text(*_readable(session.messages[message]))
            except SessionError as error:
                self.text.set_text(str(error), "")
        elif page == 1:
            self.tree.show(structure(self.state.run, session, self.state.call, message))
            self._tree_view.expandToDepth(0)
        else:
            self._fill_raw()
            return
        if page == 0:
            self.find_bar.attach(self.text.view)

    def _fill_raw(self) -> None:
        session, message = self.state.session, self.state.selected
        if self._retrieved is not None:
            raw = b"\n".join(self._retrieved.raw)
        elif session is not None and message is not None and self._shown:
            try:
                raw = session.raw(message)
            except SessionError as error:  # the file is no longer what was read
                self.raw.set_text(str(error), "")
                return
        else:
            return
        said = f"{amount(len(raw), 'byte')}."
        text: str | None = None
        if self.pretty.isChecked():
            text = pretty(raw)
            said += " Indented for reading." if text is not None else " Shown as recorded: too large or no JSON."
        self.raw.set_text(text if text is not None else raw_text(raw), said)
        self.find_bar.attach(self.raw.view)

    def _show_retrieved(self, retrieved: Retrieved) -> None:
        self._retrieved, self._block = retrieved, None
        self.invalidate()

    def _show_block(self, block: WindowMessage | None) -> None:
        if block is None and self._block is None:
            return
        self._retrieved, self._block = None, block
        self.back.hide()
        self.invalidate()

    def _fill_retrieved(self, retrieved: Retrieved) -> None:
        self._shown = None
        self._filled.clear()
        self.tabs.show()
        self._empty.hide()
        self.back.setVisible(self.state.selected is not None)
        self.tabs.setTabVisible(1, False)
        self.title.set_title(f"Retrieved {retrieved.ref}")
        state = "truncated at the cap" if retrieved.truncated else "complete"
        self.title.set_facts(f"{state} · {retrieved.tokens:,} tokens · {amount(len(retrieved.raw), 'record')}")
        said = (
            "Truncated: the token cap cut this retrieval. The complete records are under Raw record."
            if retrieved.truncated
            else "Complete: nothing was left out."
        )
        self.text.set_text(retrieved.text, said)
        self._fill_raw()
        self.find_bar.attach(self.text.view)
        self.tabs.setCurrentIndex(0)

    def _fill_block(self, block: WindowMessage) -> None:
        """A block that was made for the window: it has a text, and no record."""
        self._shown = None
        self._filled.clear()
        self.tabs.show()
        self._empty.hide()
        self.back.setVisible(self.state.selected is not None)
        for page in (1, 2):
            self.tabs.setTabVisible(page, False)
        self.pretty.hide()
        self.title.set_title(f"Block of the window · {block.label}")
        self.title.set_facts(f"as the call saw it · {block.tokens:,} tokens")
        self.text.set_text(block.text, "Made for the window: the session has no record of it.")
        self.find_bar.attach(self.text.view)
        self.tabs.setCurrentIndex(0)

    def _fill_logged(self, message: LoggedMessage) -> None:
        """What a trace log by itself quotes of a message: there is no record to show."""
        self._shown = None
        self._filled.clear()
        self.tabs.show()
        self._empty.hide()
        for page in (1, 2):
            self.tabs.setTabVisible(page, False)
        self.pretty.hide()
        self.title.set_title(" · ".join(part for part in (f"Message #{message.id}", message.role) if part))
        self.title.set_facts("recorded: what the trace log quotes of it")
        said = (
            "The beginning of the message as the trace log quotes it; its session holds the whole."
            if message.snippet
            else "The trace log names this message and quotes nothing of it."
        )
        self.text.set_text(message.snippet or "", said)
        self.find_bar.attach(self.text.view)

    def _open_find(self) -> None:
        page = self.tabs.currentWidget()
        if not isinstance(page, TextPage):
            self.tabs.setCurrentIndex(0)
            page = self.text
        self.find_bar.attach(page.view)
        self.find_bar.open()


def _digest_of(session: Session, message: int) -> str:
    """The digest of a record; empty where it is no longer what was read: its own page says so."""
    try:
        return session.digest(message)
    except SessionError:
        return ""


def _readable(record: Message) -> tuple[str, str]:
    """(what the text page shows, a sentence about it). A message that is only text is shown verbatim, unlabelled."""
    labelled = (
        ("thinking, recorded apart from the text", record.thinking),
        ("text", record.text),
        ("tool calls, arguments made readable; the record has them as JSON", readable_calls(record)),
    )
    parts = [(label, text) for label, text in labelled if text]
    if not parts:
        return "", "This message has no text."
    if len(parts) == 1 and parts[0][0] == "text":
        return record.text, ""
    shown = "\n\n".join(f"── {label} ──\n{text}" for label, text in parts)
    return shown, "Lines between ── are labels; Raw record has the message byte for byte."
