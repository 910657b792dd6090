"""When groups expire: all that they show is outdated by a later change of the files, or has passed its time to live."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ravenglass.hub.files.fingerprint import Outdated, shown_content, shows_content
from ravenglass.hub.files.uses import Use
from ravenglass.hub.registry.ttl import ttl_of
from ravenglass.rules import TtlRule
from ravenglass.scheduler.features import Features


@dataclass(frozen=True, slots=True)
class Expiry:
    """The group expires at call `call`. `outdated` says what changed its file; None: its time has passed."""

    call: int
    reason: str
    """For people, without the full stop: `src/a.py was edited in #12`."""
    outdated: Outdated | None = None


def expiries(features: Features, rules: tuple[TtlRule, ...], *, updating: bool = False) -> dict[int, Expiry]:
    """Group -> when and why it expires. A group expires with the last of its results; one that never ends keeps it.
    `updating`: an edit that says what it did brings a whole read up to date instead (`Profile.edited_files`)."""
    ends = _content_ends(features, updating)
    by_group: dict[int, list[Expiry | None]] = defaultdict(list)
    clock = _Clock(features)
    for number, use in enumerate(features.uses):
        ttl = ttl_of(use, rules)
        changed = None if ttl == "none" else ends.get(number)
        aged = clock.aged(use, ttl) if isinstance(ttl, int) else None
        found = [end for end in (changed, aged) if end is not None]
        by_group[use.group].append(min(found, key=lambda end: end.call, default=None))
    ends_of = ((group, last_of(found_ends)) for group, found_ends in by_group.items())
    return {group: end for group, end in ends_of if end is not None}


def last_of(ends: Sequence[Expiry | None]) -> Expiry | None:
    """The latest of several ends; None where one of them never comes, or there are none."""
    known = [end for end in ends if end is not None]
    return max(known, key=_order) if known and len(known) == len(ends) else None


def _order(end: Expiry) -> tuple[int, int]:
    return end.call, end.outdated.by if end.outdated else -1


def _content_ends(features: Features, updating: bool) -> dict[int, Expiry]:
    """Number of a use -> when all file content that it shows is outdated, for uses that show nothing else."""
    contents: dict[int, list[Outdated | None]] = defaultdict(list)
    for shown in shown_content(features.uses, updating=updating):
        contents[shown.number].append(shown.by)
    found: dict[int, Expiry] = {}
    for number, ends in contents.items():
        outdated = [end for end in ends if end is not None]
        if len(outdated) == len(ends) and shows_content(features.uses[number]):
            found[number] = max((content_end(features, end) for end in outdated), key=_order)
    return found


def content_end(features: Features, end: Outdated) -> Expiry:
    """What an outdated content comes to: it expires at the first call that sees all of what changed it."""
    first = features.groups[end.by].messages[0]
    return Expiry(features.ready[end.by], f"{end.path} was {end.how} in #{first}", end)


def aged_reason(use: Use, seconds: int) -> str:
    """Why a result expires that has had its time."""
    return f"its time to live of {seconds:,} s ({use.call.name}) had passed"


class _Clock:
    """Recorded time at each call: that of the latest message known there. Times that go backwards do not count."""

    def __init__(self, features: Features) -> None:
        self._features = features
        self._times: Sequence[float] | None = None

    def aged(self, use: Use, seconds: int) -> Expiry | None:
        """The first call at which the result is that old; never the call that sees it first."""
        if use.answer is None or use.answer.ts is None:
            return None
        call = max(self._at(use.answer.ts + seconds), self._features.ready[use.group] + 1)
        if call > len(self._features.calls):
            return None
        return Expiry(call, aged_reason(use, seconds))

    def _at(self, time: float) -> int:
        if self._times is None:
            self._times = self._running()
        return bisect_left(self._times, time) + 1

    def _running(self) -> list[float]:
        messages, read, latest = self._features.session.messages, 0, float("-inf")
        times = []
        for call in self._features.calls:
            for message in messages[read : call.message]:
                latest = max(latest, message.ts if message.ts is not None else latest)
            read = max(read, call.message)
            times.append(latest)
        return times
