"""What can be done with a message of the manifest: the actions of its context menu, with their keys.

Every hand-made change is a branch: it goes to the shared state as a HandChange, the record is never touched.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from ravenglass.replay.frame import ManifestRow
from ravenglass.replay.stepping.changes import ChangeKind, Compaction, HandChange
from ravenglass.replay.vocabulary import Form, State
from ravenglass.safe.visible import visible
from ravenglass_gui.actions.local import LocalActions
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.planning import Tick, planning_of


class MessageActions(QObject):
    """What the registry's actions of the manifest do, on the selected message."""

    def __init__(self, state: DebuggerState, view: QWidget, filter_by: Callable[[], None]) -> None:
        super().__init__(view)
        self._state, self._view = state, view
        self._planning = planning_of(state)
        self.actions = LocalActions(
            view,
            "Manifest",
            {
                "pin": self._pin,
                "protect": self._protect,
                "relevance": self._set_relevance,
                "archive": self._archive,
                "retrieve": lambda: self._change("retrieve"),
                "compact": self._compact,
                "first_use": self._go_first,
                "last_use": self._go_last,
                "copy_address": self._copy_address,
                "copy_text": self._copy_text,
                "filter_value": filter_by,
            },
        )

    def row(self) -> ManifestRow | None:
        """The selected message at the current call, if the call knows it."""
        run, call, message = self._state.run, self._state.call, self._state.selected
        if run is None or not call or message is None or message >= run.rows(call):
            return None
        return run.row(call, message)

    def menu(self, term: str) -> QMenu:
        """The context menu for the selection; `term` is the filter term of the cell it was opened on."""
        row = self.row()
        menu = QMenu(self._view)
        if row is None:
            menu.addAction("No message is selected").setEnabled(False)
            return menu
        actions = self.actions
        actions["pin"].setText("Unpin (branch)" if row.pinned else "Pin (branch)")
        actions["protect"].setText("Take the protection away (branch)" if row.protected else "Protect (branch)")
        actions["relevance"].setText("Set relevance… (branch)")
        planned = self._planning.tick(row.id) if self._planning.active else None
        actions["archive"].setText("Archive (branch)" if planned is None else "Archive with this plan")
        actions["archive"].setEnabled(not row.archived and not row.pinned and planned is not Tick.FIXED)
        actions["retrieve"].setText("Retrieve into the window (branch)")
        actions["retrieve"].setEnabled(not row.included or row.form not in (Form.FULL, Form.OUT) or row.archived)
        actions["filter_value"].setText(
            visible(f"Filter by {term}").replace("&", "&&") if term else "Filter by this value"
        )
        actions["filter_value"].setEnabled(bool(term))
        self.actions.fill(menu)
        menu.aboutToHide.connect(self._enable_all)
        return menu

    def _enable_all(self) -> None:
        """A disabled action would lose its key; what cannot be done says so when it is asked for."""
        for name in ("archive", "retrieve", "filter_value"):
            self.actions[name].setEnabled(True)

    def _change(self, kind: ChangeKind, value: float | None = None) -> None:
        row = self.row()
        if row is None:
            self._state.post("info", "Select a message in the manifest first.")
            return
        if kind == "archive" and (row.archived or row.pinned):
            why = "archived already" if row.archived else "pinned, and pinned messages are never archived"
            self._state.post("info", f"Message #{row.id} is {why}; nothing was changed.")
            return
        if kind == "retrieve" and row.included and row.form is Form.FULL and row.state is not State.ARCHIVED:
            self._state.post("info", f"Message #{row.id} is in the window in full; there is nothing to retrieve.")
            return
        self._state.add_change(HandChange(self._state.call, kind, row.id, value))

    def _archive(self) -> None:
        """Archive at once; while a plan is filled in, mark it in the plan instead."""
        row = self.row()
        if self._planning.active and row is not None:
            self._planning.toggle_archive(row.id)
        else:
            self._change("archive")

    def _protect(self) -> None:
        row = self.row()
        self._change("unprotect" if row is not None and row.protected else "protect")

    def _pin(self) -> None:
        row = self.row()
        self._change("unpin" if row is not None and row.pinned else "pin")

    def _compact(self) -> None:
        """A slow path at this call, with a target that a person chooses."""
        run, call = self._state.run, self._state.call
        if run is None or not call:
            self._state.post("info", "Open a session and choose a call first.")
            return
        target, wanted = QInputDialog.getInt(
            self._view,
            "Compact here",
            f"Tokens to pack the window of call {call} into, at most {run.budget.available:,}.\nThis makes a branch.",
            run.budget.target, 1, run.budget.available, 500,
        )  # fmt: skip
        if wanted:
            self._state.add_change(Compaction(call, target))

    def _set_relevance(self) -> None:
        row = self.row()
        if row is None:
            self._change("relevance")
            return
        value, wanted = QInputDialog.getDouble(
            self._view,
            "Set relevance",
            f"Relevance of #{row.id} from call {self._state.call} on, 0 to 1.\nThis makes a branch.",
            row.relevance, 0.0, 1.0, 2,
        )  # fmt: skip
        if wanted:
            self._change("relevance", value)

    def _uses(self) -> tuple[int, int] | None:
        run, message = self._state.run, self._state.selected
        if run is None or message is None:
            return None
        spans = [span for span in run.life(message) if span.form is not Form.OUT]
        if not spans:
            self._state.post("info", f"Message #{message} was in no window of this run.")
            return None
        return spans[0].first, spans[-1].last

    def _go_first(self) -> None:
        if uses := self._uses():
            self._state.set_call(uses[0])

    def _go_last(self) -> None:
        if uses := self._uses():
            self._state.set_call(uses[1])

    def _copy_address(self) -> None:
        if row := self.row():
            QGuiApplication.clipboard().setText(row.address)

    def _copy_text(self) -> None:
        session, message = self._state.session, self._state.selected
        if session is not None and message is not None:
            text = session.messages[message].text
            QGuiApplication.clipboard().setText(text.encode("utf-8", "replace").decode("utf-8"))
