"""A plan that a person fills in for one slow path: what is ticked, what the assembler would make of it, its verdict.

The conversation itself is the stepped one that `DebuggerState` holds; manifest, trace and toolbar come here through
`planning_of`. An accepted plan becomes a change by hand: a branch, the record and the run before it stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from ravenglass.replay.stepper import ReplayLoop
from ravenglass.replay.stepping.changes import HandPlan
from ravenglass.replay.vocabulary import Assembled, Desk, ManualPolicy, Submission
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.text.plan_text import accepted, rejected

_ASKS, _VERDICTS = "curator_llm_request", ("plan_rejected",)
_COALESCE_MS = 15


class Tick(Enum):
    """What the plan says of a message. FIXED: it stays in whatever the plan says (request, pinned, protected)."""

    IN = "in the plan"
    OUT = "not in the plan"
    ARCHIVE = "to the archive"
    FIXED = "in whatever the plan says: the request, the newest group, pinned or protected"


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """What came of a submitted plan, as a sentence."""

    level: Literal["info", "warning"]
    sentence: str


class Planning(QObject):
    """Ticks are kept by group: the assembler never splits one."""

    changed = Signal()
    """It began or ended, or a verdict came."""
    ticked = Signal()
    """Ticks changed; the preview follows by `previewed`."""
    previewed = Signal()

    def __init__(self, state: DebuggerState) -> None:
        super().__init__(state)
        self._state = state
        self._loop: ReplayLoop | None = None
        self._desk: Desk | None = None
        self._policy = ManualPolicy()
        self._ticks: dict[int, Tick] = {}
        self.call = 0
        self.working_state = True
        self.verdict: PlanOutcome | None = None
        self.preview: Assembled | None = None
        """What the assembler would make of the plan as it is ticked now."""
        self._later = QTimer(self, singleShot=True, interval=_COALESCE_MS)
        self._later.timeout.connect(self._preview)
        state.stepping_changed.connect(self._followed)
        state.call_changed.connect(self._left)
        state.session_changed.connect(self._left)

    @property
    def active(self) -> bool:
        """Whether ticks can be changed and a plan submitted."""
        return self._desk is not None

    @property
    def desk(self) -> Desk | None:
        return self._desk

    def begin(self) -> bool:
        """Start the conversation at the current call up to the question. False, with a sentence in the notice bar,
        where no one is asked."""
        state = self._state
        if state.run is None or not state.call:
            alone = state.session is None and state.log is not None
            what = "open the session that this trace log belongs to" if alone else "open a session first"
            state.post("info", f"There is no call to plan for: {what}.")
            return False
        if self.active:
            return True
        state.stop_stepping()
        self._policy = ManualPolicy()
        asked = state.step_curator(self._policy, to=(_ASKS,))
        loop = state.loop
        if asked is None or loop is None or loop.conversation is None:
            state.stop_stepping()
            state.post(
                "info",
                f"Call {state.call:,} takes the fast path: everything live passes, and no one is asked for a plan."
                " F5 goes on to the next slow path.",
            )
            return False
        self.verdict, self._loop, self._desk, self.call = None, loop, loop.conversation.desk, state.call
        self.as_planner()
        self.changed.emit()
        return True

    def cancel(self) -> None:
        """Put the plan away and show the replay's own events again; a second call does nothing."""
        was = self.active or self.verdict is not None
        self._end()
        self.verdict = None
        if was:
            self._state.stop_stepping()
            self.changed.emit()

    # -- ticks -----------------------------------------------------------------------------------------------

    def tick(self, message: int) -> Tick:
        """What the plan says of a message."""
        return self._ticks.get(self._group(message), Tick.OUT)

    def toggle(self, message: int) -> None:
        """In or out, with its whole group."""
        self._set([message], Tick.OUT if self.tick(message) is Tick.IN else Tick.IN)

    def toggle_archive(self, message: int) -> None:
        """To the archive, or out again."""
        self._set([message], Tick.OUT if self.tick(message) is Tick.ARCHIVE else Tick.ARCHIVE)

    def set_all(self, messages: Iterable[int], tick: Tick) -> None:
        """The same for many, such as everything that a filter shows."""
        self._set(messages, tick)

    def as_planner(self) -> None:
        """What the planner would submit."""
        desk = self._desk
        if desk is None:
            return
        decision = desk.decision
        self._ticks = dict.fromkeys(decision.include, Tick.IN)
        self._ticks |= dict.fromkeys(decision.archive, Tick.ARCHIVE)
        self._ticks |= dict.fromkeys(decision.exempt.forms, Tick.FIXED)
        self.working_state = decision.with_working_state
        self._touched()

    def set_working_state(self, on: bool) -> None:
        if on != self.working_state:
            self.working_state = on
            self._touched()

    def _set(self, messages: Iterable[int], tick: Tick) -> None:
        if self._desk is None:
            return
        for message in messages:
            group = self._group(message)
            if self._ticks.get(group) is not Tick.FIXED:
                self._ticks[group] = tick
        self._touched()

    def _touched(self) -> None:
        self.ticked.emit()
        self._later.start()

    def _group(self, message: int) -> int:
        session = self._state.session
        return session.structure.group_of[message] if session is not None else -1

    def messages(self, *ticks: Tick) -> list[int]:
        """Ids of the messages of every group with one of these ticks, as the call sees it, ascending."""
        if self._desk is None:
            return []
        view = self._desk.view
        return sorted(m for g, tick in self._ticks.items() if tick in ticks for m in view.group(g).messages)

    def _preview(self) -> None:
        if self._desk is not None:
            self.preview = self._desk.propose(self.messages(Tick.IN, Tick.FIXED), self.working_state, "")
            self.previewed.emit()

    # -- verdict ---------------------------------------------------------------------------------------------

    def submit(self) -> None:
        """Hand the plan in and go on to the verdict. An accepted one becomes a branch; after a rejected one the ticks
        can be changed and submitted again."""
        loop = self._loop
        if self._desk is None or loop is None:
            return
        include, archive = self.messages(Tick.IN, Tick.FIXED), self.messages(Tick.ARCHIVE)
        self._policy.submit(
            Submission(frozenset(include), frozenset(archive), working_state=self.working_state, notes="by hand")
        )
        event = self._state.step_curator(to=_VERDICTS)
        if event is not None:
            # On to the next question, so that the steps that are left are known before the person tries again.
            self._state.step_curator(to=(_ASKS,))
        if self._loop is None:
            return  # someone who heard of the step left the call
        if loop.result is None:
            self.verdict = PlanOutcome("warning", rejected(self._policy))
            self.changed.emit()
            return
        result = loop.result
        assembled = result.assembled
        if result.path != "slow" or assembled is None:
            self.verdict = PlanOutcome("warning", f"The fail-safe decided: {result.reason}. Nothing was changed.")
            self._end()
            self.changed.emit()
            return
        groups = self._desk.view.features.groups
        self.verdict = PlanOutcome("info", accepted(assembled, groups, self._policy.refusals))
        archived = frozenset(m for g in assembled.archive for m in groups[g].messages)
        change = HandPlan(self.call, frozenset(include), self.working_state, archived)
        self._end()
        self.changed.emit()
        self._state.add_change(change)

    def _end(self) -> None:
        self._loop = self._desk = self.preview = None
        self._ticks = {}
        self._later.stop()

    def _followed(self) -> None:
        """The conversation was ended from elsewhere: stopped, or the call was left."""
        if self._loop is not None and self._state.loop is not self._loop:
            self._end()
            self.changed.emit()

    def _left(self) -> None:
        if self.active or self.verdict is not None:
            self._end()
            self.verdict = None
            self.changed.emit()


def planning_of(state: DebuggerState) -> Planning:
    """The state's one planning."""
    for child in state.children():
        if isinstance(child, Planning):
            return child
    return Planning(state)
