"""One call looked at closely: the state before and after it, and the decision made at it, re-run from the log."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ravenglass.hub.live import Live
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.outcome import CallResult
from ravenglass.replay.stepping.step import Stepper
from ravenglass.scheduler.packing import schedule
from ravenglass.scheduler.scoring import Scores, scores
from ravenglass.scheduler.view import View


@dataclass(frozen=True)
class Rerun:
    """A call run again. State and form bytes: `before` it, after the intake, and `after` it."""

    before: tuple[bytes, bytes]
    intake: tuple[bytes, bytes]
    after: tuple[bytes, bytes]
    view: View
    """What was decided on: the facts at the call. Its live state has moved on since, to that after the call."""
    result: CallResult
    history: int


def rerun(inputs: Inputs, log: ChangeLog, call: int) -> Rerun:
    """Run one call again from the state before it. Gives what the bulk replay, or a policy that was asked at it, got
    (a property test says so)."""
    stepper = stepper_before(inputs, log, call)
    before = _bytes(stepper.live)
    view = stepper.intake(call)
    taken = _bytes(stepper.live)
    history = stepper.pressure
    made = log.made.get(call)
    if made is not None:
        result = stepper.accept(view, schedule(view), made.assembled, made.path, made.reason)
    else:
        result = stepper.take_path(view)
    return Rerun(before, taken, _bytes(stepper.live), view, result, history)


def stepper_before(inputs: Inputs, log: ChangeLog, call: int) -> Stepper:
    """A stepper that stands right before a call."""
    version = log.versions[call - 2] if call > 1 else -1
    return Stepper.after(inputs, log.tracks, call - 1, version, log.summary(call - 1))


def _bytes(live: Live) -> tuple[bytes, bytes]:
    return bytes(live.states), bytes(live.forms)


def differing(before: tuple[bytes, bytes], after: tuple[bytes, bytes], known: int) -> list[int]:
    """Groups among the first `known` whose state or form bytes differ, ascending."""
    pairs = zip(before, after, strict=True)
    states, forms = (np.not_equal(*(np.frombuffer(one, np.uint8, known) for one in pair)) for pair in pairs)
    found: list[int] = np.flatnonzero(states | forms).tolist()
    return found


class Moment:
    """State right after a call, with scores on demand."""

    def __init__(self, inputs: Inputs, log: ChangeLog, call: int) -> None:
        self.call = call
        self.live = Live.restore(log.tracks, call, inputs.features.known[call])
        self.view: View = inputs.view(call, self.live)
        self.changed: frozenset[int] = frozenset(log.changed.get(call, ()))

    @cached_property
    def scores(self) -> Scores:
        return scores(self.view)
