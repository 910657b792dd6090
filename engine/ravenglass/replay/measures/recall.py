"""Reference recall: of what a response refers to, the share that its window still held. What it lacked is a regret.

A reference is a rare identifier, path or error name that occurred in an earlier message. Source: design, metrics.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Literal
from weakref import WeakKeyDictionary

from ravenglass.hub.files.paths import inside
from ravenglass.hub.item import Form, State
from ravenglass.hub.live import Live
from ravenglass.hub.summary import Summary
from ravenglass.replay.frame import Regret
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.scheduler.features import Features
from ravenglass.scheduler.view import visible

_MOST_HOLDERS = 12
"""What stands in more groups than this is a common word of the session, not a reference."""


@dataclass(frozen=True, slots=True)
class Reread:
    """A response reads a file again that group `earlier` had already shown."""

    earlier: int
    path: str


@dataclass(frozen=True, slots=True)
class Needs:
    """Per call (index 0 is call 1): references with the groups that held them before, and files read again."""

    references: tuple[tuple[tuple[str, tuple[int, ...]], ...], ...]
    rereads: tuple[tuple[Reread, ...], ...]


_NEEDS: WeakKeyDictionary[Features, Needs] = WeakKeyDictionary()
_LOCK = Lock()


def needs_of(features: Features) -> Needs:
    """What every response of a session needs; the same under any profile."""
    with _LOCK:
        known = _NEEDS.get(features)
    if known is None:
        known = _needs(features)
        with _LOCK:
            _NEEDS[features] = known
    return known


def carry_over(before: Features, after: Features) -> None:
    """Hand what responses need to the features of the same session when it is longer; `after` is made of `before`."""
    with _LOCK:
        known = _NEEDS.get(before)
    if known is not None:
        made = Needs(_references(after, known.references[: _unchanged(before, after)]), _rereads(after))
        with _LOCK:
            _NEEDS[after] = made


def _unchanged(before: Features, after: Features) -> int:
    """Leading calls whose response, and all they could refer to, were taken over."""
    group_of = after.session.structure.group_of
    for old, new in zip(before.calls, after.calls, strict=False):
        if old != new or max(after.known[new.number], group_of[new.message] + 1) > after.reused:
            return new.number - 1
    return min(len(before.calls), len(after.calls))


def _needs(features: Features) -> Needs:
    return Needs(_references(features, ()), _rereads(features))


_References = tuple[tuple[tuple[str, tuple[int, ...]], ...], ...]


def _references(features: Features, known: _References) -> _References:
    """What the response of every call refers to; `known` is that of the first calls."""
    group_of = features.session.structure.group_of
    calls = features.calls[len(known) :]
    wanted = frozenset().union(*(features.references[group_of[call.message]] for call in calls))
    postings: dict[str, list[int]] = {}
    for g, names in enumerate(features.references):
        for reference in names & wanted if known else names:
            postings.setdefault(reference, []).append(g)
    references = []
    for call in calls:
        seen = features.known[call.number]
        response = group_of[call.message]
        found = []
        for reference in sorted(features.references[response]):
            posting = postings[reference]
            before = bisect_left(posting, seen)
            if before > _MOST_HOLDERS + 1:
                continue
            holders = tuple(g for g in posting[:before] if g != response)
            if 0 < len(holders) <= _MOST_HOLDERS:
                found.append((reference, holders))
        references.append(tuple(found))
    return (*known, *references)


def _rereads(features: Features) -> tuple[tuple[Reread, ...], ...]:
    call_of = {features.session.structure.group_of[c.message]: c.number for c in features.calls}
    latest: dict[tuple[str, str], tuple[int, int]] = {}
    found: list[list[Reread]] = [[] for _ in features.calls]
    for use, file in [(u, f) for u in features.uses for f in u.files]:
        if file.op in ("edit", "write"):
            # The content changed: reading it again is no sign that something was missing.
            for key in [key for key in latest if inside(key[0], file.path)]:
                del latest[key]
            continue
        if file.op != "read" or use.result is None:
            continue
        earlier = latest.get((file.path, file.part))
        call = call_of.get(use.group)
        if earlier is not None and earlier[0] != use.group and call is not None:
            group, shown = earlier
            # A result that comes late may stand behind the response that reads the file again.
            found[call - 1] += [Reread(group, file.path)] if shown < features.boundary(call) else []
        latest[file.path, file.part] = (use.group, use.result)
    return tuple(tuple(r) for r in found)


class Recall:
    """Counts references and collects regrets while a replay runs."""

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        """Those that hold at the next call that is looked at."""
        self._needs = needs_of(inputs.features)
        self.references = 0
        self.held = 0
        self.regrets: list[Regret] = []
        self._regretted: set[int] = set()
        """Groups that are out and already regretted; one that comes back and leaves again counts anew."""

    def look(
        self, call: int, live: Live, changed: Iterable[int], injected: int, summary: Summary | None = None
    ) -> None:
        """Check what the response of a call needed against the window it had: its groups, the working state of version
        `injected` (-1: none), its summary. `changed` are the groups that changed at this call, if not more."""
        forms = live.forms
        told = self.inputs.rendered(injected)[0]
        if summary is not None:
            told = f"{told}\n{summary.text}"
        self._regretted.difference_update(g for g in changed if forms[g] == Form.FULL)
        missing: dict[int, list[str]] = {}
        for reference, holders in self._needs.references[call - 1]:
            self.references += 1
            if any(forms[g] == Form.FULL for g in holders) or self._shown(call, reference, holders, live, told):
                self.held += 1
            else:
                missing.setdefault(holders[-1], []).append(reference)
        for reread in self._needs.rereads[call - 1]:
            if forms[reread.earlier] != Form.FULL and live.states[reread.earlier] != State.EXPIRED:
                self._regret(call, reread.earlier, [reread.path], "reread")
        for holder, what in missing.items():
            self._regret(call, holder, what, "reference")

    def _shown(self, call: int, reference: str, holders: tuple[int, ...], live: Live, told: str) -> bool:
        inputs = self.inputs
        if reference in told:
            return True
        for g in holders:
            form = Form(live.forms[g])
            if form is Form.OUT:
                continue
            group = inputs.features.groups[g]
            if inputs.features.ready[g] > call:
                group = visible(inputs.features, group, call)
            shown = inputs.sizes.shown(group, form, inputs.profile.offload_tokens, live.caps.get(g, 0))
            calls = inputs.session.messages[group.messages[0]].tool_calls
            if any(reference in s.text for s in shown.values()) or any(reference in c.arguments for c in calls):
                return True
        return False

    def _regret(self, call: int, holder: int, what: list[str], kind: Literal["reference", "reread"]) -> None:
        """A group that is out and was needed is one regret, however many of its names were needed."""
        if holder in self._regretted:
            return
        self._regretted.add(holder)
        group = self.inputs.features.groups[holder]
        messages = self.inputs.session.messages
        response = self.inputs.features.calls[call - 1].message
        known = [m for m in group.messages if m < response]
        needle = (m for m in reversed(known) if what[0] in messages[m].text)
        self.regrets.append(Regret(call, response, next(needle, known[-1]), what[0], kind, len(what)))
