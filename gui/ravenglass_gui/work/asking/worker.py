"""The object that asks, in a thread of its own. Nothing here touches a widget or the shared state."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal, Slot

from ravenglass.profile import Profile
from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.asking.answering import LogAnswers, ModelAnswers, Spent, ask_log, ask_model
from ravenglass.replay.asking.logged import recorded_policies
from ravenglass.replay.asking.preview import preview
from ravenglass.replay.asking.spent import spent_words
from ravenglass.replay.stepping.changes import Change
from ravenglass.sessions.model.session import Session
from ravenglass.tokens import CountStore
from ravenglass_gui.work.workers import Worker

Answers = ModelAnswers | LogAnswers


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Who is asked about which run. `dry`: only what would be asked, and its cost."""

    session: Session
    profile: Profile
    changes: tuple[Change, ...]
    answers: Answers
    dry: bool


@dataclass(frozen=True, slots=True)
class WouldAsk:
    """What would be asked: the cost as a sentence, and the first request as text."""

    sentence: str
    request: str


@dataclass(frozen=True, slots=True)
class AskProgress:
    """How far it is: `call` of `calls`, and what was spent so far, as a sentence."""

    ticket: int
    call: int
    calls: int
    words: str


class AskWorker(Worker):
    """The result is a `WouldAsk` or an `AskedRun`. The run that is asked about is made here: the one on screen stays
    there."""

    asked = Signal(object)
    """An `AskProgress` after each answer and each call."""

    def __init__(self, counts: CountStore | None) -> None:
        super().__init__()
        self._counts = counts
        self._planned: SimulatedRun | None = None

    @Slot(int, object)
    def run(self, ticket: int, question: Question) -> None:
        """Show what would be asked, or ask."""
        self.attempt(ticket, "Asking", lambda: self._answer(ticket, question))

    def _answer(self, ticket: int, question: Question) -> object:
        planned, answers = self._plan(ticket, question), question.answers
        if question.dry:
            return _shown(planned, answers)
        self._planned = None  # what is shown from now on is the answered run
        endpoint = answers.endpoint if isinstance(answers, ModelAnswers) else None

        def watching(call: int, spent: Spent) -> bool:
            self.asked.emit(AskProgress(ticket, call, planned.calls, spent_words(spent, endpoint)))
            return self.wanted == ticket

        if isinstance(answers, LogAnswers):
            return ask_log(planned, answers, watching)
        return ask_model(planned, answers, watching, lambda: self.wanted != ticket)

    def _plan(self, ticket: int, question: Question) -> SimulatedRun:
        """The planner's run; the one of the question before where it is the same."""
        run, wanted = self._planned, (question.profile, question.changes)
        if run is None or run.session is not question.session or (run.profile, run.changes) != wanted:
            report = self.reporter(ticket)
            run = replay(question.session, question.profile, question.changes, progress=report, store=self._counts)
            self._planned = run
        return run


def _shown(planned: SimulatedRun, answers: Answers) -> WouldAsk:
    if isinstance(answers, LogAnswers):
        calls = list(recorded_policies(planned, answers.log))
        slow = [call for call, path in enumerate(planned.paths, start=1) if path != "fast"]
        said = (
            f"{answers.log.name} has answers for {len(calls):,} calls of this session. {len(slow):,} calls take the"
            " slow path under this profile; where it has none, the planner answers. Nothing is sent anywhere."
        )
        return WouldAsk(said, f"Calls with answers: {', '.join(map(str, sorted(calls)))}")
    made = preview(planned, answers.endpoint)
    return WouldAsk(
        f"{made.sentence} Nothing was sent yet. Below: the first request, at call {made.call:,}.", made.text
    )
