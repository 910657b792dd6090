"""Everything about a session under a profile that does not depend on what was decided at earlier calls.

Tiers with the cap of the global tier, pins, protection, tasks, and when items are released or outdated. Made once
per replay in one pass; the scheduler, the assembler and the views read the same object.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass, field, replace
from threading import Lock
from weakref import WeakKeyDictionary

from ravenglass.hub.files.fingerprint import NEVER, Outdated
from ravenglass.hub.pins import Pin, newest_prompts, pins, protected
from ravenglass.hub.sizes import Sizes
from ravenglass.hub.tiers import off_list, tiers
from ravenglass.profile import Profile
from ravenglass.rules import SectionName, TierName
from ravenglass.scheduler.budget import Budget
from ravenglass.scheduler.expiry import Expiry, expiries
from ravenglass.scheduler.features import Features
from ravenglass.scheduler.global_cap import GlobalCap
from ravenglass.scheduler.sums import Sums
from ravenglass.scheduler.tasks import Task, tasks

_KEPT = 8
"""Standings kept per session, so that moving an unrelated slider does not compute them again."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Per group: `tier`, `full` (tokens when whole), `task`, `released_at`; per call: latest user messages.

    Calls are 1-based; NEVER is later than any call.
    """

    tier: list[TierName]
    full: list[int]
    demoted: dict[int, str]
    protected: frozenset[int]
    instructions: frozenset[int]
    """Groups that are system or developer messages; they open the window."""
    sections: dict[int, SectionName]
    """Section of every instruction: `instruction` for those the session begins with, for later ones their tier's."""
    users: Set[int]
    """Groups a provider sees as user messages (orphan results included)."""
    pins: dict[int, Pin]
    tasks: Sequence[Task]
    task_of: list[int]
    released_at: list[int]
    outdated: dict[int, Outdated]
    expired: dict[int, Expiry]
    """Group -> when and why it expires: it is outdated, or its time to live has passed."""
    releases: dict[int, list[int]]
    expiries: dict[int, list[int]]
    growths: dict[int, list[int]]
    """Call -> groups of which that call sees more than the call before (late results)."""
    prompt_at: list[int | None]
    """Group of the latest prompt that call c sees (index 0 unused)."""
    user_at: list[int | None]
    """Group of the latest user message of any kind that call c sees."""
    _sums: list[Sums] = field(default_factory=list, repr=False, compare=False)

    def sums(self, features: Features) -> Sums:
        """What is known at every call, added up; `features` are those that the standing was made of."""
        if not self._sums:
            self._sums.append(Sums(features, self.full, self.tier, self.instructions, self.growths))
        return self._sums[0]


def standing(features: Features, sizes: Sizes, profile: Profile, budget: Budget) -> Standing:
    """The standing of a session under a profile, remembered for the profile fields it depends on."""
    key: Hashable = (
        sizes.key, profile.tier_rules, profile.pin_rules, profile.ttl_rules, profile.protect_first_n,
        profile.task_boundary, profile.topic_overlap, profile.edited_files,
        round(profile.global_cap * budget.available),
    )  # fmt: skip
    with _LOCK:
        shelf = _SHELF.setdefault(features, OrderedDict())
        known = shelf.get(key)
    if known is None:
        known = _build(features, sizes, profile, budget)
        with _LOCK:
            shelf[key] = known
            while len(shelf) > _KEPT:
                shelf.popitem(last=False)
    return known


def outdated_outside(found: Standing, ends: dict[int, Expiry]) -> Standing:
    """The standing where groups also expire for what the session does not show; the earlier end counts."""
    sooner = {g: end for g, end in ends.items() if g not in found.expired or end.call < found.expired[g].call}
    if not sooner:
        return found
    at = {call: [g for g in groups if g not in sooner] for call, groups in found.expiries.items()}
    for g, end in sooner.items():
        at.setdefault(end.call, []).append(g)
    return replace(found, expired={**found.expired, **sooner}, expiries={call: sorted(at[call]) for call in at})


_SHELF: WeakKeyDictionary[Features, OrderedDict[Hashable, Standing]] = WeakKeyDictionary()
_LOCK = Lock()


