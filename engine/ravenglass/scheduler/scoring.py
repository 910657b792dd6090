"""Scores: how much each group matters to the current request, in three parts, each 0..1.

score = weight_relevance x relevance + weight_recency x recency + weight_source x source reliability.

A slow path asks for the scores of its candidates only; those of other groups are worked out when a view asks for them,
by the same sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ravenglass.scheduler.features import SOURCES
from ravenglass.scheduler.holdings import Ints
from ravenglass.scheduler.view import View

_UNIT = 1 << 32
"""Weights are added up as whole multiples of 1 / _UNIT."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Intent:
    """Entities of the current request and the open goals that something else in the session holds too, with
    their weights (inverse document frequency), most telling first."""

    weights: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.weights.values())

    def units(self) -> dict[str, int]:
        """The weights as whole numbers."""
        return {entity: round(weight * _UNIT) for entity, weight in self.weights.items()}


class Parts(NamedTuple):
    """The parts of some groups' scores and their sum, one value a group."""

    relevance: Floats
    recency: Floats
    reliability: Floats
    total: Floats


class Column(Sequence[float]):
    """One of the parts for every known group. Those of candidates are there; asked for another, all are worked out."""

    def __init__(self, scores: Scores, part: int) -> None:
        self._scores, self._part = scores, part
        self._near: dict[int, float] = {}

    def keep(self, groups: list[int], values: Floats) -> None:
        """Remember the part of these groups."""
        self._near = dict(zip(groups, values.tolist(), strict=True))

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: slice) -> list[float]: ...
    def __getitem__(self, index: int | slice) -> float | list[float]:
        if isinstance(index, int) and index in self._near:
            return self._near[index]
        return self._all[index]

    def __len__(self) -> int:
        return self._scores.known

    def __iter__(self) -> Iterator[float]:
        return iter(self._all)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Column | list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._all)

    @cached_property
    def _all(self) -> list[float]:
        values: list[float] = self._scores.everything[self._part].tolist()
        return values


class Scores:
    """One value per known group. Depends on what is known at a call, never on the state of the groups."""

    def __init__(self, view: View) -> None:
        self._view = view
        self.known = view.known
        self.relevance = Column(self, 0)
        self.recency = Column(self, 1)
        self.reliability = Column(self, 2)
        self.total = Column(self, 3)

    @cached_property
    def intent(self) -> Intent:
        """What the request is about, at this call."""
        return intent_of(self._view)

    @cached_property
    def _units(self) -> dict[str, int]:
        return self.intent.units()

    @cached_property
    def everything(self) -> Parts:
        """The parts of every known group."""
        return self.of(np.arange(self.known))

    def rate(self, groups: Ints) -> Parts:
        """The parts of these groups (ascending), which are remembered."""
        parts, names = self.of(groups), groups.tolist()
        for column, values in zip((self.relevance, self.recency, self.reliability, self.total), parts, strict=True):
            column.keep(names, values)
        return parts

    def of(self, groups: Ints) -> Parts:
        """The parts of these groups, ascending."""
        view, profile = self._view, self._view.profile
        features = view.features
        total = sum(self._units.values())
        held = features.holdings.weigh(groups, self._units)
        relevance = held / total if total else np.zeros(len(groups))
        for g, value in view.hand.relevance.items():
            place = int(np.searchsorted(groups, g))
            if place < len(groups) and groups[place] == g:
                relevance[place] = value
        ages = np.maximum(features.calls[view.call - 1].turn - features.turns[groups], 0)
        most = int(ages.max(initial=0))
        recency = _decayed(profile.relevance_decay, 1 << most.bit_length())[ages]
        trust = np.array([profile.reliability.get(name, 0.0) for name in SOURCES])
        reliability = trust[features.source_numbers[groups]]
        a, b, c = profile.weight_relevance, profile.weight_recency, profile.weight_source
        return Parts(relevance, recency, reliability, a * relevance + b * recency + c * reliability)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        return self.intent == other.intent and all(
            mine == theirs
            for mine, theirs in (
                (self.relevance, other.relevance), (self.recency, other.recency),
                (self.reliability, other.reliability), (self.total, other.total),
            )
        )  # fmt: skip

    __hash__ = None  # type: ignore[assignment]


@lru_cache(maxsize=64)
def _decayed(decay: float, most: int) -> Floats:
    """What is left of recency by age in turns, up to `most`."""
    return np.array([decay**age for age in range(most + 1)])


def intent_of(view: View) -> Intent:
    """The intent at a call. An entity that only the request itself holds tells nothing apart and is left out."""
    request = view.standing.prompt_at[view.call]
    if request is None:
        request = view.standing.user_at[view.call]
    features, known = view.features, view.known
    weights = {}
    for entity in features.asked(request, view.goals):
        count = features.count(entity, known)
        if count and (count > 2 or any(g != request for g in features.postings[entity][:count])):
            weights[entity] = features.idf(known, count)
    return Intent(dict(sorted(weights.items(), key=lambda item: (-item[1], item[0]))))


def scores(view: View) -> Scores:
    """Scores of every known group at a call."""
    return Scores(view)


def matched(view: View, group: int, intent: Intent) -> tuple[str, ...]:
    """Entities of the intent that a group holds, most telling first."""
    return tuple(e for e in intent.weights if e in view.features.entities[group])
