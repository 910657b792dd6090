"""The bulk replay: every call of a session under one profile, without the curator's conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ravenglass.errors import Cancelled
from ravenglass.hub.live import Track
from ravenglass.hub.sizes import Progress
from ravenglass.profile import Profile
from ravenglass.replay.commit import add_call, looked_back
from ravenglass.replay.measures.at_risk import AtRisk
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.changes import Change
from ravenglass.replay.stepping.fast_run import FastRun
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.step import Stepper
from ravenglass.rules import TIERS, TierName
from ravenglass.scheduler.budget import Budget
from ravenglass.sessions.model.session import Session
from ravenglass.tokens import CountStore

_REPORT = 64
"""Calls from one report of progress to the next."""


@dataclass(frozen=True, slots=True)
class RunPart:
    """The beginning of a run that is still being made: what its first `calls` calls will have in the end, too."""

    calls: int
    budget: Budget
    tiers: dict[TierName, Sequence[int]]
    """Tokens by tier, one value a call."""


Came = Callable[[Callable[[], RunPart]], None]
"""Called from time to time with what gives the part that is there by now; asked for at once, or not at all."""


def replay(
    session: Session,
    profile: Profile | None = None,
    changes: Sequence[Change] = (),
    *,
    progress: Progress | None = None,
    store: CountStore | None = None,
    came: Came | None = None,
) -> SimulatedRun:
    """Replay a session under a profile. `progress(done, total)` over messages, then over calls; False cancels.
    `store` keeps token counts of long texts between runs of the program; it belongs to the calling thread. `came` is
    told of the part of the run that is there, as it grows.

    Raises ProfileError where the profile leaves no budget for this session, Cancelled when cancelled.
    """
    inputs = Inputs.gather(session, profile or Profile(), changes, progress, store)
    return SimulatedRun(inputs, run_log(inputs, progress, came))


def run_log(inputs: Inputs, progress: Progress | None = None, came: Came | None = None) -> ChangeLog:
    """Step through all calls and keep what changed. What responses needed is looked for once somebody asks."""
    log = ChangeLog([Track() for _ in inputs.features.groups])
    go_on(inputs, log, Stepper(inputs), None, progress, came)
    log.look_later(lambda whole: looked_back(lambda _: inputs, whole))
    return log


def go_on(
    inputs: Inputs,
    log: ChangeLog,
    stepper: Stepper,
    risk: AtRisk | None,
    progress: Progress | None = None,
    came: Came | None = None,
) -> None:
    """Step through all calls that are not in the log yet, from where it, the stepper and what was at risk end (None:
    that is not looked for)."""
    count, fast = len(inputs.features.calls), FastRun(inputs, log, stepper)
    call = log.calls
    while call < count:
        last = fast.take(call + 1, call // _REPORT * _REPORT + _REPORT)
        if last == call:
            last += 1
            view, result = stepper.advance(last)
            add_call(inputs, log, stepper, view, result)
        if risk is not None:
            for looked in range(call + 1, last + 1):
                risk.look(looked, stepper.live, log.changed.get(looked, ()), stepper.state_version, stepper.summary)
        if progress is not None and last % _REPORT == 0 and not progress(last, count):
            raise Cancelled("The replay was cancelled; the run before it is still shown.")
        if came is not None and last % _REPORT == 0:
            came(lambda: _part(inputs, log))
        call = last
    if risk is not None:
        log.keep_needed(risk)


def _part(inputs: Inputs, log: ChangeLog) -> RunPart:
    return RunPart(log.calls, inputs.budget, {tier: log.tiers[tier][:] for tier in TIERS})
