"""What input tokens cost: fresh, read from the provider's cache, or written to it for five minutes or an hour.

A provider that has a price for writing says how much was written; one that says nothing is charged the input price.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ravenglass.profile import Profile
from ravenglass.sessions.model.session import Session, Usage

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class InputTokens:
    """Input tokens by what they cost. `fresh` are neither read nor written."""

    fresh: int = 0
    read: int = 0
    written_5m: int = 0
    written_1h: int = 0

    @classmethod
    def of(cls, usages: Iterable[Usage]) -> InputTokens:
        """The sum of what was reported; usages without a figure for the whole request are passed over."""
        fresh = read = short = long = 0
        for usage in usages:
            if usage.context is None:
                continue
            taken, written = usage.cache_read or 0, usage.cache_write or 0
            hour = min(usage.cache_write_1h or 0, written)
            fresh += max(0, usage.context - taken - written)
            read, short, long = read + taken, short + written - hour, long + hour
        return cls(fresh, read, short, long)

    def cost(self, profile: Profile) -> float:
        """In the currency of the price fields."""
        return (
            self.fresh * profile.price_input
            + self.read * profile.price_cached
            + self.written_5m * profile.price_write_5m
            + self.written_1h * profile.price_write_1h
        ) / MILLION


def price_of_new(session: Session, profile: Profile) -> float:
    """Price of a million tokens that a simulated window sends and the cache does not hold: written to the cache in the
    shares in which the record's own new tokens were; the input price where the record tells of no writing."""
    usages = (session.messages[call.message].usage for call in session.structure.calls)
    known = InputTokens.of(usage for usage in usages if usage is not None)
    new = known.fresh + known.written_5m + known.written_1h
    if not known.written_5m + known.written_1h:
        return profile.price_input
    return InputTokens(known.fresh, 0, known.written_5m, known.written_1h).cost(profile) * MILLION / new
