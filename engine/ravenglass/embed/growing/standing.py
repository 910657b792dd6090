"""The standing of a growing conversation: what `scheduler.standing` finds at once, group by group and call by call."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from ravenglass.embed.growing.expiring import Expiring
from ravenglass.embed.growing.releasing import Releasing
from ravenglass.embed.growing.tiering import GrowingTiers
from ravenglass.hub.pins import PinBoard, SessionHead
from ravenglass.hub.sizes import Sizes
from ravenglass.profile import Profile
from ravenglass.rules import SectionName
from ravenglass.scheduler.budget import Budget
from ravenglass.scheduler.features import Features
from ravenglass.scheduler.standing import Standing, growth_calls
from ravenglass.scheduler.tasks import Task
from ravenglass.sessions.model.session import Group

_INSTRUCTIONS: Final = ("system", "developer")


class GrowingStanding:
    """Takes in groups whose features and sizes are there. `value` is made when asked for and holds the lists of this
    object."""

    def __init__(self, features: Features, sizes: Sizes, profile: Profile, budget: Budget) -> None:
        session = features.session
        self._features, self._sizes, self._profile = features, sizes, profile
        self._tiers = GrowingTiers(session, profile.tier_rules, round(profile.global_cap * budget.available))
        self._releasing = Releasing(features, profile)
        self._expiring = Expiring(features, profile.ttl_rules, updating=profile.edited_files)
        self._pins = PinBoard(profile.pin_rules)
        self._head = SessionHead(profile.protect_first_n)
        self._full: list[int] = []
        self._protected: frozenset[int] = frozenset()
        self._instructions: frozenset[int] = frozenset()
        self._sections: dict[int, SectionName] = {}
        self._users: set[int] = set()
        self._growths: dict[int, list[int]] = {}
        self._prompts: list[int] = []
        self._said: list[int] = []
        """Groups of user messages, ascending; `_prompts` are those that a person typed."""
        self._tasks: list[Task] = []
        self._prompt_at: list[int | None] = [None, None]
        self._user_at: list[int | None] = [None, None]

    def expect(self, groups: Sequence[Group]) -> bool:
        """These groups are taken in next. False where that changes what was said of earlier ones: then all has to be
        taken in anew."""
        messages = self._features.session.messages
        told = sum(self._tokens(g) for g in groups if messages[g.messages[0]].role in _INSTRUCTIONS)
        return self._tiers.tell(told, self._full)

    def take(self, group: Group, first_use: int) -> None:
        """Take in the next group."""
        features, g = self._features, group.index
        first = features.session.messages[group.messages[0]]
        self._full.append(self._tokens(group))
        instruction = first.role in _INSTRUCTIONS
        self._tiers.take(group, self._full, instruction=instruction)
        if instruction:
            begins = len(self._instructions) == g
            self._instructions |= {g}
            self._sections[g] = "instruction" if begins else self._tiers.tier[g]
        if self._head.takes(first, group):
            self._protected |= {g}
        turn = features.session.structure.turns[group.turn]
        opens = turn if turn.prompt == group.messages[0] else None
        self._releasing.take(g, self._tiers.tier[g], opens, kept=instruction)
        if first.role == "user":
            self._users.add(g)
            self._said.append(g)
            if first.kind == "prompt":
                self._prompts.append(g)
        self._grow(group)
        self._expire(first_use)
        for number in range(first_use, len(features.uses)):
            self._pins.take(features.uses[number])

    def again(self, group: Group, first_use: int) -> bool:
        """A group that was taken in has more results now; its tool calls are from `first_use` on. As `expect`."""
        g = group.index
        self._full[g] = self._tokens(group)
        for call in [call for call, groups in self._growths.items() if g in groups]:
            self._growths[call].remove(g)
        self._grow(group)
        if not self._tiers.again(g, self._full) or not self._releasing.again(g) or not self._expiring.back(first_use):
            return False
        uses = self._features.uses
        self._expire(first_use)
        if any(self._pins.matches(use) for use in uses[first_use:] if use.group == g):
            self._pins = PinBoard(self._profile.pin_rules)
            for use in uses:
                self._pins.take(use)
        return True

    def _expire(self, first_use: int) -> None:
        uses = self._features.uses
        for number in range(first_use, len(uses)):
            self._expiring.take(number, uses[number])

    def _tokens(self, group: Group) -> int:
        sizes = self._sizes
        return sum(sizes.full[m] for m in group.messages) + len(group.unanswered) * sizes.no_result

    def _grow(self, group: Group) -> None:
        if self._features.ready[group.index] > group.call:
            for call in growth_calls(self._features, group.messages, group.call):
                self._growths.setdefault(call, []).append(group.index)
                self._growths[call].sort()

    def follow(self) -> None:
        """Go on to the latest call, with all groups taken in."""
        known = self._features.known
        del self._prompt_at[-1:], self._user_at[-1:]
        for call in range(len(self._prompt_at), len(known)):
            self._prompt_at.append(_latest(self._prompts, known[call]))
            self._user_at.append(_latest(self._said, known[call]))
        self._expiring.pass_time()

    def _tasks_so_far(self) -> list[Task]:
        starts, groups = self._releasing.watch.starts, self._features.groups
        del self._tasks[-1:]  # the one that was not over
        for i in range(len(self._tasks), len(starts)):
            group, prompt, why = starts[i]
            end = groups[starts[i + 1][0]].call if i + 1 < len(starts) else len(self._features.calls) + 1
            self._tasks.append(Task(i, group, end, prompt, why))
        return self._tasks

    def value(self) -> Standing:
        """The standing at the latest call."""
        return Standing(
            tier=self._tiers.tier, full=self._full, demoted=self._tiers.demoted, protected=self._protected,
            instructions=self._instructions, sections=self._sections, users=self._users, pins=self._pins.pins,
            tasks=self._tasks_so_far(), task_of=self._releasing.task_of, released_at=self._releasing.released_at,
            outdated=self._expiring.outdated, expired=self._expiring.expired, releases=self._releasing.at,
            expiries=self._expiring.at, growths=self._growths, prompt_at=self._prompt_at, user_at=self._user_at,
        )  # fmt: skip


def _latest(groups: list[int], known: int) -> int | None:
    """The last of the groups, ascending, that are among the first `known`."""
    place = bisect_left(groups, known)
    return groups[place - 1] if place else None
