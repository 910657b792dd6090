"""Our estimates of what each call's window held, in a time that does not grow with the windows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from ravenglass.replay.measures.fitting.weights import Weights
from ravenglass.sessions.model.presence import Epoch, Presence
from ravenglass.sessions.model.session import Session

Thinking = Literal["kept", "dropped", "none"]
"""What became of thinking when its turn was over; `none`: the record holds none, so nothing was chosen."""


@dataclass(frozen=True, slots=True)
class Estimated:
    """Estimate of one call's window. `segment`: how many markers that may change what the record lacks came before."""

    segment: int
    estimate: float


def estimates(session: Session, weighed: Weights, thinking: Thinking) -> list[Estimated]:
    """Estimates of all calls in order."""
    presence = Presence(session.markers)
    fixed, thought = _sums(weighed.fixed), _sums(weighed.thinking)
    turns = [m.id for m in session.messages if m.role == "user" and m.kind != "meta"]
    bases: dict[int, tuple[float, list[float]]] = {}
    found = []
    for call in session.structure.calls:
        end = call.message
        epoch = presence.at(end)
        if epoch.before not in bases:
            bases[epoch.before] = _base(epoch, weighed)
        base, kept = bases[epoch.before]
        total = base + fixed[end] - fixed[min(epoch.start, end)]
        since = 0
        if thinking == "dropped":
            place = bisect_left(turns, end)
            since = turns[place - 1] if place else 0
        if thinking != "none":
            first = bisect_left(epoch.kept, since)
            total += kept[-1] - kept[first] + thought[end] - thought[min(max(epoch.start, since), end)]
        found.append(Estimated(epoch.segment, total))
    return found


def _sums(values: Sequence[float]) -> list[float]:
    return [0.0, *accumulate(values)]


def _base(epoch: Epoch, weighed: Weights) -> tuple[float, list[float]]:
    """What an epoch's windows hold besides what was recorded since: kept messages without their thinking, less what
    was cleared; and the running sums of the thinking of kept messages."""
    total = sum(weighed.fixed[m] for m in epoch.kept)
    known = range(len(weighed.fixed))  # a marker may name what the session does not hold
    cleared = (m for m in epoch.cleared if m in known and epoch.holds(m) and weighed.fixed[m])
    total += sum(weighed.note - weighed.fixed[m] for m in cleared)
    return total, _sums([weighed.thinking[m] for m in epoch.kept])
