"""When a message left the windows of a run, or was shortened there, and what did it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from ravenglass.hub.item import Form
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.scheduler.view import visible

_BY_FORM = {
    Form.OFFLOADED: "offloaded: a stub stands for it",
    Form.STUB: "released: a stub stands for it",
    Form.SHRUNK: "cut to fit the budget",
    Form.REFERENCE: "a reference or a difference stands for it",
    Form.UPDATED: "shown as a later edit left the file",
}


class Losses:
    """Answers from the log of a run. `facts_at` gives the inputs that hold at a call."""

    def __init__(self, facts_at: Callable[[int], Inputs], log: ChangeLog) -> None:
        self._facts_at, self._log = facts_at, log

    def first(self, message: int) -> int | None:
        """The first call that sees a message and does not hold it in full; None where every call does."""
        inputs = self._facts_at(max(1, self._log.calls))
        seen = inputs.features.first_call(message)
        track = self._log.tracks[inputs.session.structure.group_of[message]]
        if seen > self._log.calls:
            return None
        for call in (seen, *(c for c in track.calls if c > seen)):
            if not self.whole(call, message):
                return call
        return None

    def since(self, call: int, message: int) -> int:
        """The call since which a message is not in full, seen from a call that does not hold it so; 0: not known."""
        track = self._log.tracks[self._facts_at(call).session.structure.group_of[message]]
        lost = 0
        for change in reversed(track.calls[: bisect_right(track.calls, call)]):
            if self.whole(change, message):
                break
            lost = change
        return lost

    def whole(self, call: int, message: int) -> bool:
        """Whether the window of a call holds a message in full."""
        inputs = self._facts_at(call)
        g = inputs.session.structure.group_of[message]
        track = self._log.tracks[g]
        form = track.form_at(call)
        if form is Form.FULL or form is Form.OUT:
            return form is Form.FULL
        group = inputs.features.groups[g]
        if inputs.features.ready[g] > call:
            group = visible(inputs.features, group, call)
        shown = inputs.sizes.shown(group, form, inputs.profile.offload_tokens, track.cap_at(call)).get(message)
        return shown is not None and shown.verbatim and not shown.bare

    def by(self, call: int, message: int) -> str:
        """What took a message out at a call, in a few words."""
        log, g = self._log, self._facts_at(call).session.structure.group_of[message]
        form = log.tracks[g].form_at(call)
        if form is not Form.OUT:
            return _BY_FORM.get(form, "shortened")
        if g in log.archived.get(call, {}):
            return f"archived: {log.archived[call][g]}"
        path = log.paths[call - 1]
        if path == "slow":
            return "left out by the slow path"
        return "left out by the fail-safe" if path == "fail_safe" else "released"
