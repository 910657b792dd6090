"""How important what is active is: the mean score of the active groups of a call, and whether it fell abnormally."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ravenglass.hub.item import State
from ravenglass.hub.live import Live
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.scheduler.scoring import scores

FactsAt = Callable[[int], Inputs]
"""The facts that hold at a call; a branch has others from its first call on."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The mean score fell to `now` from `before`, its mean over the calls before."""

    now: float
    before: float


def mean_score(inputs: Inputs, call: int, states: bytes) -> float:
    """Mean score of the groups that are active by `states` (one a known group, or more); 0 where none is."""
    known = np.frombuffer(states, dtype=np.uint8, count=inputs.features.known[call])
    active = np.flatnonzero(known == State.ACTIVE)
    # Scores do not depend on states, so an empty Live will do.
    total: list[float] = scores(inputs.view(call, Live(0))).of(active).total.tolist()
    return sum(total) / len(total) if total else 0.0


def importance(inputs: Inputs, log: ChangeLog, call: int) -> float:
    """The mean score right after a recorded call, remembered with the log."""
    known = log.importance.get(call)
    if known is None:
        states = bytes(log.tracks[g].state_at(call) for g in range(inputs.features.known[call]))
        known = log.importance[call] = mean_score(inputs, call, states)
    return known


def drop(facts_at: FactsAt, log: ChangeLog, call: int, before: bytes, now: float) -> Drop | None:
    """The fall that begins at a call; None where the score did not fall, or that fall has been told already. `before`:
    states of the groups before it."""
    if call > 1 and call - 1 not in log.importance:
        log.importance[call - 1] = mean_score(facts_at(call - 1), call - 1, before)
    found = _fall(facts_at, log, call, now)
    if found is None:
        return None
    span = facts_at(call).profile.rollback_calls
    told = (_fall(facts_at, log, c, importance(facts_at(c), log, c)) for c in range(call - span, call))
    return None if any(told) else found


def _fall(facts_at: FactsAt, log: ChangeLog, call: int, now: float) -> Drop | None:
    profile = facts_at(call).profile
    span = profile.rollback_calls
    if call <= span:
        return None
    before = sum(importance(facts_at(c), log, c) for c in range(call - span, call)) / span
    return Drop(now, before) if now < before * (1 - profile.rollback_drop) else None
