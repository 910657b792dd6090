"""A simulated run: one replay of one session under one Profile, with random access by call.

Holds the log of changes and makes frames, windows, manifest rows and explanations from it on demand. Never
changes after it was made; a changed profile or a change by hand makes another run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ravenglass.curator.archive import RetrieveMode
from ravenglass.curator.loop import Policy
from ravenglass.curator.working_state.state import WorkingState
from ravenglass.hub.item import Form, State
from ravenglass.hub.live import Live
from ravenglass.hub.registry.entry import Registry
from ravenglass.hub.snapshots.snapshot import Snapshot, Taken, kept
from ravenglass.hub.summary import Summary
from ravenglass.profile import Profile
from ravenglass.replay.answers.archived import VirtualArchive
from ravenglass.replay.answers.events import Tracer
from ravenglass.replay.answers.manifest import Manifest
from ravenglass.replay.answers.markers import markers
from ravenglass.replay.answers.notes import Notes, arrivals_of
from ravenglass.replay.answers.registering import registry
from ravenglass.replay.answers.regretted import with_regrets
from ravenglass.replay.answers.resolving import Resolved, Resolver
from ravenglass.replay.answers.snapshots import snapshot
from ravenglass.replay.answers.warning import warnings_of
from ravenglass.replay.answers.why import Explainer, life
from ravenglass.replay.answers.windows import first_break, window
from ravenglass.replay.figures import Injection, Regret
from ravenglass.replay.frame import (
    ArchiveEntry,
    CallTotals,
    Frame,
    LifeSpan,
    ManifestRow,
    Metrics,
    PathName,
    Retrieved,
    TierUse,
    Why,
    Window,
)
from ravenglass.replay.measures.breakpoints import Breakpoints, CacheMark
from ravenglass.replay.measures.injection import injections
from ravenglass.replay.measures.losses import Losses
from ravenglass.replay.measures.metrics import metrics
from ravenglass.replay.protocol import Run, RunKind
from ravenglass.replay.recent import Recent
from ravenglass.replay.stepper import ReplayLoop
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.changes import Change
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Moment, Rerun, rerun
from ravenglass.rules import TIERS, TierName
from ravenglass.scheduler.budget import Budget
from ravenglass.sessions.model.session import Session
from ravenglass.trace import TraceEvent
from ravenglass.trace.items import RolledBack

__all__ = ["Run", "RunKind", "SimulatedRun"]

_LOOK_BACK = 8
"""Slow paths that are looked at to find the one that last ranked a group."""


class SimulatedRun:
    """What this engine would have made of a session. It answers as a `Run` does."""

    kind: RunKind = "simulated"

    def __init__(
        self,
        inputs: Inputs,
        log: ChangeLog,
        archive: VirtualArchive | None = None,
        arrivals: dict[int, RolledBack] | None = None,
    ) -> None:
        self.inputs = inputs
        self.arrivals = arrivals_of(inputs.changes) | (arrivals or {})
        """Calls that follow a rollback, each with what the trace says of it."""
        self._log = log
        self.archive_view = archive or VirtualArchive(inputs, log)
        self._manifest = Manifest(inputs)
        self._resolver = Resolver(inputs, log)
        self._notes = Notes(self.facts_at, log, self.arrivals)
        self._moments: Recent[Moment] = Recent(lambda call: Moment(inputs, log, call), 8)
        self._reruns: Recent[Rerun] = Recent(self._rerun, 16)
        self._breakpoints = Breakpoints(self.facts_at, log)
        self._frames: Recent[Frame] = Recent(self._frame, 64)

    @property
    def session(self) -> Session:
        return self.inputs.session

    asked = ""
    """Who answered the slow paths in the planner's place, where someone did."""

    at = 1
    """The first call that is this run's own; of a branch, where it begins."""

    def twin(self) -> SimulatedRun:
        """The same run once more, to be asked in another thread."""
        return SimulatedRun(self.inputs, self._log.copy())

    def facts_at(self, call: int) -> Inputs:  # noqa: ARG002 - a branch answers by the call
        """The facts that hold at a call; those of a branch change where it begins."""
        return self.inputs

    def rerun(self, call: int) -> Rerun:
        """A call run again from the state before it."""
        return self._reruns.get_or_make(call)

    def _rerun(self, call: int) -> Rerun:
        return rerun(self.inputs, self._log, call)

    def log_before(self, call: int) -> ChangeLog:
        """A log that ends before a call, to replay on from there."""
        log = self._log.copy()
        while log.calls >= call:
            log.forget_last()
        return log

    @property
    def profile(self) -> Profile:
        return self.inputs.profile

    @property
    def changes(self) -> tuple[Change, ...]:
        """Changes made by hand; a run that has any is a branch."""
        return self.inputs.changes

    @property
    def budget(self) -> Budget:
        return self.inputs.budget

    @property
    def calls(self) -> int:
        """Number of model calls; 0 for a session without a model response."""
        return len(self._log.paths)

    @cached_property
    def metrics(self) -> Metrics:
        together = sum(self._injections, Injection())
        return metrics(self.inputs, self._log, self.losses, self._read, together)

    def _read(self, call: int) -> tuple[int, bool]:
        read = self._breakpoints.read(call)
        return read or 0, read is not None

    def cache_read(self, call: int) -> int:
        """Tokens of a call's window that come from the provider's cache."""
        self._check(call)
        return self._read(call)[0]

    def breakpoints(self, call: int) -> tuple[CacheMark, ...]:
        """Where the request of a call carries cache breakpoints, ascending."""
        self._check(call)
        return self._breakpoints.marks(call)

    @cached_property
    def _injections(self) -> list[Injection]:
        return injections(self.facts_at, self._log)

    def injection(self, call: int) -> Injection:
        """How much of a call's window had been sent before, and how much stands in it twice."""
        self._check(call)
        return self._injections[call - 1]

    @cached_property
    def losses(self) -> Losses:
        """When messages left the windows of this run, and what did it."""
        return Losses(self.facts_at, self._log)

    @cached_property
    def regrets(self) -> tuple[Regret, ...]:
        """Needs that the windows put at risk, in the order of the calls, each with when its source was lost and to
        what."""
        return tuple(self._lost(regret) for regret in self._log.regrets)

    def _lost(self, regret: Regret) -> Regret:
        lost = self.losses.since(regret.call, regret.message)
        return replace(regret, lost_at=lost, by=self.losses.by(lost, regret.message) if lost else "")

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about this run; those about the file are `session.warnings`."""
        return warnings_of(self._log, self.budget)

    @property
    def window_tokens(self) -> Sequence[int]:
        """Window size per call, index 0 is call 1."""
        return self._log.tokens

    @property
    def tier_tokens(self) -> dict[TierName, Sequence[int]]:
        return dict(self._log.tiers)

    @property
    def paths(self) -> Sequence[PathName]:
        return self._log.paths

    def markers(self) -> dict[str, tuple[int, ...]]:
        """Event name -> calls where it happened, for the timeline."""
        return markers(self._log, tuple(self.arrivals), [taken.step for taken in self.snapshots_taken()])

    def totals(self, call: int) -> CallTotals:
        """The figures of one call, without looking at its messages. Raises IndexError outside 1..calls."""
        self._check(call)
        log, i = self._log, call - 1
        archived = log.archived.get(call, {})
        return CallTotals(
            call, log.paths[i], log.tokens[i], {t: log.tiers[t][i] for t in TIERS}, log.included[i],
            log.evicted.get(call, 0), sum(len(self.inputs.features.groups[g].messages) for g in archived),
        )  # fmt: skip

    def _check(self, call: int) -> None:
        if not 1 <= call <= self.calls:
            raise IndexError(f"call {call} is not between 1 and {self.calls}")

    def _check_known(self, call: int, message: int) -> None:
        self._check(call)
        if not 0 <= message < self.rows(call):
            raise IndexError(f"message {message} is not known at call {call}")

    def frame(self, call: int) -> Frame:
        """Everything true after a call. Raises IndexError outside 1..calls."""
        self._check(call)
        return self._frames.get_or_make(call)

    def _frame(self, call: int) -> Frame:
        inputs, log, i = self.inputs, self._log, call - 1
        version, told = inputs.version_at(call), log.summary(call)
        prompt = inputs.standing.prompt_at[call]
        response = inputs.features.calls[i].message
        groups = inputs.features.groups
        changed = frozenset(
            m for g in log.changed.get(call, ()) for m in groups[g].messages if m < inputs.features.boundary(call)
        )
        return Frame(
            call=call, path=log.paths[i], tokens=log.tokens[i], history_tokens=log.history[i], tiers=self._tiers(call),
            working_state_tokens=inputs.rendered(log.versions[i])[1], included=log.included[i],
            evicted=log.evicted.get(call, 0),
            archived=sum(len(groups[g].messages) for g in log.archived.get(call, {})),
            known=inputs.features.boundary(call),
            task=inputs.standing.task_of[inputs.features.known[call] - 1] if inputs.features.known[call] else 0,
            user_message=None if prompt is None else groups[prompt].messages[0], response=response,
            ts=inputs.time_of(call), working_state=inputs.working_state(version), changed=changed,
            cache_hit=self._read(call)[0] / log.tokens[i] if log.tokens[i] else 0.0, injection=self.injection(call),
            cache_break=first_break(inputs, log, call), impossible=call in log.impossible,
            summary_tokens=told.tokens if told is not None else 0, summary_call=told.call if told is not None else 0,
        )  # fmt: skip

    def _tiers(self, call: int) -> tuple[TierUse, ...]:
        inputs, log = self.inputs, self._log
        view = inputs.view(call, Live(0))  # what is asked of it does not depend on where groups stand
        exempt = dict.fromkeys(TIERS, 0)
        for g in view.protected | set(inputs.standing.pins) | view.hand.pins:
            track = log.tracks[g]
            if g < view.known and (form := track.form_at(call)) and (g in view.protected or view.is_pinned(g)):
                exempt[inputs.standing.tier[g]] += view.tokens(g, form, track.cap_at(call))
        return tuple(TierUse(t, log.tiers[t][call - 1], inputs.budget.quotas[t], exempt[t]) for t in TIERS)

    def window(self, call: int) -> Window:
        """The exact ordered list of what a call sees."""
        self._check(call)
        return window(self.inputs, self._log, call, self.breakpoints(call))

    def injected(self, call: int) -> WorkingState:
        """The working state that the window of a call holds: that of the last slow path; empty where it holds none."""
        self._check(call)
        return self.facts_at(call).working_state(self._log.versions[call - 1])

    def summary(self, call: int) -> Summary | None:
        """The summary in the window of a call: that of the last slow path, where it made one."""
        self._check(call)
        return self._log.summary(call)

    def events(self, call: int) -> tuple[TraceEvent, ...]:
        """The trace of a call, one event for every decision."""
        self._check(call)
        return Tracer(self.inputs, self.archive_view, self._reruns.get_or_make(call), self._notes).events()

    def rows(self, call: int) -> int:
        """Number of messages known at a call; their ids are 0..n-1."""
        return self.inputs.features.boundary(call) if 1 <= call <= self.calls else 0

    def row(self, call: int, message: int) -> ManifestRow:
        """One manifest row right after a call. Raises IndexError for a message that is not known yet."""
        self._check_known(call, message)
        g = self.session.structure.group_of[message]
        return self._manifest.row(self._moments.get_or_make(call), message, self.archive_view.ref_of(g, call))

    def query(self, call: int, text: str = "", sort: str = "id", descending: bool = False) -> list[int]:
        """Ids of the messages known at a call that match the filter, in the order of a column. Raises FilterError."""
        if not 1 <= call <= self.calls:
            return []
        return self._manifest.query(self._moments.get_or_make(call), text, sort, descending)

    def why(self, call: int, message: int) -> Why:
        """Why a message is in or out of a window at a call. Raises IndexError for one that is not known yet."""
        self._check_known(call, message)
        ruling = self._ruling(call, self.session.structure.group_of[message])
        facts = self.inputs if ruling is None else self.facts_at(ruling.result.call)
        made = Explainer(self.inputs, self._log, self._moments.get_or_make(call), ruling, facts, message).why()
        return with_regrets(made, self.regrets)

    def _ruling(self, call: int, group: int) -> Rerun | None:
        """The slow path that decided on a group, seen from a call: the latest that ranked it or let it in, else the
        one where it left."""
        track = self._log.tracks[group]
        slow = [c for c in range(call, 0, -1) if self._log.paths[c - 1] != "fast"]
        if not slow:
            return None
        left = track.out_since(call)
        for decided in [c for c in slow if c >= left][:_LOOK_BACK]:
            if left and self._stayed_settled(group, decided):
                continue  # running a call again is dear, and this one cannot have ranked the group
            ruling = self._reruns.get_or_make(decided)
            decision = ruling.result.decision
            if not left or (decision is not None and group in decision.ranks):
                return ruling
        return self._reruns.get_or_make(left if left in slow else slow[0])

    def _stayed_settled(self, group: int, call: int) -> bool:
        """Whether a group was archived or expired before a call and the same after it: then it was no candidate at it.
        What comes back at a call and is cut at it again ends on standby."""
        track = self._log.tracks[group]
        before, after = track.state_at(call - 1), track.state_at(call)
        return before == after and after in (State.EXPIRED, State.ARCHIVED)

    def life(self, message: int) -> tuple[LifeSpan, ...]:
        """States of a message over the calls that know it."""
        return life(self.inputs, self._log, self.session.structure.group_of[message])

    def in_window(self, call: int, message: int) -> bool:
        """Whether a message is in the window of a call."""
        track = self._log.tracks[self.session.structure.group_of[message]]
        form = track.form_at(call)
        if form is Form.SHRUNK and message < self.rows(call):
            return any(block.id == message for block in self.window(call).messages)
        return form is not Form.OUT and message < self.rows(call)

    def state(self, call: int, message: int) -> State:
        """State of a message right after a call."""
        return self._log.tracks[self.session.structure.group_of[message]].state_at(call)

    def registry(self, call: int) -> Registry:
        """What the hub knows of every context item right after a call."""
        self._check(call)
        return registry(self.inputs, self._log, self._moments.get_or_make(call))

    def resolve(self, address: str, call: int | None = None) -> Resolved:
        """What a `cxt://` address stands for at a call, the last one by default.

        Raises AddressError where it is no address, ArchiveError where it stands for nothing there.
        """
        call = self.calls if call is None else call
        self._check(call)
        return self._resolver.resolve(address, call)

    def archive(self, call: int | None = None) -> tuple[ArchiveEntry, ...]:
        """Archivings up to a call, oldest first; all of them without one."""
        return self.archive_view.entries(call)

    def ref(self, message: int) -> str:
        """The archive reference of a message's group, archived or not."""
        return self.archive_view.ref(self.session.structure.group_of[message])

    def retrieve(self, ref: str, *, mode: RetrieveMode = "exact", max_tokens: int | None = None) -> Retrieved:
        """Bring back what a reference holds; `max_tokens` None is the profile's cap, 0 none. Raises ArchiveError."""
        return self.archive_view.retrieve(ref, mode, max_tokens)

    def loop(self, call: int, policy: Policy | None = None) -> ReplayLoop:
        """The curator's conversation at a call, to be stepped event by event; the planner's without a policy."""
        self._check(call)
        return ReplayLoop(self.inputs, self._log, self.archive_view, call, policy, self._notes)

    def trace(self, call: int) -> Sequence[TraceEvent]:
        """The events of a call with the curator's conversation, as it is saved."""
        return self.loop(call).run()

    def snapshots(self, call: int | None = None) -> tuple[Taken, ...]:
        """The snapshots there are after a call, the last one by default: of each task the first and the latest few."""
        call = self.calls if call is None else call
        return kept(self._notes.taken(call), self.facts_at(max(call, 1)).profile.snapshot_keep)

    def snapshots_taken(self) -> tuple[Taken, ...]:
        """Every snapshot that was taken, also those that retention has deleted since."""
        return tuple(self._notes.taken(self.calls))

    def snapshot(self, taken: Taken) -> Snapshot:
        """What a snapshot of this run holds."""
        self._check(taken.step)
        return snapshot(self.facts_at(taken.step), self._log, taken.step, taken.task)
