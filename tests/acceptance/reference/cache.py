"""Cache and cost: the common prefix of consecutive requests, block by block in their bytes, and what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ravenglass.profile import Profile
from tests.acceptance.reference.facts import Facts, Json
from tests.acceptance.reference.sizes import dumped

SENT = ("role", "content", "reasoning_content", "tool_calls", "tool_call_id")
"""What a provider gets of a block."""


@dataclass
class Cached:
    """`hit`: share of all window tokens that was read from the cache. `cost` in the currency of the prices."""

    hit: float = 0.0
    breaks: int = 0
    cost: float = 0.0
    reads: list[int] = field(default_factory=list)
    """Tokens that each call reads."""


def shares(facts: Facts) -> tuple[float, float, float]:
    """Of what the record's own calls newly sent: fresh, written for five minutes, written for an hour."""
    fresh = short = long = 0
    for m in facts.calls:
        usage = facts.messages[m].usage
        if usage is None or usage.context is None:
            continue
        written, hour = usage.cache_write or 0, usage.cache_write_1h or 0
        fresh += max(0, usage.context - (usage.cache_read or 0) - written)
        short += written - hour
        long += hour
    total = fresh + short + long
    return (fresh / total, short / total, long / total) if total else (1.0, 0.0, 0.0)


def prefix(before: Sequence[bytes], now: Sequence[bytes]) -> int:
    """How many blocks at the beginning are the same in every byte."""
    same = 0
    while same < min(len(before), len(now)) and before[same] == now[same]:
        same += 1
    return same


def sent_bytes(block: Json) -> bytes:
    """A block as a provider gets it."""
    return dumped({name: block[name] for name in SENT if name in block})


class Kept:
    """What a provider with breakpoints keeps: beginnings of the latest request in blocks, with the time of their last
    use. What a request in between did not begin with counts as gone (docs/design/metrics.md)."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.used: dict[int, float | None] = {}

    def read(self, same: int, places: list[int], now: float | None) -> int | None:
        """Blocks that a request reads: the longest beginning kept that one of its own breakpoints finds; None: none.
        Then it keeps its own. `same`: blocks that it has in common with the request before."""
        self.used = {place: last for place, last in self.used.items() if place <= same}
        reach = self.profile.cache_look_back
        found = [
            q for q in self.used if self._alive(q, now) and any(q == p or (0 < q <= p <= q + reach) for p in places)
        ]
        best = max(found, default=None)
        self.used |= dict.fromkeys((*places, *([best] if best is not None else [])), now)
        return best

    def _alive(self, place: int, now: float | None) -> bool:
        last = self.used[place]
        return last is None or now is None or now - last <= self.profile.cache_ttl_s


def cached(
    facts: Facts, windows: list[Json], tokens: list[list[int]], system: int, profile: Profile, marks: list[list[int]]
) -> Cached:
    """`tokens`: of every block of every window. `marks`: of every call, the tokens before each of its breakpoints, as
    the program placed them; where the profile has none, every beginning is kept."""
    found, sent, read, new, old = Cached(), 0, 0, 0, 0
    before: list[bytes] = []
    last: float | None = None
    kept = Kept(profile)
    for number, (window, sizes) in enumerate(zip(windows, tokens, strict=True)):
        blocks = [sent_bytes(block) for block in window["messages"]]
        stamp = facts.messages[facts.calls[number]].ts
        now = stamp if stamp is not None else last
        same = prefix(before, blocks)
        found.breaks += int(number > 0 and same < len(before))
        if profile.cache_breakpoints:
            total = [sum(sizes[:n]) for n in range(len(sizes) + 1)]
            places = [next((n for n, t in enumerate(total) if t >= mark), len(sizes)) for mark in marks[number]]
            place = kept.read(same, places, now)
            held, warm = sum(sizes[:place]) if place else 0, place is not None
        else:
            warm = number > 0 and not (last is not None and now is not None and now - last > profile.cache_ttl_s)
            held = sum(sizes[:same]) if warm else 0
        found.reads.append(held)
        sent, read = sent + sum(sizes), read + held
        cheap = held + (system if warm else 0)
        old, new = old + cheap, new + sum(sizes) + system - cheap
        before, last = blocks, now
    fresh, short, long = shares(facts)
    price = fresh * profile.price_input + short * profile.price_write_5m + long * profile.price_write_1h
    found.hit = read / sent if sent else 0.0
    found.cost = (new * price + old * profile.price_cached) / 1_000_000
    return found