def _build(features: Features, sizes: Sizes, profile: Profile, budget: Budget) -> Standing:
    session = features.session
    groups = features.groups
    count, calls = len(groups), len(features.calls)
    full = [sum(sizes.full[m] for m in g.messages) + len(g.unanswered) * sizes.no_result for g in groups]
    tier = tiers(session, profile.tier_rules)
    instructions = frozenset(
        g.index for g in groups if session.messages[g.messages[0]].role in ("system", "developer") and not g.unsent
    )
    mixed = {g.index: off_list(session, profile.tier_rules, g) for g in groups if tier[g.index] == "global"}
    demoted = _demote(tier, full, instructions, mixed, round(profile.global_cap * budget.available))
    parts = tasks(features, profile)
    task_of = _task_of(parts, count)
    released = [NEVER] * count
    for g in range(count):
        if g in instructions or tier[g] in ("global", "session"):
            continue
        released[g] = features.ready[g] + 1 if tier[g] == "atomic" else max(parts[task_of[g]].end, features.ready[g])
    expired = expiries(features, profile.ttl_rules, updating=profile.edited_files)
    releases: dict[int, list[int]] = {}
    expire_at: dict[int, list[int]] = {}
    growths: dict[int, list[int]] = {}
    for g, call in enumerate(released):
        if call <= calls:
            releases.setdefault(call, []).append(g)
    for g, end in expired.items():
        if end.call <= calls:
            expire_at.setdefault(end.call, []).append(g)
    for group in groups:
        if features.ready[group.index] > group.call:
            for call in growth_calls(features, group.messages, group.call):
                growths.setdefault(call, []).append(group.index)
    prompt_at, user_at = _latest_users(features, calls)
    return Standing(
        tier=tier, full=full, demoted=demoted, protected=protected(session, profile.protect_first_n),
        instructions=instructions, sections=_sections(tier, instructions),
        users=frozenset(g.index for g in groups if g.orphan or session.messages[g.messages[0]].role == "user"),
        pins=pins(features.uses, profile.pin_rules), tasks=parts, task_of=task_of, released_at=released,
        outdated={g: end.outdated for g, end in expired.items() if end.outdated},
        expired=expired,
        releases=releases, expiries=expire_at, growths=growths,
        prompt_at=prompt_at, user_at=user_at,
    )  # fmt: skip


def _sections(tier: list[TierName], instructions: frozenset[int]) -> dict[int, SectionName]:
    begins = next(g for g in range(len(tier) + 1) if g not in instructions)
    return {g: "instruction" if g < begins else tier[g] for g in sorted(instructions)}


def _demote(
    tier: list[TierName], full: list[int], instructions: frozenset[int], mixed: dict[int, tuple[str, ...]], cap: int
) -> dict[int, str]:
    """Apply the white list and the hard cap of the global tier in order of registration; instructions count but always
    stay. `mixed`: what a group holds besides that is not on the list."""
    rule = GlobalCap(cap, sum(full[g] for g in instructions))
    demoted: dict[int, str] = {}
    for g, name in enumerate(tier):
        if name == "global" and g not in instructions and (reason := rule.demotes(full[g], mixed[g])):
            tier[g] = "task"
            demoted[g] = reason
    return demoted


def _task_of(parts: Sequence[Task], count: int) -> list[int]:
    starts = [task.first_group for task in parts]
    return [bisect_right(starts, g) - 1 for g in range(count)]


def growth_calls(features: Features, messages: tuple[int, ...], first: int) -> list[int]:
    """Calls after `first` that see messages of the group which the call before did not."""
    found = []
    seen = sum(m < features.boundary(first) for m in messages) if first <= len(features.calls) else 0
    for call in range(first + 1, len(features.calls) + 1):
        now = sum(m < features.boundary(call) for m in messages)
        if now > seen:
            found.append(call)
            seen = now
        if seen == len(messages):
            break
    return found


def _latest_users(features: Features, calls: int) -> tuple[list[int | None], list[int | None]]:
    prompt_at: list[int | None] = [None] * (calls + 1)
    user_at: list[int | None] = [None] * (calls + 1)
    users = newest_prompts(features.session)
    position = 0
    prompt: int | None = None
    user: int | None = None
    for call in range(1, calls + 1):
        while position < len(users) and users[position][0].index < features.known[call]:
            user = users[position][0].index
            if users[position][1]:
                prompt = user
            position += 1
        prompt_at[call], user_at[call] = prompt, user
    return prompt_at, user_at
