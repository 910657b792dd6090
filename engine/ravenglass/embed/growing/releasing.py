"""When groups of a growing conversation are released: a look-up after its call, everything else when its task ends."""

from __future__ import annotations

from bisect import insort

from ravenglass.hub.files.fingerprint import NEVER
from ravenglass.profile import Profile
from ravenglass.rules import TierName
from ravenglass.scheduler.features import Features
from ravenglass.scheduler.tasks import TaskWatch
from ravenglass.sessions.model.session import Turn


class Releasing:
    """Takes in groups in their order. What goes with a task that is not over yet has NEVER."""

    def __init__(self, features: Features, profile: Profile) -> None:
        self.released_at: list[int] = []
        self.at: dict[int, list[int]] = {}
        """Call -> groups that it releases, ascending."""
        self.task_of: list[int] = []
        self._features, self._profile = features, profile
        self._watch = TaskWatch(features, profile)
        self._tier: list[TierName | None] = []
        """Of groups that are never released None."""

    @property
    def watch(self) -> TaskWatch:
        """The tasks so far."""
        return self._watch

    def take(self, g: int, tier: TierName, turn: Turn | None, *, kept: bool) -> None:
        """Take in the next group. `turn`: the one that it opens; one that is `kept` is never released."""
        first = self._watch.starts[-1][0]
        if turn is not None and self._watch.take(turn):
            for waiting in range(first, g):
                self._rule(waiting)
        self.task_of.append(len(self._watch.starts) - 1)
        self.released_at.append(NEVER)
        self._tier.append(None if kept or tier in ("global", "session") else tier)
        self._rule(g)

    def again(self, g: int) -> bool:
        """A group that was taken in has more results now. False where tasks begin elsewhere because of it."""
        if g < self._watch.previous:
            watch = TaskWatch(self._features, self._profile)
            for turn in self._features.session.structure.turns:
                if turn.prompt is None or self._features.session.structure.group_of[turn.prompt] < len(self.task_of):
                    watch.take(turn)
            if watch.starts != self._watch.starts:
                return False
            self._watch = watch
        self._rule(g)
        return True

    def _rule(self, g: int) -> None:
        """Set when a group is released, by what is known of it and its task."""
        call, tier = NEVER, self._tier[g]
        if tier == "atomic":
            call = self._features.ready[g] + 1
        elif tier is not None and self.task_of[g] + 1 < len(self._watch.starts):
            end = self._features.groups[self._watch.starts[self.task_of[g] + 1][0]].call
            call = max(end, self._features.ready[g])
        before = self.released_at[g]
        if call == before:
            return
        if before != NEVER:
            self.at[before].remove(g)
        self.released_at[g] = call
        if call != NEVER:
            insort(self.at.setdefault(call, []), g)
