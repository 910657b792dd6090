"""The recorded run: reality. Which messages each call's window held, and what the provider reported for it.

It answers like any other `Run`, so every view can show it, but nothing in it was decided by this engine: windows come
from the markers of the session, costs and cache from the provider's figures where there are any.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property

from ravenglass.curator.loop import Policy
from ravenglass.curator.working_state.state import WorkingState
from ravenglass.errors import RavenglassError
from ravenglass.hub.item import State
from ravenglass.hub.sizes import Progress
from ravenglass.hub.snapshots.snapshot import Taken
from ravenglass.profile import Profile
from ravenglass.replay.answers.regretted import with_regrets
from ravenglass.replay.figures import Aftermath, Paid, Regret
from ravenglass.replay.frame import Frame, LifeSpan, Metrics, TierUse, Why, Window
from ravenglass.replay.measures.breakpoints import CacheMark
from ravenglass.replay.measures.fitting.fidelity import fidelity
from ravenglass.replay.measures.fitting.fitted import Fidelity
from ravenglass.replay.measures.lifetime import remembered
from ravenglass.replay.measures.paid import paid
from ravenglass.replay.measures.prices import InputTokens
from ravenglass.replay.measures.recorded_needs import recorded_needs
from ravenglass.replay.recorded.aftermath import aftermaths
from ravenglass.replay.recorded.changelog import recorded_log
from ravenglass.replay.recorded.changes import with_shifts
from ravenglass.replay.recorded.events import EVENT_OF, recorded_events
from ravenglass.replay.recorded.manifest import RecordedManifest
from ravenglass.replay.recorded.sizes import RecordedSizes
from ravenglass.replay.recorded.why import RecordedWhy, life, taken_by, what
from ravenglass.replay.recorded.windows import RecordedWindows, window
from ravenglass.replay.run import RunKind, SimulatedRun
from ravenglass.replay.stepper import ReplayLoop
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.rules import TIERS
from ravenglass.sessions.model.session import Marker, Session, Usage
from ravenglass.tokens import CountStore
from ravenglass.trace import TraceEvent


def recorded_run(
    session: Session,
    profile: Profile | None = None,
    *,
    progress: Progress | None = None,
    store: CountStore | None = None,
) -> RecordedRun:
    """What really happened in a session. The profile gives token table, prices and quotas to compare with; it decides
    nothing. Raises ProfileError where it leaves no budget, Cancelled when cancelled."""
    inputs = Inputs.gather(session, profile or Profile(), (), progress, store)
    sizes = RecordedSizes(inputs.sizes)
    inputs = replace(inputs, sizes=sizes)
    windows = RecordedWindows(session, with_shifts(session, fidelity(session, inputs.profile)))
    return RecordedRun(inputs, recorded_log(inputs, sizes, windows, progress), sizes, windows)


@dataclass(frozen=True, slots=True)
class Applied:
    """A marker, and the first call that was made after it (calls + 1 where none was)."""

    marker: Marker
    call: int


class RecordedRun(SimulatedRun):
    """A run whose every path is `recorded`."""

    kind: RunKind = "recorded"

    def __init__(self, inputs: Inputs, log: ChangeLog, sizes: RecordedSizes, windows: RecordedWindows) -> None:
        super().__init__(inputs, log)
        self._sizes = sizes
        self.windows = windows
        self._manifest = RecordedManifest(inputs, windows)

    @cached_property
    def fidelity(self) -> Fidelity | None:
        """How well estimates meet the provider's figures; None where the record has too few of them."""
        return fidelity(self.session, self.profile)

    def usage(self, call: int) -> Usage | None:
        """What the provider reported for a call. Raises IndexError outside 1..calls."""
        self._check(call)
        return self.session.messages[self.inputs.features.calls[call - 1].message].usage

    @cached_property
    def applied(self) -> tuple[Applied, ...]:
        """What happened to the writer's window, in order: as the record says it, and as only the figures tell."""
        return tuple(Applied(marker, self.windows.first_call(marker.before)) for marker in self.windows.all_markers)

    @cached_property
    def metrics(self) -> Metrics:
        """Figures of the whole run. Cache and cost are the provider's where it reported every call."""
        made = replace(super().metrics, paid_again=self.paid_again)
        usages = [usage for call in range(1, self.calls + 1) if (usage := self.usage(call)) is not None]
        known = [(u.context, u.cache_read) for u in usages if u.context is not None and u.cache_read is not None]
        if not known or len(known) < self.calls:
            return made
        sent, cached = sum(context for context, _ in known), sum(read for _, read in known)
        price = InputTokens.of(usages).cost(self.profile)
        return replace(made, cache_hit=cached / sent if sent else 0.0, cost=price)

    def _read(self, call: int) -> tuple[int, bool]:
        warm = call > 1 and remembered(self.inputs, call)
        return self._log.cached[call - 1], warm

    def breakpoints(self, call: int) -> tuple[CacheMark, ...]:
        """None: where the writer set them is not in the record."""
        self._check(call)
        return ()

    @cached_property
    def regrets(self) -> tuple[Regret, ...]:
        """Fetches again after a loss, each with what took the source and what it cost."""
        return tuple(self._lost(regret) for regret in self._log.regrets)

    def _lost(self, regret: Regret) -> Regret:
        marker = taken_by(self.windows, regret.call, regret.message)
        found = recorded_needs(self.session, self.profile).by_call[regret.call - 1]
        need = next(one.need for one in found if one.need.kind == regret.kind and one.need.sources == regret.sources)
        cost = paid(self.inputs, regret.response, need)
        if marker is None:
            return replace(regret, paid=cost)
        return replace(regret, paid=cost, lost_at=self.windows.first_call(marker.before), by=what(marker))

    @cached_property
    def paid_again(self) -> Paid:
        """What fetches again after a loss cost, over the whole run."""
        return sum((regret.paid for regret in self.regrets if regret.paid is not None), Paid())

    @cached_property
    def aftermaths(self) -> tuple[Aftermath, ...]:
        """What each compaction or clearing took, and what came of it."""
        return aftermaths(self.inputs, self.windows)

    def markers(self) -> dict[str, tuple[int, ...]]:
        """As of any run: event name -> calls. What the writer did stands under the trace's name for it."""
        found: dict[str, list[int]] = defaultdict(list)
        for applied in self.applied:
            if applied.call <= self.calls:
                found[EVENT_OF[applied.marker.kind]].append(applied.call)
        together = super().markers()
        return together | {name: tuple(dict.fromkeys(calls)) for name, calls in found.items()}

    def _frame(self, call: int) -> Frame:
        broken = self.windows.broken_by(call)
        return replace(
            super()._frame(call),
            working_state=WorkingState(),
            changed=frozenset(self.windows.changes(call)),
            cache_break="" if broken is None else f"#{broken} {self._label(broken)}",
        )

    def _label(self, message: int) -> str:
        recorded = self.session.messages[message]
        return ", ".join(call.name for call in recorded.tool_calls[:3]) or recorded.tool_name or recorded.role

    def _tiers(self, call: int) -> tuple[TierUse, ...]:
        log, quotas = self._log, self.inputs.budget.quotas
        return tuple(TierUse(tier, log.tiers[tier][call - 1], quotas[tier], 0) for tier in TIERS)

    def window(self, call: int) -> Window:
        """The messages that the window held, in the order of the record. Raises IndexError outside 1..calls."""
        self._check(call)
        return window(self.inputs, self._sizes, self.windows, call)

    def events(self, call: int) -> tuple[TraceEvent, ...]:
        """What the writer did before the call, and what the call produced."""
        self._check(call)
        return tuple(recorded_events(self.inputs, self.windows, call))

    def why(self, call: int, message: int) -> Why:
        """What of the record put the message in or out. Raises IndexError for one that is not known yet."""
        self._check_known(call, message)
        made = RecordedWhy(self.inputs, self.windows, self._moments.get_or_make(call), message).why()
        return with_regrets(made, self.regrets)

    def life(self, message: int) -> tuple[LifeSpan, ...]:
        """In and out of the window over the calls that know the message."""
        return life(self.inputs, self.windows, message)

    def in_window(self, call: int, message: int) -> bool:
        """Whether the message was in the window of a call."""
        return 1 <= call <= self.calls and self.windows.holds(call, message)

    def state(self, call: int, message: int) -> State:
        """Active in the window, on standby outside it; registered before it is known."""
        if not 1 <= call <= self.calls or message >= self.rows(call):
            return State.REGISTERED
        return State.ACTIVE if self.windows.holds(call, message) else State.STANDBY

    def loop(self, call: int, policy: Policy | None = None) -> ReplayLoop:
        """There is none: raises RavenglassError."""
        del policy
        self._check(call)
        raise RavenglassError(
            "A recorded run has no curator to step through; step through a simulated run of the same session."
        )

    def snapshots_taken(self) -> tuple[Taken, ...]:
        """None: a recorded run takes no snapshots of ours."""
        return ()

    def snapshots(self, call: int | None = None) -> tuple[Taken, ...]:
        """None: a recorded run takes no snapshots of ours."""
        del call
        return ()
