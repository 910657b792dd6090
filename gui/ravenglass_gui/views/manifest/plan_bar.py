"""The bar above the manifest while a plan is filled in: its running total, ticks for many at once, the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ravenglass_gui.state.planning import Planning, Tick
from ravenglass_gui.text.numbers import amount
from ravenglass_gui.text.plan_text import consequence, total
from ravenglass_gui.theme.icons import icon, pixmap
from ravenglass_gui.theme.palette import colours, theme

_ICON = 16


class PlanBar(QWidget):
    """Hidden while there is no plan and no verdict. `shown` gives the messages that the manifest lists now."""

    def __init__(self, planning: Planning, shown: Callable[[], Iterable[int]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("planBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("role", "notice")
        self._planning, self._shown = planning, shown
        self.total = _label("")
        self.effect = _label("warn")
        self.verdict = _label("")
        self._mark = QLabel(self)
        self.all = _button("Tick shown", "Put everything that the filter shows into the plan")
        self.none = _button("Untick shown", "Take everything that the filter shows out of the plan")
        self.planner = _button("As the planner", "Back to what the planner would submit")
        self.state_box = _button("Working state", "Whether the window holds the working state")
        self.state_box.setCheckable(True)
        self.state_box.setProperty("role", "tick")
        self.submit = QPushButton("Submit plan")
        self.submit.setProperty("role", "primary")
        self.submit.setToolTip("Hand the plan to the assembler; an accepted one becomes a branch")
        self.cancel = _button("Cancel", "Put the plan away; nothing is changed")
        self.all.clicked.connect(lambda: planning.set_all(self._shown(), Tick.IN))
        self.none.clicked.connect(lambda: planning.set_all(self._shown(), Tick.OUT))
        self.planner.clicked.connect(planning.as_planner)
        self.state_box.toggled.connect(planning.set_working_state)
        self.submit.clicked.connect(planning.submit)
        self.close_button = _button("Close", "Close the verdict")
        for button in (self.cancel, self.close_button):
            button.clicked.connect(planning.cancel)
        self._lay_out()
        planning.changed.connect(self._refresh)
        planning.ticked.connect(self._refresh)
        planning.previewed.connect(self._refresh)
        theme.changed.connect(self._refresh)
        self._refresh()

    def _lay_out(self) -> None:
        self._buttons = QWidget(self)
        row = QHBoxLayout(self._buttons)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for widget in (self.all, self.none, self.planner, self.state_box):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.submit)
        said = QHBoxLayout()
        said.setSpacing(6)
        said.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        said.addWidget(self.verdict, 1)
        said.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 8, 8)
        layout.setSpacing(5)
        layout.addWidget(self.total)
        layout.addWidget(self.effect)
        layout.addLayout(said)
        layout.addWidget(self._buttons)

    def _refresh(self) -> None:
        planning, desk = self._planning, self._planning.desk
        verdict = planning.verdict
        self.setVisible(planning.active or verdict is not None)
        if self.isHidden():
            return
        self._buttons.setVisible(planning.active)
        self.close_button.setVisible(verdict is not None and not planning.active)
        head, effect = f"Plan for call {planning.call:,}", ""
        if desk is not None:
            ticked = len(planning.messages(Tick.IN, Tick.FIXED))
            known = desk.view.features.boundary(desk.view.call)
            head += f" · {ticked:,} of {amount(known, 'message')}"
            if planning.preview is not None:
                head += f" · {total(planning.preview, desk.view.budget)}"
                effect = consequence(planning.preview)
        self.total.setVisible(planning.active)
        self.total.setText(head)
        self.total.setAccessibleName(head)
        self.effect.setText(effect)
        self.effect.setVisible(bool(effect))
        self.state_box.setChecked(planning.working_state)
        self.verdict.setText(verdict.sentence if verdict else "")
        self.verdict.setAccessibleName(self.verdict.text())
        for widget in (self.verdict, self._mark):
            widget.setVisible(verdict is not None)
        if verdict is not None:
            colour = colours().warn if verdict.level == "warning" else colours().good
            self._mark.setPixmap(pixmap("warning" if verdict.level == "warning" else "accepted", colour, _ICON))
        for button in (self.cancel, self.close_button):
            button.setIcon(icon("close", colours().dim))
        box = "mdi6.checkbox-marked" if planning.working_state else "mdi6.checkbox-blank-outline"
        self.state_box.setIcon(icon(box, colours().accent if planning.working_state else colours().dim))


def _label(role: str, *, wraps: bool = True) -> QLabel:
    label = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=wraps)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label


def _button(words: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(words)
    button.setToolTip(tip)
    button.setAccessibleName(words)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return button
