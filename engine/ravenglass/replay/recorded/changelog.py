"""The log of a recorded run: what the writer's markers and the provider's figures say, in the form a Run reads."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ravenglass.errors import Cancelled
from ravenglass.hub.item import Form, State
from ravenglass.hub.live import Live, Track
from ravenglass.hub.sizes import Progress
from ravenglass.replay.measures.at_risk import AtRisk
from ravenglass.replay.measures.lifetime import remembered
from ravenglass.replay.recorded.sizes import RecordedSizes, Rest
from ravenglass.replay.recorded.windows import RecordedWindows
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.rules import TIERS
from ravenglass.sessions.model.session import Usage

_REPORT_EVERY = 64
"""Calls between two reports of progress."""


def recorded_log(
    inputs: Inputs, sizes: RecordedSizes, windows: RecordedWindows, progress: Progress | None = None
) -> ChangeLog:
    """Step through all calls and write down what each window held. Raises Cancelled when cancelled."""
    log = ChangeLog([Track() for _ in inputs.features.groups])
    maker = _Maker(inputs, sizes, windows, log)
    risk = AtRisk(inputs, recorded=True)
    count = len(inputs.features.calls)
    for call in range(1, count + 1):
        if progress is not None and call % _REPORT_EVERY == 0 and not progress(call, count):
            raise Cancelled("Reading the recorded run was cancelled; the run before it is still shown.")
        maker.add(call)
        risk.look(call, maker.live, log.changed.get(call, ()), -1)
    log.keep_needed(risk)
    return log


class _Maker:
    """Adds calls to a log in order. Only what a marker or a new message touches is looked at again."""

    def __init__(self, inputs: Inputs, sizes: RecordedSizes, windows: RecordedWindows, log: ChangeLog) -> None:
        self._inputs, self._sizes, self._windows, self._log = inputs, sizes, windows, log
        self.live = Live(len(inputs.features.groups))
        self._tokens = [0] * len(inputs.features.groups)
        self._included = [0] * len(inputs.features.groups)
        self._tiers = dict.fromkeys(TIERS, 0)
        self._count = 0
        self._inside: set[int] = set()
        """Groups of which something is in the window."""

    def add(self, call: int) -> None:
        """The next call."""
        inputs, log, known = self._inputs, self._log, self._inputs.features.known
        moved = call > 1 and self._windows.epoch(call) is not self._windows.epoch(call - 1)
        touched = set(inputs.standing.growths.get(call, ()))
        if moved:
            # What is out stays out unless the writer kept it: only these can change.
            group_of = inputs.session.structure.group_of
            touched |= self._inside.union(group_of[m] for m in self._windows.epoch(call).kept)
        self._update(call, [*sorted(g for g in touched if g < known[call - 1]), *range(known[call - 1], known[call])])
        changed = self.live.commit(log.tracks, call)
        if changed:
            log.changed[call] = tuple(changed)
        if moved and (left := self._left(call)):
            log.evicted[call] = left
        total = sum(self._tiers.values())
        log.prefix.append(self._prefix(call, moved=moved))
        log.cached.append(self._cached(call, total))
        log.paths.append("recorded")
        log.tokens.append(total)
        log.history.append(total)
        for tier in TIERS:
            log.tiers[tier].append(self._tiers[tier])
        log.versions.append(-1)
        log.summaries.append(0)
        log.openings.append(0)
        log.included.append(self._count)

    def _update(self, call: int, groups: Iterable[int]) -> None:
        """Bring the groups to what the window of the call holds of them."""
        inputs, epoch, boundary = self._inputs, self._windows.epoch(call), self._windows.boundary(call)
        for g in groups:
            group = inputs.features.groups[g]
            members = [m for m in group.messages if m < boundary]
            held = [m for m in members if epoch.holds(m) and self._windows.sent(m)]
            rest = Rest(frozenset(members) - frozenset(held), epoch.cleared & frozenset(held))
            form, cap = Form.FULL, 0
            if not held:
                form = Form.OUT
            elif rest.out or rest.cleared:
                form, cap = Form.PARTIAL, self._sizes.number(rest)
            self.live.move(g, State.ACTIVE if held else State.STANDBY)
            self.live.place(g, form, call, cap)
            tokens = sum(self._sizes.left(m, cleared=m in rest.cleared).tokens for m in held)
            tier = inputs.standing.tier[g]
            self._tiers[tier] += tokens - self._tokens[g]
            self._count += len(held) - self._included[g]
            self._tokens[g], self._included[g] = tokens, len(held)
            (self._inside.add if held else self._inside.discard)(g)

    def _left(self, call: int) -> int:
        """Messages of the window before that are not in this one."""
        now = {seen.message for seen in self._windows.seen(call)}
        return sum(seen.message not in now for seen in self._windows.seen(call - 1))

    def _prefix(self, call: int, *, moved: bool) -> int:
        """Tokens at the start of the window that are the same as in the window before."""
        if call == 1:
            return 0
        if not moved:
            return self._log.tokens[-1]
        same = islice(self._windows.seen(call), self._windows.same(call))
        return sum(self._sizes.left(seen.message, cleared=seen.cleared).tokens for seen in same)

    def _cached(self, call: int, total: int) -> int:
        """Tokens that came from the provider's cache: the share it reported; without a report, the common prefix."""
        response = self._inputs.response(call)
        share = cached_share(response.usage) if response is not None else None
        if share is not None:
            return round(total * share)
        return self._log.prefix[-1] if call > 1 and remembered(self._inputs, call) else 0


def cached_share(usage: Usage | None) -> float | None:
    """Share of a request that the provider says came from its cache, 0..1; None where it does not say."""
    if usage is None or usage.cache_read is None or not usage.context:
        return None
    return min(1.0, usage.cache_read / usage.context)
