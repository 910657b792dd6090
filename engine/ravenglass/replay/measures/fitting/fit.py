"""A robust line through estimates and reported figures: one slope for all, one offset a segment.

    reported = offset of the segment + scale x estimate

The slope is the weighted median of the slopes between calls of one segment (Theil and Sen, weighted by distance), the
offset the median of what is left. Half of the calls may be off by any amount without moving it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

LEAST_CALLS = 3
"""Calls that a segment needs for an offset of its own: with fewer, the offset would only repeat them."""


@dataclass(frozen=True, slots=True)
class Point:
    """One call: which segment it is in, our estimate of its window, what the provider reported (tokens)."""

    call: int
    segment: int
    estimate: float
    reported: int


@dataclass(frozen=True, slots=True)
class FittedLine:
    """A fit. `offsets`: segment -> tokens that are in every window of the segment but not in the estimate."""

    scale: float
    offsets: dict[int, float]

    def at(self, point: Point) -> float | None:
        """The fitted figure; None where the point's segment has no offset of its own."""
        offset = self.offsets.get(point.segment)
        return None if offset is None else offset + self.scale * point.estimate

    def error(self, point: Point) -> float | None:
        """Relative error, 0 and up."""
        found = self.at(point)
        return None if found is None else abs(found - point.reported) / point.reported


def fit(points: Iterable[Point]) -> FittedLine | None:
    """The line through the points; None where no segment has `LEAST_CALLS` of them, or none of them differ."""
    segments: dict[int, list[Point]] = defaultdict(list)
    for point in points:
        segments[point.segment].append(point)
    usable = {name: found for name, found in segments.items() if len(found) >= LEAST_CALLS}
    slopes = sorted(slope for found in usable.values() for slope in _slopes(found))
    if not slopes:
        return None
    scale = _weighted_median(slopes)
    offsets = {
        name: float(median(point.reported - scale * point.estimate for point in found))
        for name, found in usable.items()
    }
    return FittedLine(scale, offsets)


def near_scale(points: Iterable[Point]) -> float | None:
    """The weighted median of the slopes between calls of one segment that are 1 or 2 apart; None where none differ. Far
    pairs would all stand across a change of level, near ones hardly ever do."""
    segments: dict[int, list[Point]] = defaultdict(list)
    for point in points:
        segments[point.segment].append(point)
    slopes = sorted(
        ((b.reported - a.reported) / (b.estimate - a.estimate), abs(b.estimate - a.estimate))
        for found in segments.values()
        for a, b in (*pairwise(found), *zip(found, found[2:], strict=False))
        if b.estimate != a.estimate
    )
    return _weighted_median(slopes) if slopes else None


def _slopes(points: Sequence[Point]) -> Iterable[tuple[float, float]]:
    """(slope, weight) of pairs that are 1, 2, 4, ... calls apart: n log n of them, near and far alike."""
    step = 1
    while step < len(points):
        for first, second in zip(points, points[step:], strict=False):
            run = second.estimate - first.estimate
            if run:
                yield (second.reported - first.reported) / run, abs(run)
        step *= 2


def _weighted_median(slopes: Sequence[tuple[float, float]]) -> float:
    half = sum(weight for _, weight in slopes) / 2
    done = 0.0
    for slope, weight in slopes:
        done += weight
        if done >= half:
            return slope
    return slopes[-1][0]
