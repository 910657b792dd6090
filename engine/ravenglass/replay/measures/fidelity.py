"""Estimates against what the provider reported, call by call, with the fit between the two and its error.

A transcript lacks the system prompt and the tool definitions, and after a compaction the files that the writer attached
again; and a provider's tokens are not ours. So the model has one scale for the session, and one overhead for each
segment between markers after which unrecorded content may change. No call has a parameter of its own. Whether thinking
of earlier turns stayed in the window (models differ) is a third, two-valued parameter, chosen by the smaller error.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median
from typing import Literal

from ravenglass.hub.sizes import SizeKey
from ravenglass.profile import Profile
from ravenglass.replay.measures.fit import FittedLine, Point, fit
from ravenglass.replay.measures.weights import Weights, weights
from ravenglass.sessions.model.presence import Epoch, Presence
from ravenglass.sessions.model.session import Session

FOLDS = 5
"""Parts that are held out in turn: contiguous ones, because neighbouring calls are nearly the same window."""

PLAUSIBLE = (0.5, 2.5)
"""Scales that two token tables can have to each other. Beyond, the record's texts are not what was sent (redacted ones,
say), or the figures are made up; then the fit is shown with its errors, but no window is told in its terms."""

Thinking = Literal["kept", "dropped", "none"]
"""What became of thinking when its turn was over; `none`: the record holds none, so nothing was chosen."""


@dataclass(frozen=True, slots=True)
class CallFit:
    """One call. Tokens; None is unknown. `raw` is the estimate before the fit, `fitted` after it."""

    call: int
    segment: int
    reported: int | None
    raw: float
    fitted: float | None
    error: float | None
    """Relative, 0 and up; None where the call is not judged."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Relative errors over `calls` calls."""

    calls: int
    median: float
    p95: float
    largest: float

    @classmethod
    def of(cls, errors: Sequence[float]) -> Errors | None:
        """None for no errors; the percentile is the nearest rank."""
        if not errors:
            return None
        ranked = sorted(errors)
        return cls(len(ranked), median(ranked), ranked[math.ceil(0.95 * len(ranked)) - 1], ranked[-1])


@dataclass(frozen=True, slots=True)
class Fidelity:
    """The fit of one session. `parameters` were fitted to `errors.calls` calls."""

    scale: float
    overheads: dict[int, float]
    """Segment -> tokens in each of its windows that the record does not hold."""
    thinking: Thinking
    parameters: int
    reported: int
    """Calls with a reported figure."""
    errors: Errors
    content_error: float
    """Sum of the errors over the sum of what the record holds (reported less overhead): the overhead, which is often
    most of a window and the same in all of them, does not flatter this one. Infinite where the record holds nothing."""
    held_out: Errors | None
    """Errors of calls that the fit had not seen: each of `FOLDS` contiguous parts is predicted from the others."""
    calls: tuple[CallFit, ...]
    """Every call of the session, also those without a figure."""
    table: str
    """Token table of the estimates."""

    @property
    def plausible(self) -> bool:
        """Whether the scale can be one between token tables."""
        return PLAUSIBLE[0] <= self.scale <= PLAUSIBLE[1]

    @property
    def base_overhead(self) -> float:
        """Overhead of a window that a writer never compacted: the smallest one, never below 0."""
        return max(0.0, min(self.overheads.values()))


def fidelity(session: Session, profile: Profile) -> Fidelity | None:
    """The fit of a session, kept with it; None where too few calls have a reported figure."""
    key = ("fidelity", SizeKey.of(profile))
    if key not in session.derived:
        session.derived[key] = _fidelity(session, profile)
    found = session.derived[key]
    return found if isinstance(found, Fidelity) else None


def _fidelity(session: Session, profile: Profile) -> Fidelity | None:
    weighed = weights(session, profile)
    choices: tuple[Thinking, ...] = ("kept", "dropped") if weighed.has_thinking else ("none",)
    windows = {choice: _windows(session, weighed, choice) for choice in choices}
    points = {choice: _points(session, windows[choice]) for choice in choices}
    best = _best(points)
    if best is None:
        return None
    thinking, line = best
    judged = [error for point in points[thinking] if (error := line.error(point)) is not None]
    errors = Errors.of(judged)
    if errors is None:
        return None
    return Fidelity(
        scale=line.scale,
        overheads=line.offsets,
        thinking=thinking,
        parameters=1 + len(line.offsets) + (len(choices) - 1),
        reported=len(points[thinking]),
        errors=errors,
        content_error=_content_error(points[thinking], line),
        held_out=Errors.of(_held_out(points)),
        calls=_calls(session, windows[thinking], line),
        table=profile.tokenizer,
    )


@dataclass(frozen=True, slots=True)
class _Window:
    """Estimate of one call's window."""

    segment: int
    estimate: float


def _windows(session: Session, weighed: Weights, thinking: Thinking) -> list[_Window]:
    """Estimates of all calls, in a time that does not grow with the windows."""
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
        found.append(_Window(epoch.segment, total))
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


def _points(session: Session, windows: Sequence[_Window]) -> list[Point]:
    found = []
    for call, window in zip(session.structure.calls, windows, strict=True):
        usage = session.messages[call.message].usage
        if usage is not None and usage.context:
            found.append(Point(call.number, window.segment, window.estimate, usage.context))
    return found


def _best(points: dict[Thinking, list[Point]]) -> tuple[Thinking, FittedLine] | None:
    """The choice with the smaller sum of errors, and its line."""
    found: list[tuple[float, Thinking, FittedLine]] = []
    for choice, these in points.items():
        line = fit(these)
        if line is not None:
            found.append((sum(line.error(point) or 0.0 for point in these), choice, line))
    if not found:
        return None
    _, choice, line = min(found, key=lambda item: item[0])
    return choice, line


def _content_error(points: Sequence[Point], line: FittedLine) -> float:
    judged = [(point, made) for point in points if (made := line.at(point)) is not None]
    content = sum(max(0.0, point.reported - line.offsets[point.segment]) for point, _ in judged)
    return sum(abs(made - point.reported) for point, made in judged) / content if content else math.inf


def _held_out(points: dict[Thinking, list[Point]]) -> list[float]:
    """Errors of every call under a fit, thinking included, that was made without its part of the session."""
    part: dict[int, int] = {}
    segments: dict[int, list[int]] = defaultdict(list)
    for point in next(iter(points.values())):
        segments[point.segment].append(point.call)
    for calls in segments.values():
        part.update((call, place * FOLDS // len(calls)) for place, call in enumerate(calls))
    errors: list[float] = []
    for fold in range(FOLDS):
        best = _best({c: [p for p in these if part[p.call] != fold] for c, these in points.items()})
        if best is not None:
            found = (best[1].error(point) for point in points[best[0]] if part[point.call] == fold)
            errors.extend(error for error in found if error is not None)
    return errors


def _calls(session: Session, windows: Sequence[_Window], line: FittedLine) -> tuple[CallFit, ...]:
    found = []
    for call, window in zip(session.structure.calls, windows, strict=True):
        usage = session.messages[call.message].usage
        reported = usage.context if usage is not None and usage.context else None
        point = Point(call.number, window.segment, window.estimate, reported or 1)
        error = line.error(point) if reported is not None else None
        found.append(CallFit(call.number, window.segment, reported, window.estimate, line.at(point), error))
    return tuple(found)
