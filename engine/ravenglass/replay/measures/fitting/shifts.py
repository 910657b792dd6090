"""Where reported figures rise or fall by more than the record explains: what was cleared, resumed or attached unseen.

    rest = reported - scale x estimate

In a stretch whose windows the record shows whole, the rest is one overhead. A change of it that stays is a shift: from
there on the windows hold something, or lack something, that the record does not show. One figure that is off by itself
is none. The scale is a robust one over neighbouring calls, in which a shift is one pair among many.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from ravenglass.profile import Profile
from ravenglass.replay.measures.fitting.fit import Point, near_scale

_NEIGHBOURS = 3
"""Figures on either side of a shift: more than half of them must be of one level."""
_SPREAD = 0.25
"""How far the scale of what came in with one call may be from that of the session: code, prose and other scripts have
different rates."""

_CALLS_TO_A_RISE = 20
"""Figures for each rise that is believed: where more of them rise, the record lacks what was sent throughout, and
segments would only hide that."""
_CALLS_TO_A_FALL = 5
"""The same for falls: figures that go up and down all the time are those of several conversations."""


@dataclass(frozen=True, slots=True)
class Shift:
    """Before `call` the figure changed by `tokens` of the provider more than the content explains; below 0: a fall."""

    call: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Shifts:
    """`told` begin segments; `seen` is how often the figures changed in all, `jumps` how often up and down."""

    told: tuple[Shift, ...] = ()
    seen: int = 0
    jumps: int = 0


def shifts(points: Sequence[Point], profile: Profile) -> Shifts:
    """The shifts in the figures of one model, by call. Segments of markers are looked at apart."""
    scale = near_scale(points)
    if scale is None:
        return Shifts()
    plausible = profile.fit_scale_low <= scale <= profile.fit_scale_high
    limited = min(max(scale, profile.fit_scale_low), profile.fit_scale_high)
    segments: dict[int, list[Point]] = defaultdict(list)
    for point in points:
        segments[point.segment].append(point)
    found = [shift for inside in segments.values() for shift in _inside(inside, limited, profile)]
    rises = sum(shift.tokens > 0 for shift in found)
    # Where the texts are not what was sent, they explain no rise; a figure that gets smaller is one all the same.
    up = plausible and rises <= 1 + len(points) // _CALLS_TO_A_RISE
    down = len(found) - rises <= 1 + len(points) // _CALLS_TO_A_FALL
    told = (shift for shift in found if (up if shift.tokens > 0 else down))
    return Shifts(tuple(sorted(told, key=lambda shift: shift.call)), len(found), 2 * min(rises, len(found) - rises))


def _inside(points: Sequence[Point], scale: float, profile: Profile) -> Iterator[Shift]:
    rests = [point.reported - scale * point.estimate for point in points]
    first = 0
    for place in range(1, len(points)):
        step = rests[place] - rests[place - 1]
        content = scale * abs(points[place].estimate - points[place - 1].estimate)
        figure = min(points[place - 1].reported, points[place].reported)
        least = max(profile.fit_shift_tokens, profile.fit_shift_share * figure) + _SPREAD * content
        level = median(rests[max(first, place - _NEIGHBOURS) : place])
        stays = median(rests[place : place + _NEIGHBOURS]) - level
        if min(abs(step), abs(stays)) > least and (step > 0) == (stays > 0):
            yield Shift(points[place].call, round(step))
            first = place


def before(found: Sequence[Shift], call: int) -> int:
    """How many of the shifts came before a call."""
    return sum(shift.call <= call for shift in found)


def apart(points: Sequence[Point], found: Sequence[Shift], numbers: dict[tuple[int, int], int]) -> list[Point]:
    """The points with a segment of their own between shifts. `numbers` gives each (segment, shifts before) its number,
    and gets those that are new in it."""
    return [
        replace(point, segment=numbers.setdefault((point.segment, before(found, point.call)), len(numbers)))
        for point in points
    ]
