"""One kind of work for one worker, a piece at a time: the newest wish wins.

While a piece runs, at most one more waits, and a later wish takes its place, so a slider drag never queues work. A
piece that is done soon is shown although a newer one waits, so that the picture follows a drag; one that has run for
longer than the grace is dropped once it is no longer the newest wish. What was dropped is never shown.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

W = TypeVar("W")


class Cancellable(Protocol):
    """Looks at `wanted` while it works, and ends where that is another ticket than its own."""

    wanted: int


@dataclass(frozen=True, slots=True)
class LaneAnswer(Generic[W]):
    """A piece of work that has come to its end, well or not."""

    work: W
    wanted: bool
    """Whether its result may be shown."""


class Lane(Generic[W]):
    """Used from one thread. `ask(ticket, work)` hands a piece to the worker, which answers once for every ticket."""

    def __init__(
        self,
        worker: Cancellable,
        ask: Callable[[int, W], object],
        *,
        grace_s: float = math.inf,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._worker, self._ask, self._clock = worker, ask, clock
        self.grace_s = grace_s
        """Seconds that a piece may run for while a newer one waits."""
        self._ticket = 0
        self._began = 0.0
        self.running: W | None = None
        self.waiting: W | None = None

    @property
    def wanted(self) -> W | None:
        """What runs, if its result will be shown."""
        return self.running if self._worker.wanted == self._ticket else None

    @property
    def passed_s(self) -> float:
        """Seconds since what runs was begun."""
        return self._clock() - self._began

    def submit(self, work: W, *, at_once: bool = False) -> None:
        """The newest wish; `at_once`: nobody wants what runs any more."""
        self.waiting = work
        if at_once:
            self.drop()
        self.go_on()

    def withdraw(self) -> None:
        """Nothing waits any more; what runs goes on."""
        self.waiting = None

    def drop(self) -> None:
        """What runs is not wanted any more."""
        self._worker.wanted = 0

    def cancel(self) -> None:
        """Nothing is wanted any more."""
        self.withdraw()
        self.drop()

    def progressed(self, ticket: int) -> bool:
        """The worker tells how far it is. Whether that is what runs now."""
        if self.running is None or ticket != self._ticket:
            return False
        if self.waiting is not None and self.passed_s > self.grace_s:
            self.drop()
        return True

    def answered(self, ticket: int) -> LaneAnswer[W] | None:
        """The worker has come to an end with a piece; None where that is not what runs. `go_on` starts the next one."""
        if self.running is None or ticket != self._ticket:
            return None
        answer = LaneAnswer(self.running, self._worker.wanted == ticket)
        self.running = None
        return answer

    def go_on(self) -> None:
        """Start what waits, if nothing runs."""
        if self.running is not None or self.waiting is None:
            return
        self._ticket += 1
        self.running, self.waiting = self.waiting, None
        self._worker.wanted = self._ticket
        self._began = self._clock()
        self._ask(self._ticket, self.running)
