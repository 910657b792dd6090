"""Between the window and the thread that asks. One question at a time; a result becomes a branch of what is shown."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from ravenglass.errors import RavenglassError
from ravenglass.replay.asking.answering import AskedRun
from ravenglass.replay.stepping.changes import is_a_curators
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.asking.worker import Answers, AskProgress, AskWorker, Question, WouldAsk
from ravenglass_gui.work.lane import Lane


class Asking(QObject):
    """`worker` runs in another thread; signals arrive here."""

    began = Signal(object)
    """The `Question` that runs now."""
    asked = Signal(object)
    """An `AskProgress` of it."""
    shown = Signal(object)
    """A `WouldAsk`: what would be asked."""
    answered = Signal(object)
    """The `AskedRun` that is on screen now."""
    refused = Signal(object, object)
    """(Question, RavenglassError): nothing was changed."""
    ended = Signal()

    _wanted = Signal(int, object)

    def __init__(self, state: DebuggerState, worker: AskWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self.lane: Lane[Question] = Lane(worker, self._ask)
        self._wanted.connect(worker.run)
        worker.asked.connect(self._asked)
        worker.finished.connect(self._finished)
        worker.failed.connect(self._failed)
        worker.cancelled.connect(self._cancelled)
        state.session_changed.connect(self.lane.cancel)

    @property
    def busy(self) -> bool:
        return self.lane.running is not None or self.lane.waiting is not None

    def ask(self, answers: Answers, *, dry: bool) -> None:
        """Ask about what is on screen; `dry`: only show what would be asked. What a policy made of the working state
        before is none of the question."""
        state = self._state
        if state.session is not None:
            changes = tuple(change for change in state.changes if not is_a_curators(change))
            self.lane.submit(Question(state.session, state.profile, changes, answers, dry), at_once=True)

    def cancel(self) -> None:
        self.lane.cancel()

    def go_on(self) -> None:
        self.lane.go_on()

    def _ask(self, ticket: int, question: Question) -> None:
        self.began.emit(question)
        self._wanted.emit(ticket, question)

    @Slot(object)
    def _asked(self, asked: AskProgress) -> None:
        if self.lane.progressed(asked.ticket):
            self.asked.emit(asked)

    @Slot(int, object, float)
    def _finished(self, ticket: int, result: object, seconds: float) -> None:  # noqa: ARG002
        answer = self.lane.answered(ticket)
        if answer is None:
            return
        if answer.wanted and isinstance(result, WouldAsk):
            self.shown.emit(result)
        elif answer.wanted and isinstance(result, AskedRun):
            self._state.show_asked(result)
            self.answered.emit(result)
        self.ended.emit()

    @Slot(int, object)
    def _failed(self, ticket: int, error: RavenglassError) -> None:
        answer = self.lane.answered(ticket)
        if answer is not None:
            if answer.wanted:
                self.refused.emit(answer.work, error)
            self.ended.emit()

    @Slot(int)
    def _cancelled(self, ticket: int) -> None:
        answer = self.lane.answered(ticket)
        if answer is not None:
            if self.lane.waiting is None and self._state.session is answer.work.session and not answer.work.dry:
                self._state.post("info", "Asking was cancelled; the run on screen is the one from before.")
            self.ended.emit()
