"""The newest wish wins: any order of wishes, progress, answers and cancellations."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ravenglass_gui.work.lane import Lane
from tests.proofs import examples

GRACE = 10.0


@dataclass
class Recorder:
    """A worker that does nothing by itself."""

    wanted: int = 0


class Model(RuleBasedStateMachine):
    """A lane beside what must be true of it: wishes are numbers, each larger than the one before."""

    def __init__(self) -> None:
        super().__init__()
        self.worker, self.now = Recorder(), 0.0
        self.asked: list[tuple[int, int]] = []
        self.lane: Lane[int] = Lane(
            self.worker, lambda ticket, work: self.asked.append((ticket, work)), grace_s=GRACE, clock=lambda: self.now
        )
        self.newest = 0
        self.answered = 0
        self.shown: list[int] = []
        self.dropped: set[int] = set()
        """Wishes that nobody wanted any more while they ran."""
        self.began = 0.0

    def drop(self) -> None:
        if self.lane.running is not None:
            self.dropped.add(self.lane.running)

    def note_start(self) -> None:
        if len(self.asked) > self.answered:
            self.began = self.now

    @rule(at_once=st.booleans())
    def wish(self, at_once: bool) -> None:
        idle = self.lane.running is None
        if at_once:
            self.drop()
        self.newest += 1
        self.lane.submit(self.newest, at_once=at_once)
        if idle:
            self.note_start()

    @rule()
    def cancel(self) -> None:
        self.drop()
        self.lane.cancel()

    @rule()
    def withdraw(self) -> None:
        self.lane.withdraw()

    @rule(seconds=st.floats(0, 30))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule(stale=st.booleans())
    def progress(self, stale: bool) -> None:
        ticket = self.asked[-1][0] if self.asked else 1
        if stale:
            assert not self.lane.progressed(ticket - 1)
            return
        runs = self.lane.running is not None
        if runs and self.lane.waiting is not None and self.now - self.began > GRACE:
            self.drop()
        assert self.lane.progressed(ticket) == runs

    @precondition(lambda self: self.lane.running is not None)
    @rule()
    def answer(self) -> None:
        ticket, work = self.asked[-1]
        answer = self.lane.answered(ticket)
        assert answer is not None
        assert answer.work == work
        assert answer.wanted == (work not in self.dropped)
        if answer.wanted:
            self.shown.append(work)
        self.answered += 1
        self.lane.go_on()
        self.note_start()

    @rule()
    def answer_of_another(self) -> None:
        assert self.lane.answered(self.asked[-1][0] + 1 if self.asked else 1) is None

    @invariant()
    def one_at_a_time(self) -> None:
        assert len(self.asked) - self.answered == (self.lane.running is not None)

    @invariant()
    def nothing_waits_on_an_idle_lane(self) -> None:
        assert self.lane.running is not None or self.lane.waiting is None

    @invariant()
    def only_the_newest_waits(self) -> None:
        assert self.lane.waiting in (None, self.newest)

    @invariant()
    def shown_in_the_order_of_the_wishes_and_never_stale(self) -> None:
        assert self.shown == sorted(set(self.shown))
        assert not self.dropped & set(self.shown)

    @invariant()
    def the_worker_knows_what_is_wanted(self) -> None:
        running = self.lane.running
        assert self.lane.wanted == (running if running not in self.dropped else None)


TestLane = Model.TestCase
TestLane.settings = settings(max_examples=examples(200), stateful_step_count=40, deadline=None)


def test_that_a_drag_does_not_cancel_every_short_run_for_ever() -> None:
    worker, asked, now = Recorder(), [], [0.0]
    lane: Lane[int] = Lane(worker, lambda *what: asked.append(what), grace_s=GRACE, clock=lambda: now[0])
    shown = []
    for wish in range(1, 101):  # a wish every second, and every run takes three
        lane.submit(wish)
        now[0] += 1
        lane.progressed(asked[-1][0])
        if now[0] % 3 == 0:
            answer = lane.answered(asked[-1][0])
            assert answer is not None
            if answer.wanted:
                shown.append(answer.work)
            lane.go_on()
    assert len(shown) == 33


def test_that_a_long_run_is_dropped_only_for_a_newer_wish() -> None:
    worker, asked, now = Recorder(), [], [0.0]
    lane: Lane[str] = Lane(worker, lambda *what: asked.append(what), grace_s=GRACE, clock=lambda: now[0])
    lane.submit("long")
    now[0] = 1_000.0
    assert lane.progressed(1)
    assert lane.wanted == "long"
    lane.submit("newer")
    assert lane.wanted == "long"
    lane.progressed(1)
    assert lane.wanted is None
    answer = lane.answered(1)
    assert answer is not None
    assert not answer.wanted
    lane.go_on()
    assert lane.wanted == "newer"
