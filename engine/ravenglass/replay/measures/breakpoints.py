"""Where the requests of a run carry their cache breakpoints, and what the provider reads from its cache because of it.

A provider that caches by breakpoints keeps the part of a request before each of them, and reads the longest kept part
that a later request begins with. docs/design/metrics.md has the rule by which they are placed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ravenglass.hub.item import Form
from ravenglass.hub.live import Live
from ravenglass.replay.frame import MarkKind
from ravenglass.replay.measures.lifetime import outlived
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.sections import SUMMARY, WORKING_STATE, head
from ravenglass.scheduler.view import View, visible

_KINDS: tuple[MarkKind, ...] = ("head", "kept", "outlasted", "lasting")
"""Places that are chosen among."""


@dataclass(frozen=True, slots=True)
class CacheMark:
    """One breakpoint: the tokens of the window before it. At 0 it stands behind tools and system prompt (S)."""

    tokens: int
    kind: MarkKind


@dataclass(frozen=True, slots=True)
class _Anchors:
    head: int
    kept: int
    whole: bool
    """Everything in the window is kept by a slow path, so what comes next may be too."""


class Breakpoints:
    """Answers from the log of a run, call by call; the marks of a call depend on nothing that came after it.

    `facts_at` gives the inputs that hold at a call.
    """

    def __init__(self, facts_at: Callable[[int], Inputs], log: ChangeLog) -> None:
        self._facts_at, self._log = facts_at, log
        self._anchors: list[_Anchors] = []
        self._marks: list[tuple[CacheMark, ...]] = []
        self._reads: list[int] = []
        self._places: list[dict[MarkKind, int]] = []
        self._bottoms: list[int] = []
        """By call, the latest one up to it that wrote or read S; 0 is none."""
        self._following = _Following(log)
        self._ended = dict.fromkeys(_KINDS, 1)
        """How often the part that a window shared with the one before reached each of the places of that; 1 more."""
        self._reached: list[MarkKind | None] = []
        """By call, the place of the window before that it counts for."""

    @property
    def calls(self) -> int:
        """How many calls were answered for."""
        return len(self._marks)

    def forget(self, first: int = 1) -> None:
        """Find everything from this call on anew: it was decided anew, or what it has in common with others was."""
        for reached in self._reached[first - 1 :]:
            if reached is not None:
                self._ended[reached] -= 1
        for values in (self._anchors, self._marks, self._reads, self._places, self._bottoms, self._reached):
            del values[first - 1 :]
        self._following = _Following(self._log)

    def marks(self, call: int) -> tuple[CacheMark, ...]:
        """The breakpoints of a call's request, ascending; none where the provider caches by itself."""
        for number in range(len(self._marks) + 1, call + 1):
            self._add(number)
        return self._marks[call - 1]

    def read(self, call: int) -> int | None:
        """Tokens of a call's window that are read from the cache, S aside; None where not even S is."""
        inputs, log = self._facts_at(call), self._log
        if not inputs.profile.cache_breakpoints:
            return log.cached[call - 1] if call > 1 and outlived(inputs, call - 1, call) else None
        here = {mark.tokens for mark in self.marks(call)}
        if call > 1 and self._in_reach(inputs, call):
            here.add(log.tokens[call - 2])
        best: int | None = None
        for before, common in self._earlier(call):
            if best is not None and common <= best:
                break
            if outlived(inputs, before, call):
                held = (p for p in self._touched(before) if p <= common and p in here)
                best = max((p for p in (best, *held) if p is not None), default=None)
        return best

    def _earlier(self, call: int) -> Iterator[tuple[int, int]]:
        """Earlier calls from the latest on, each with the tokens that its window and the call's have in common. Where
        that is nothing, S is still the same: then the latest call that has S in the cache, and none before it."""
        common = self._log.tokens[call - 1]
        for before in range(call - 1, 0, -1):
            common = min(common, self._log.prefix[before])
            if not common:
                if bottom := self._bottoms[before - 1]:
                    yield bottom, 0
                return
            yield before, common

    def _touched(self, call: int) -> set[int]:
        """Places that a call's request wrote to the cache or read from it, which makes them last."""
        return {mark.tokens for mark in self._marks[call - 1]} | {self._reads[call - 1]} - {-1}

    def _add(self, call: int) -> None:
        inputs = self._facts_at(call)
        self._count(call)
        self._anchors.append(self._anchors_of(inputs, call))
        read = -1
        for before, common in self._earlier(call):
            if common <= read:
                break
            read = max([read, *(p for p in self._touched(before) if p <= common)])
        self._reads.append(read)
        self._places.append(self._places_of(inputs, call))
        self._marks.append(self._placed(inputs, call, read) if inputs.profile.cache_breakpoints else ())
        before = self._bottoms[-1] if self._bottoms else 0
        self._bottoms.append(call if 0 in self._touched(call) else before)

    def _places_of(self, inputs: Inputs, call: int) -> dict[MarkKind, int]:
        """Where the part that the next window shares with this one may end, in tokens, by kind."""
        log, anchors = self._log, self._anchors[call - 1]
        places: dict[MarkKind, int] = {"head": anchors.head, "kept": anchors.kept}
        if call > 1:
            broke = log.prefix[call - 1] < log.tokens[call - 2]
            outlasted = log.prefix[call - 1] if broke else self._places[call - 2].get("outlasted")
            if outlasted is not None:
                places["outlasted"] = outlasted
        lasting = _lasting(inputs, log, call)
        if lasting is not None:
            places["lasting"] = lasting
        return places

    def _placed(self, inputs: Inputs, call: int, read: int) -> tuple[CacheMark, ...]:
        """The automatic one; where the cache ends, if that is not found else; then what saves most."""
        whole, limit = self._log.tokens[call - 1], inputs.profile.cache_breakpoints
        found = {whole: CacheMark(whole, "automatic")}
        if read > 0 and limit > 1 and not (self._in_reach(inputs, call) and read == self._log.tokens[call - 2]):
            known: dict[int, MarkKind] = {place: kind for kind, place in self._places[call - 1].items()}
            found.setdefault(read, CacheMark(read, known.get(read, "cached")))
        free: dict[int, CacheMark] = {}
        for kind, place in self._places[call - 1].items():
            if place not in found:
                free.setdefault(place, CacheMark(place, kind))
        most = limit - len(found)
        best: Iterable[CacheMark] = free.values()
        if most < len(free):
            best = max(
                combinations(free.values(), most),
                key=lambda chosen: self._saved(call, [*found, *(mark.tokens for mark in chosen)]),
            )
        return tuple(sorted((*found.values(), *best), key=lambda mark: mark.tokens))

    def _saved(self, call: int, places: Sequence[int]) -> int:
        """Tokens that breakpoints at these places would have saved, had the next window ended as each earlier one; with
        any of them S is read too."""
        system = self._facts_at(call).budget.system
        return sum(
            self._ended[kind] * max((system + p for p in places if p <= end), default=0)
            for kind, end in self._places[call - 1].items()
        )

    def _count(self, call: int) -> None:
        """Which place of the window before the part in common with this one reached."""
        found: MarkKind | None = None
        if call > 1 and self._log.prefix[call - 1] < self._log.tokens[call - 2]:
            reached = {k: p for k, p in self._places[call - 2].items() if p <= self._log.prefix[call - 1]}
            if reached:
                nearest: MarkKind = max(reached, key=reached.__getitem__)
                self._ended[nearest] += 1
                found = nearest
        self._reached.append(found)

    def _in_reach(self, inputs: Inputs, call: int) -> bool:
        """Whether a provider, which looks only some blocks back, finds the end of the window before."""
        if self._log.prefix[call - 1] < self._log.tokens[call - 2]:
            return False
        sent = inputs.features.blocks
        return sent[call] - sent[call - 1] <= inputs.profile.cache_look_back

    def _anchors_of(self, inputs: Inputs, call: int) -> _Anchors:
        log = self._log
        if call > 1:
            before = self._anchors[call - 2]
            same_profile = self._facts_at(call - 1).profile is inputs.profile
            if same_profile and not before.whole and log.prefix[call - 1] == log.tokens[call - 2]:
                return before
        return _anchors(inputs, log, inputs.view(call, self._following.at(call)))


