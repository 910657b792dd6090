"""Many calls of the fast path in one step: everything live passes, so a call adds what is new to it, and no more.

Gives what `Stepper.advance` and `add_call` give call by call (a property test says so). Where a call may be something
else - a person changed something, a result came late, an instruction came in, the threshold is passed - the run ends
before it.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from ravenglass.hub.item import Form, State
from ravenglass.hub.live import code
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.step import Stepper
from ravenglass.rules import TIERS

_NEW = code(State.ACTIVE, Form.FULL)
_ACTIVE, _STANDBY = int(State.ACTIVE), int(State.STANDBY)


class FastRun:
    """Steps a replay over calls of the fast path. The log ends with the call that the stepper stands after."""

    def __init__(self, inputs: Inputs, log: ChangeLog, stepper: Stepper) -> None:
        self._inputs, self._log, self._stepper = inputs, log, stepper
        self._stops = sorted({*inputs.changes_at, *inputs.compactions})
        self._remembered = inputs.remembered

    def take(self, first: int, last: int) -> int:
        """Take the calls from `first` to `last`, as long as they are surely fast; returns the last one taken,
        `first` - 1 for none."""
        stepper, log = self._stepper, self._log
        if first < 2 or not stepper.has_history or stepper.opening != bool(log.openings[-1]):
            return first - 1
        if (log.versions[-1], log.summaries[-1]) != (stepper.state_version, stepper.told):
            return first - 1
        last = min(last, self._last(first))
        if last >= first:
            self._figures(first, last)
            for call in range(first, last + 1):
                self._move(call)
        return last

    def _last(self, first: int) -> int:
        """The last call of the run that begins with `first`."""
        inputs, stepper = self._inputs, self._stepper
        if inputs.profile.eager_lifecycle:
            return first - 1
        sums = inputs.sums
        place = bisect_left(self._stops, first)
        stop = min(sums.special(first), self._stops[place] if place < len(self._stops) else len(sums.tokens))
        added = sums.tokens[first:stop] - sums.tokens[first - 1]
        # The threshold is passed at it, C only behind it.
        room = min(inputs.budget.threshold - stepper.pressure, inputs.budget.available - stepper.total + 1)
        return first - 1 + int(np.searchsorted(added, room, side="left"))

    def _figures(self, first: int, last: int) -> None:
        """What the log keeps of every call, as numbers."""
        log, stepper, sums = self._log, self._stepper, self._inputs.sums
        calls, part = last - first + 1, slice(first, last + 1)
        added = sums.tokens[part] - sums.tokens[first - 1]
        tokens = (added + stepper.total).tolist()
        before = [log.tokens[-1], *tokens[:-1]]
        log.paths.extend(["fast"] * calls)
        log.tokens.extend(tokens)
        log.history.extend((added + stepper.pressure).tolist())
        tiers = stepper.tiers()
        for tier in TIERS:
            log.tiers[tier].extend((sums.tiers[tier][part] - sums.tiers[tier][first - 1] + tiers[tier]).tolist())
        log.versions.extend([stepper.state_version] * calls)
        log.summaries.extend([stepper.told] * calls)
        log.openings.extend(bytes([stepper.opening]) * calls)
        log.included.extend((sums.messages[part] - sums.messages[first - 1] + stepper.included).tolist())
        log.prefix.extend(before)
        log.cached.extend(
            tokens if kept else 0 for tokens, kept in zip(before, self._remembered[first : last + 1], strict=True)
        )
        stepper.take_in(first, last)

    def _move(self, call: int) -> None:
        """The states of the groups at a call, and what the log keeps of them."""
        inputs, log, live = self._inputs, self._log, self._stepper.live
        known, standing = inputs.features.known, inputs.standing
        changed = []
        for g in range(known[call - 1], known[call]):
            if not inputs.features.groups[g].unsent:
                live.states[g], live.forms[g] = _ACTIVE, 1
                changed.append(g)
        new = len(changed)
        for g in standing.expiries.get(call, ()):
            if live.states[g] == _ACTIVE or live.states[g] == _STANDBY:
                live.move(g, State.EXPIRED)
        for g in standing.releases.get(call, ()):
            if live.states[g] == _ACTIVE:
                live.move(g, State.STANDBY)
        archived = self._stepper.archive_unused(call)
        if live.touched:
            changed = sorted({*changed, *live.touched})
            live.touched.clear()
        elif not new:
            return
        for g in changed:
            track = log.tracks[g]
            now = code(live.states[g], live.forms[g])
            if (track.codes[-1] if track.codes else 0) != now:
                track.calls.append(call)
                track.codes.append(now)
                if g in live.caps:
                    track.caps[call] = live.caps[g]
        log.changed[call] = tuple(changed)
        if archived:
            log.archived[call] = archived
