"""A run that is another run up to some call. Everything before that call is answered by the other run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ravenglass.curator.loop import Policy
from ravenglass.hub.registry.entry import Registry
from ravenglass.hub.snapshots.snapshot import Snapshot, Taken
from ravenglass.replay.frame import Frame, ManifestRow, Metrics, Why, Window, WindowMessage
from ravenglass.replay.measures.lifetime import remembered
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepper import ReplayLoop
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Rerun
from ravenglass.trace import TraceEvent
from ravenglass.trace.items import RolledBack


class Branch(SimulatedRun):
    """`origin` answers for every call before `at`. Costs are at this branch's prices throughout."""

    def __init__(
        self,
        inputs: Inputs,
        log: ChangeLog,
        origin: SimulatedRun,
        at: int,
        *,
        rewritten: bool,
        held: Snapshot | None = None,
    ) -> None:
        self.origin = origin
        self.at = at
        self._rewritten, self._held = rewritten, held
        self.asked = origin.asked
        super().__init__(inputs, log, arrivals=_arrivals(origin, at, held))

    def twin(self) -> Branch:
        return Branch(
            self.inputs, self._log.copy(), self.origin.twin(), self.at, rewritten=self._rewritten, held=self._held
        )

    def facts_at(self, call: int) -> Inputs:
        return self.inputs if call >= self.at else self.origin.facts_at(call)

    def settle_prefix(self) -> None:
        """Count the common prefix of the first window anew where texts changed with the profile."""
        if self._rewritten and 1 < self.at <= self.calls:
            same = self.window(self.at).stable_tokens
            self._log.prefix[self.at - 1] = same
            self._log.cached[self.at - 1] = same if remembered(self.inputs, self.at) else 0
            self._breakpoints.forget()

    @cached_property
    def metrics(self) -> Metrics:
        """Figures of the whole run; limits are those that held at each call."""
        found = super().metrics
        over = rot = 0
        for call, tokens in enumerate(self._log.tokens, start=1):
            inputs = self.facts_at(call)
            over += tokens > inputs.budget.available
            rot += tokens > inputs.profile.rot_tokens
        return replace(found, over_budget=over, rot_calls=rot)

    def frame(self, call: int) -> Frame:
        return self.origin.frame(call) if 1 <= call < self.at else super().frame(call)

    def _frame(self, call: int) -> Frame:
        made = super()._frame(call)
        if call != self.at or not self._rewritten or call == 1:
            return made
        return replace(made, cache_break=_broken(self.origin.window(call - 1), self.window(call)))

    def window(self, call: int) -> Window:
        if 1 <= call < self.at:
            return self.origin.window(call)
        made = super().window(call)
        if call != self.at or not self._rewritten or call == 1:
            return made
        return _against(self.origin.window(call - 1), made)

    def events(self, call: int) -> tuple[TraceEvent, ...]:
        return self.origin.events(call) if 1 <= call < self.at else super().events(call)

    def trace(self, call: int) -> Sequence[TraceEvent]:
        return self.origin.trace(call) if 1 <= call < self.at else super().trace(call)

    def row(self, call: int, message: int) -> ManifestRow:
        return self.origin.row(call, message) if 1 <= call < self.at else super().row(call, message)

    def query(self, call: int, text: str = "", sort: str = "id", descending: bool = False) -> list[int]:
        side = self.origin.query if 1 <= call < self.at else super().query
        return side(call, text, sort, descending)

    def why(self, call: int, message: int) -> Why:
        return self.origin.why(call, message) if 1 <= call < self.at else super().why(call, message)

    def registry(self, call: int) -> Registry:
        return self.origin.registry(call) if 1 <= call < self.at else super().registry(call)

    def snapshot(self, taken: Taken) -> Snapshot:
        return self.origin.snapshot(taken) if 1 <= taken.step < self.at else super().snapshot(taken)

    def loop(self, call: int, policy: Policy | None = None) -> ReplayLoop:
        return self.origin.loop(call, policy) if 1 <= call < self.at else super().loop(call, policy)

    def _rerun(self, call: int) -> Rerun:
        return self.origin.rerun(call) if call < self.at else super()._rerun(call)


def _arrivals(origin: SimulatedRun, at: int, held: Snapshot | None) -> dict[int, RolledBack]:
    found = dict(origin.arrivals)
    if held is not None:
        found[at] = RolledBack(snapshot=held.name, step=held.step, task=held.task, from_call=origin.calls)
    return {call: payload for call, payload in found.items() if call <= at}


def _key(block: WindowMessage) -> tuple[object, ...]:
    """What a provider sees of a block."""
    return block.role, block.text, block.thinking, block.tool_calls, block.tool_call_id


def _same(before: Window, now: Window) -> int:
    pairs = zip(before.messages, now.messages, strict=False)
    return next(
        (i for i, (a, b) in enumerate(pairs) if _key(a) != _key(b)), min(len(before.messages), len(now.messages))
    )


def _against(before: Window, now: Window) -> Window:
    """The window with what is new in it, told by its texts."""
    same = _same(before, now)
    known = {_key(block) for block in before.messages}
    return replace(
        now,
        messages=tuple(replace(block, added=_key(block) not in known) for block in now.messages),
        stable_prefix=same,
        stable_tokens=sum(block.tokens for block in now.messages[:same]),
    )


def _broken(before: Window, now: Window) -> str:
    same = _same(before, now)
    if same == len(before.messages):
        return ""
    block = before.messages[same]
    return block.label if block.id is None else f"#{block.id} {block.label}"