class _Following:
    """The state of every group after one call and then after a later one, from what changed between them."""

    def __init__(self, log: ChangeLog) -> None:
        self._log, self._live, self._call = log, Live(len(log.tracks)), 0

    def at(self, call: int) -> Live:
        """The state after `call`, which no question before was about a later one than."""
        log, live = self._log, self._live
        live.grow(len(log.tracks))
        changed = {g for c in range(self._call + 1, call + 1) for g in log.changed.get(c, ())}
        live.take_over(log.tracks, changed, call)
        self._call = call
        return live


def _anchors(inputs: Inputs, log: ChangeLog, view: View) -> _Anchors:
    """Tokens before the working state, and before the first group that a slow path may take."""
    call = view.call
    order = inputs.profile.section_order
    first = unmoved = 0
    for block in head(inputs, log, call, log.versions[call - 1], log.summaries[call - 1]):
        if block.group == WORKING_STATE:
            unmoved += inputs.rendered(block.seen)[1]
        elif block.group == SUMMARY:
            unmoved += log.told[block.seen].tokens
        else:
            tokens = view.placed_tokens(block.group)
            unmoved += tokens
            first += tokens * (order.index(inputs.standing.sections[block.group]) <= order.index("session"))
    if log.openings[call - 1]:
        unmoved += inputs.sizes.opening
    kept, whole = _leading(view)
    return _Anchors(first, unmoved + kept, whole)


def _leading(view: View) -> tuple[int, bool]:
    """Tokens of the groups that the history begins with and no slow path takes, and whether those are all of it."""
    tokens = 0
    placed: list[int] = np.flatnonzero(np.frombuffer(view.live.forms, dtype=np.uint8, count=view.known)).tolist()
    for g in placed:
        if g in view.standing.instructions:
            continue
        if g not in view.protected and not view.is_pinned(g):
            return tokens, False
        tokens += view.placed_tokens(g)
    return tokens, True


def _lasting(inputs: Inputs, log: ChangeLog, call: int) -> int | None:
    """Tokens before the first result of a look-up that shrinks to its stub at the next call; None where none does."""
    features, standing = inputs.features, inputs.standing
    if not inputs.profile.eager_lifecycle:
        return None
    behind, found = 0, None
    for g in range(features.known[call] - 1, features.known[call - 1] - 1, -1):
        form = log.tracks[g].form_at(call)
        if not form or g in standing.instructions:
            continue
        group = features.groups[g] if features.ready[g] <= call else visible(features, features.groups[g], call)
        offload = inputs.profile.offload_tokens
        tokens = inputs.sizes.tokens(group, form, offload, log.tracks[g].cap_at(call))
        behind += tokens
        leaves = standing.tier[g] == "atomic" and g not in standing.protected
        if leaves and inputs.sizes.tokens(group, Form.STUB, offload) < tokens:
            calls = [m for m in group.messages if inputs.session.messages[m].role != "tool"]
            found = log.tokens[call - 1] - behind + sum(inputs.sizes.full[m] for m in calls)
    return found
