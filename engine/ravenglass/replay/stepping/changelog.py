"""What a finished replay keeps: a few numbers a call, and the changes of every group. Grows with the changes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from ravenglass.curator.plan import Assembled
from ravenglass.hub.live import Track
from ravenglass.hub.summary import Summary
from ravenglass.replay.figures import PlacedNeed, Regret
from ravenglass.replay.frame import PathName
from ravenglass.replay.stepping.inside import Inside
from ravenglass.rules import TIERS, TierName


@dataclass(frozen=True, slots=True)
class Made:
    """The window that a conversation with a policy ended in, and `reason`: why the fail-safe decided, if it did."""

    assembled: Assembled
    path: PathName
    reason: str


class Needed(Protocol):
    """Where the needs of responses were, and what was at risk, in the order of the calls."""

    placed: list[PlacedNeed]
    regrets: list[Regret]


@dataclass
class ChangeLog:
    """Lists hold one value a call, index 0 is call 1. Sizes in tokens, counts in messages."""

    tracks: list[Track]
    paths: list[PathName] = field(default_factory=list)
    tokens: array[int] = field(default_factory=lambda: array("l"))
    history: array[int] = field(default_factory=lambda: array("l"))
    tiers: dict[TierName, array[int]] = field(default_factory=lambda: {t: array("l") for t in TIERS})
    versions: array[int] = field(default_factory=lambda: array("l"))
    summaries: array[int] = field(default_factory=lambda: array("l"))
    """The call at which the summary in the window was made; 0: there is none."""
    told: dict[int, Summary] = field(default_factory=dict)
    """Call -> the summary that was made at it."""
    openings: bytearray = field(default_factory=bytearray)
    included: array[int] = field(default_factory=lambda: array("l"))
    prefix: array[int] = field(default_factory=lambda: array("l"))
    """Tokens of the window that are the same as at the start of the previous one."""
    cached: array[int] = field(default_factory=lambda: array("l"))
    """The part of `prefix` that the provider still remembered."""
    evicted: dict[int, int] = field(default_factory=dict)
    """Call -> messages that left the window, for calls where any did."""
    changed: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Call -> groups whose state or form changed."""
    archived: dict[int, dict[int, str]] = field(default_factory=dict)
    """Call -> group -> why."""
    by_hand: dict[int, frozenset[int]] = field(default_factory=dict)
    retrieved: dict[int, tuple[int, ...]] = field(default_factory=dict)
    made: dict[int, Made] = field(default_factory=dict)
    """Call -> what a policy decided at it, where that was not the planner: run again, the call has to give the same."""
    impossible: list[int] = field(default_factory=list)
    overflow: list[int] = field(default_factory=list)
    """Calls whose slow path found protected and pinned groups over their cap."""
    over_quota: list[int] = field(default_factory=list)
    """Calls whose slow path cut something in some tier."""
    importance: dict[int, float] = field(default_factory=dict, compare=False)
    """Call -> mean score of what is active after it, for the calls where it was asked for."""

    _inside: Inside | None = field(default=None, init=False, repr=False, compare=False)
    _regrets: list[Regret] = field(default_factory=list, repr=False, compare=False)
    _placed: list[PlacedNeed] = field(default_factory=list, repr=False, compare=False)
    _look: Callable[[ChangeLog], Needed] | None = field(default=None, repr=False, compare=False)
    """Looks for needs in this log, where nobody has asked for them yet."""

    def inside(self, call: int) -> Sequence[int]:
        """Groups that stand in the window of a call, ascending; holds until this is asked again."""
        if self._inside is None:
            self._inside = Inside(self.tracks, self.changed)
        return self._inside.at(call)

    @property
    def regrets(self) -> Sequence[Regret]:
        """As they were found; `lost_at`, `by` and `paid` are a run's to tell."""
        self._look_now()
        return self._regrets

    @property
    def placed(self) -> Sequence[PlacedNeed]:
        """Where every need was, in the order of the calls."""
        self._look_now()
        return self._placed

    def keep_needed(self, found: Needed) -> None:
        """These are the needs of all calls of this log."""
        self._placed, self._regrets, self._look = found.placed, found.regrets, None

    def look_later(self, look: Callable[[ChangeLog], Needed]) -> None:
        """Needs are no part of a window: `look` finds them in this log once somebody asks."""
        self._look = look

    def _look_now(self) -> None:
        look = self._look
        if look is not None:
            self.keep_needed(look(self))

    @property
    def calls(self) -> int:
        """Calls recorded so far."""
        return len(self.paths)

    def summary(self, call: int) -> Summary | None:
        """The summary in the window of a call; None also before the first, and at a call that is not recorded yet."""
        made = self.summaries[call - 1] if 0 < call <= len(self.summaries) else 0
        return self.told[made] if made else None

    def forget_last(self) -> None:
        """Take back the last call, as if it had never been recorded."""
        call = self.calls
        if self._inside is not None:
            self._inside.forget(call)
        for g in self.changed.pop(call, ()):
            self.tracks[g].forget(call)
        self.paths.pop()
        for values in (
            self.tokens, self.history, self.versions, self.summaries, self.included, self.prefix, self.cached,
        ):  # fmt: skip
            values.pop()
        for values in self.tiers.values():
            values.pop()
        self.openings.pop()
        for table in (self.told, self.evicted, self.archived, self.by_hand, self.retrieved, self.made, self.importance):
            table.pop(call, None)
        for marks in (self.impossible, self.overflow, self.over_quota):
            if marks and marks[-1] == call:
                marks.pop()

    def copy(self) -> ChangeLog:
        """A log that recording further calls into this one does not change."""
        return replace(
            self,
            tracks=[track.copy() for track in self.tracks], paths=list(self.paths), tokens=self.tokens[:],
            history=self.history[:], tiers={t: values[:] for t, values in self.tiers.items()},
            versions=self.versions[:], summaries=self.summaries[:], told=dict(self.told), openings=self.openings[:],
            included=self.included[:], prefix=self.prefix[:], cached=self.cached[:],
            evicted=dict(self.evicted), changed=dict(self.changed), archived=dict(self.archived),
            by_hand=dict(self.by_hand), retrieved=dict(self.retrieved), made=dict(self.made),
            impossible=list(self.impossible), overflow=list(self.overflow), over_quota=list(self.over_quota),
            importance=dict(self.importance), _regrets=list(self._regrets), _placed=list(self._placed),
        )  # fmt: skip
