"""Answers that take too long for the GUI thread, made in a thread of their own; only the newest question has one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from PySide6.QtCore import QObject, Signal, Slot

_log = logging.getLogger(__name__)


class _Wire(QObject):
    """Carries answers into the GUI thread. It has no parent and lives as long as anybody may send through it, so that a
    view that is taken down while its answer is made leaves nothing for the thread to trip over."""

    answered = Signal(int, object, str)


class Looking(QObject):
    """`ask` from the GUI thread; `found` arrives there. What is asked about must belong to the asking alone."""

    found = Signal(object)
    """The answer to the newest question."""
    failed = Signal(str)
    """The newest question could not be answered, as a sentence."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._newest = 0
        self.waiting = False
        """Whether the answer to the newest question has not come yet."""
        self._pool = pool = ThreadPoolExecutor(1, "ravenglass look")
        self._wire = _Wire()
        self._wire.answered.connect(self._take)
        self.destroyed.connect(lambda: pool.shutdown(wait=False, cancel_futures=True))

    def ask(self, work: Callable[[], object]) -> None:
        """Have `work` done; an earlier question that was not begun is dropped, and no earlier answer arrives."""
        self._newest += 1
        ticket = self._newest
        self.waiting = True
        self._pool.submit(self._run, self._wire, ticket, work)

    def forget(self) -> None:
        """Nobody waits for an answer any more."""
        self._newest += 1
        self.waiting = False

    def _run(self, wire: _Wire, ticket: int, work: Callable[[], object]) -> None:
        if ticket != self._newest:
            return
        answer: object = None
        said = ""
        try:
            answer = work()
        except Exception as error:  # the thread lives on; the panel says what happened
            _log.info("A question could not be answered", exc_info=True)
            said = f"{type(error).__name__}: {error}"
        wire.answered.emit(ticket, answer, said)

    @Slot(int, object, str)
    def _take(self, ticket: int, answer: object, said: str) -> None:
        if ticket == self._newest:
            self.waiting = False
            if said:
                self.failed.emit(said)
            else:
                self.found.emit(answer)
