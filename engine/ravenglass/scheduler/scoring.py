"""Scores: how much each group matters to the current request, in three parts, each 0..1.

score = weight_relevance x relevance + weight_recency x recency + weight_source x source reliability.
"""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.scheduler.intent.entities import entities
from ravenglass.scheduler.view import View

_REQUEST_CHARS = 24_000


@dataclass(frozen=True, slots=True)
class Intent:
    """Entities of the current request and the open goals that something else in the session holds too, with
    their weights (inverse document frequency), most telling first."""

    weights: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.weights.values())


@dataclass(frozen=True, slots=True)
class Scores:
    """One value per known group."""

    intent: Intent
    relevance: list[float]
    recency: list[float]
    reliability: list[float]
    total: list[float]


def intent_of(view: View) -> Intent:
    """The intent at a call. An entity that only the request itself holds tells nothing apart and is left out."""
    request = view.standing.prompt_at[view.call]
    if request is None:
        request = view.standing.user_at[view.call]
    found: dict[str, None] = {}
    if request is not None:
        text = view.features.session.messages[view.features.groups[request].messages[0]].text
        found.update(dict.fromkeys(entities(text, max_chars=_REQUEST_CHARS)))
    for goal in view.goals:
        found.update(dict.fromkeys(entities(goal)))
    known = view.known
    weights = {}
    for entity in found:
        holders = view.features.holders(entity, known)
        if any(g != request for g in holders[-2:]):
            weights[entity] = view.features.idf(known, len(holders))
    return Intent(dict(sorted(weights.items(), key=lambda item: (-item[1], item[0]))))


def scores(view: View) -> Scores:
    """Scores of every known group at a call."""
    intent = intent_of(view)
    known = view.known
    held = [0.0] * known
    for entity, weight in intent.weights.items():
        for g in view.features.holders(entity, known):
            held[g] += weight
    total = intent.total
    relevance = [value / total for value in held] if total else held
    for g, value in view.hand.relevance.items():
        if g < known:
            relevance[g] = value
    profile = view.profile
    now = view.features.calls[view.call - 1].turn
    decay = profile.relevance_decay
    by_age: dict[int, float] = {}
    recency = []
    for g in range(known):
        age = max(0, now - view.features.groups[g].turn)
        if age not in by_age:
            by_age[age] = decay**age
        recency.append(by_age[age])
    trust = profile.reliability
    reliability = [trust.get(view.features.sources[g], 0.0) for g in range(known)]
    a, b, c = profile.weight_relevance, profile.weight_recency, profile.weight_source
    combined = [a * x + b * y + c * z for x, y, z in zip(relevance, recency, reliability, strict=True)]
    return Scores(intent, relevance, recency, reliability, combined)


def matched(view: View, group: int, intent: Intent) -> tuple[str, ...]:
    """Entities of the intent that a group holds, most telling first."""
    return tuple(e for e in intent.weights if e in view.features.entities[group])
