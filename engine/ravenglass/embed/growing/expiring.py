"""When groups of a growing conversation expire: the same as `scheduler.expiry` finds at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable

from ravenglass.hub.files.fingerprint import ContentWatch, Outdated, shows_content
from ravenglass.hub.files.uses import Use
from ravenglass.hub.registry.ttl import ttl_of
from ravenglass.rules import TtlRule
from ravenglass.scheduler.expiry import Expiry, aged_reason, content_end, last_of
from ravenglass.scheduler.features import Features


class Expiring:
    """Takes in the tool calls of groups, and the time of calls. Tool calls go by their number among all."""

    def __init__(self, features: Features, rules: tuple[TtlRule, ...], *, updating: bool = False) -> None:
        self.expired: dict[int, Expiry] = {}
        self.outdated: dict[int, Outdated] = {}
        self.at: dict[int, list[int]] = {}
        """Call -> groups that expire at it, ascending."""
        self._features, self._rules = features, rules
        self._watch = ContentWatch(updating=updating)
        self._aging: list[tuple[float, int, int]] = []
        """When results have had their time to live, the tool call, and that time in seconds; ascending."""
        self._aged: dict[int, Expiry] = {}
        self._numbers: dict[int, list[int]] = {}
        """Group -> its tool calls."""
        self._now = float("-inf")
        self._times: list[float] = []
        """The latest time that each call knows of."""
        self._read = 0

    def back(self, number: int) -> bool:
        """Take back the tool calls from this one on. False where that was too long ago."""
        earlier = self._watch.back(number)
        if earlier is None:
            return False
        self._aging = [entry for entry in self._aging if entry[1] < number]
        self._aged = {known: end for known, end in self._aged.items() if known < number}
        first = self._features.uses[number].group
        for group in [g for g in self._numbers if g >= first]:
            self._set(group, None)
            del self._numbers[group]
        self._judge(earlier)
        return True

    def take(self, number: int, use: Use) -> None:
        """Take in the next tool call; the group's later ones may follow."""
        touched = self._watch.take(number, use)
        ttl = ttl_of(use, self._rules)
        if isinstance(ttl, int) and use.answer is not None and use.answer.ts is not None:
            insort(self._aging, (use.answer.ts + ttl, number, ttl))
        self._numbers.setdefault(use.group, []).append(number)
        self._judge((*touched, number))

    def pass_time(self) -> None:
        """What is too old at the calls that there are by now."""
        messages, calls = self._features.session.messages, self._features.calls
        del self._times[-1:]  # the latest call's: more messages came to it
        for number in range(len(self._times), len(calls)):
            for m in range(self._read, calls[number].message):
                said = messages[m].ts
                self._now = max(self._now, said if said is not None else self._now)
            self._read = max(self._read, calls[number].message)
            self._times.append(self._now)
        due = bisect_right(self._aging, self._now, key=lambda entry: entry[0])
        entries, self._aging = self._aging[:due], self._aging[due:]
        for entry in entries:
            if not self._age(*entry):
                insort(self._aging, entry)

    def _age(self, due: float, number: int, seconds: int) -> bool:
        """Whether a call that is there comes after the time; never the one that sees the result first."""
        use = self._features.uses[number]
        call = max(bisect_left(self._times, due) + 1, self._features.ready[use.group] + 1)
        if call > len(self._times):
            return False
        self._aged[number] = Expiry(call, aged_reason(use, seconds))
        self._judge((number,))
        return True

    def _judge(self, numbers: Iterable[int]) -> None:
        """Find anew when the groups of these tool calls expire."""
        uses = self._features.uses
        for group in {uses[number].group for number in numbers}:
            self._set(group, last_of([self._end(number) for number in self._numbers[group]]))

    def _end(self, number: int) -> Expiry | None:
        use, features = self._features.uses[number], self._features
        by = None
        if ttl_of(use, self._rules) != "none":
            ends = self._watch.ends(number)
            outdated = [end for end in ends if end is not None]
            if ends and len(outdated) == len(ends) and shows_content(use):
                by = last_of([content_end(features, end) for end in outdated])
        found = [end for end in (by, self._aged.get(number)) if end is not None]
        return min(found, key=lambda end: end.call, default=None)

    def _set(self, group: int, end: Expiry | None) -> None:
        before = self.expired.pop(group, None)
        if before is not None:
            self.at[before.call].remove(group)
            self.outdated.pop(group, None)
        if end is not None:
            self.expired[group] = end
            insort(self.at.setdefault(end.call, []), group)
            if end.outdated:
                self.outdated[group] = end.outdated
