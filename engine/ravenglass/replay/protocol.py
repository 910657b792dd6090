"""What anyone may ask of a run, whichever it is: what this engine would have done, or what really happened.

Views, measures and reports take a `Run`. Who needs to say which one it is reads `kind`; who replays on from a run needs
what only a `SimulatedRun` holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from ravenglass.curator.archive import RetrieveMode
from ravenglass.curator.loop import Policy
from ravenglass.curator.working_state.state import WorkingState
from ravenglass.hub.item import State
from ravenglass.hub.registry.entry import Registry
from ravenglass.hub.snapshots.snapshot import Snapshot, Taken
from ravenglass.hub.summary import Summary
from ravenglass.profile import Profile
from ravenglass.replay.answers.resolving import Resolved
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
    Why,
    Window,
)
from ravenglass.replay.measures.breakpoints import CacheMark
from ravenglass.replay.stepper import ReplayLoop
from ravenglass.replay.stepping.changes import Change
from ravenglass.rules import TierName
from ravenglass.scheduler.budget import Budget
from ravenglass.sessions.model.session import Session
from ravenglass.trace import TraceEvent

RunKind = Literal["simulated", "recorded"]


class Run(Protocol):
    """Immutable from outside; one thread at a time may read it. Calls are numbered from 1, and IndexError is raised
    outside 1..calls, and for a message that is not known at a call yet."""

    @property
    def kind(self) -> RunKind:
        """Who decided: this engine, or whoever wrote the session."""
        ...

    @property
    def session(self) -> Session: ...

    @property
    def profile(self) -> Profile: ...

    @property
    def changes(self) -> tuple[Change, ...]:
        """Changes made by hand, in the order of their calls; a run that has any is a branch."""
        ...

    @property
    def budget(self) -> Budget: ...

    @property
    def calls(self) -> int:
        """Number of model calls; 0 for a session without a model response."""
        ...

    @property
    def metrics(self) -> Metrics: ...

    @property
    def regrets(self) -> tuple[Regret, ...]: ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about this run; those about the file are `session.warnings`."""
        ...

    @property
    def window_tokens(self) -> Sequence[int]:
        """Window size per call, index 0 is call 1."""
        ...

    @property
    def tier_tokens(self) -> dict[TierName, Sequence[int]]: ...

    @property
    def paths(self) -> Sequence[PathName]: ...

    def markers(self) -> dict[str, tuple[int, ...]]:
        """Event name -> calls where it happened, for the timeline."""
        ...

    def cache_read(self, call: int) -> int:
        """Tokens of a call's window that come from the provider's cache."""
        ...

    def breakpoints(self, call: int) -> tuple[CacheMark, ...]:
        """Where the request of a call carries cache breakpoints, ascending; none in a recorded run."""
        ...

    def injection(self, call: int) -> Injection:
        """How much of a call's window had been sent before, and how much stands in it twice."""
        ...

    def totals(self, call: int) -> CallTotals:
        """The figures of one call, without looking at its messages."""
        ...

    def frame(self, call: int) -> Frame:
        """Everything true after a call."""
        ...

    def window(self, call: int) -> Window:
        """The exact ordered list of what a call sees."""
        ...

    def injected(self, call: int) -> WorkingState:
        """The working state that the window of a call holds; empty where it holds none."""
        ...

    def summary(self, call: int) -> Summary | None:
        """The summary in the window of a call."""
        ...

    def events(self, call: int) -> tuple[TraceEvent, ...]:
        """The trace of a call."""
        ...

    def rows(self, call: int) -> int:
        """Number of messages known at a call; their ids are 0..n-1."""
        ...

    def row(self, call: int, message: int) -> ManifestRow:
        """One manifest row right after a call."""
        ...

    def query(self, call: int, text: str = "", sort: str = "id", descending: bool = False) -> list[int]:
        """Ids of the messages known at a call that match the filter, in the order of a column. Raises FilterError."""
        ...

    def why(self, call: int, message: int) -> Why:
        """Why a message is in or out of a window at a call."""
        ...

    def life(self, message: int) -> tuple[LifeSpan, ...]:
        """States of a message over the calls that know it."""
        ...

    def state(self, call: int, message: int) -> State:
        """State of a message right after a call."""
        ...

    def registry(self, call: int) -> Registry:
        """What the hub knows of every context item right after a call."""
        ...

    def resolve(self, address: str, call: int | None = None) -> Resolved:
        """What an address stands for at a call. Raises AddressError, ArchiveError."""
        ...

    def archive(self, call: int | None = None) -> tuple[ArchiveEntry, ...]:
        """Archivings up to a call, oldest first; all of them without one."""
        ...

    def retrieve(self, ref: str, *, mode: RetrieveMode = "exact", max_tokens: int | None = None) -> Retrieved:
        """Bring back what a reference holds. Raises ArchiveError."""
        ...

    def loop(self, call: int, policy: Policy | None = None) -> ReplayLoop:
        """The curator's conversation at a call, to be stepped. Raises RavenglassError where there is none."""
        ...

    def snapshots(self, call: int | None = None) -> tuple[Taken, ...]:
        """The snapshots there are after a call, the last one by default."""
        ...

    def snapshots_taken(self) -> tuple[Taken, ...]:
        """Every snapshot that was taken."""
        ...

    def snapshot(self, taken: Taken) -> Snapshot:
        """What a snapshot of this run holds."""
        ...
