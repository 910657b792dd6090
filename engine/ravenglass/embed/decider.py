"""Decides the calls of a growing conversation, one after the other, with the functions of the replay.

What it decides for a call depends on nothing that came later, so a replay of the finished session gives the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ravenglass.curator.loop import Policy
from ravenglass.curator.summary.build import Transcript
from ravenglass.curator.working_state.edits import ListName, checked
from ravenglass.curator.working_state.state import WorkingState
from ravenglass.embed.archive import EngineArchive, Written
from ravenglass.embed.conversation import RunningConversation
from ravenglass.embed.decision_record import CallRecord, fits, put_back, record_of
from ravenglass.embed.files.decision_log import Kept
from ravenglass.embed.growing.facts import GrowingFacts
from ravenglass.hub.live import Live, Track
from ravenglass.hub.sizes import Sizes
from ravenglass.hub.snapshots.snapshot import Taken
from ravenglass.profile import Profile
from ravenglass.replay.answers.notes import Notes
from ravenglass.replay.answers.registering import carry_over
from ravenglass.replay.answers.windows import MadeMessages, window
from ravenglass.replay.commit import add_call, complete
from ravenglass.replay.frame import Window
from ravenglass.replay.measures.breakpoints import Breakpoints
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepper import ReplayLoop
from ravenglass.replay.stepping.changelog import ChangeLog, Made
from ravenglass.replay.stepping.changes import (
    Change,
    Compaction,
    FileChange,
    HandChange,
    Rating,
    StateEdit,
    StateUpdate,
    compaction,
    is_a_curators,
)
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import stepper_before
from ravenglass.replay.stepping.step import Stepper
from ravenglass.store.archive.store import ArchiveStore
from ravenglass.trace import TraceEvent


@dataclass(frozen=True, slots=True)
class Decided:
    """What a decision added: the events of the call `last`, and to the log the calls `first` to `last`."""

    events: list[TraceEvent]
    first: int
    last: int


class Decider:
    """`log` holds the calls decided so far. Not thread-safe: the engine that owns it holds a lock."""

    def __init__(
        self, conversation: RunningConversation, profile: Profile, policy: Policy | None, transcript: Transcript
    ) -> None:
        """Raises ProfileError where the profile leaves no budget beside the tool definitions."""
        self.log = ChangeLog([])
        self.changes: list[Change] = []
        """Pins by hand, and what a policy made of the working state."""
        self._conversation = conversation
        self._profile = profile
        self._policy = policy
        self._transcript = transcript
        self._seen: list[int] = []
        """Messages that each call of the log was decided on."""
        self._facts = GrowingFacts(conversation.pattern(), profile, transcript)
        self._inputs = self._facts.inputs(())
        self._read = 0
        """Messages that `_inputs` are about."""
        self._stepper: Stepper | None = None
        """Stands after the call `_at`, with the facts of when that was decided."""
        self._at = 0
        self._made: MadeMessages = {}
        self._made_of: Sizes | None = None
        """The sizes that the messages of the latest window, `_made`, were made with."""
        _make_room(self._inputs, self.log)
        self._notes = Notes(lambda _: self._inputs, self.log)
        self._breakpoints = Breakpoints(lambda _: self._inputs, self.log)

    def go_on(self, kept: Kept) -> None:
        """Take over what was decided before a pause, as far as it is about the messages there are; the rest is decided
        again."""
        count = len(self._conversation)
        self.changes[:] = [c for c in kept.changes if not isinstance(c, HandChange | FileChange) or c.message < count]
        features, log = self.inputs.features, self.log
        live = Live(len(log.tracks))
        for record in kept.calls:
            known = record.call <= len(features.calls) and record.seen == features.boundary(record.call)
            if not known or not fits(record, log, features.known[record.call]):
                break
            put_back(log, record, live)
            self._seen.append(record.seen)
            if record.update is not None:
                self.changes.append(record.update)
            rated = record.made.assembled.relevance.items() if record.made is not None else ()
            self.changes += [Rating(record.call, features.groups[g].messages[0], value) for g, value in sorted(rated)]

    def records(self, decided: Decided) -> list[CallRecord]:
        """What was decided, to be written down."""
        updates = {c.call: c for c in self.changes if isinstance(c, StateUpdate)}
        calls = range(decided.first, decided.last + 1)
        return [record_of(self.log, call, self._seen[call - 1], updates.get(call)) for call in calls]

    @property
    def next_call(self) -> int:
        """The first call that a change by hand can be about."""
        answered = self._conversation.answered
        return answered + (2 if self.log.calls > answered else 1)

    @property
    def next_to_answer(self) -> int:
        """The first call that is not answered yet."""
        return self._conversation.answered + 1

    def compact(self, target: float | None) -> Change:
        """Ask for a slow path at the next call, which is decided anew where it was decided. Raises PlanError."""
        change = compaction(self.next_to_answer, target, self._inputs.budget)
        self.decide_anew([change])
        return change

    def decide_anew(self, changes: Sequence[FileChange | Compaction]) -> None:
        """Changes at the next call. If it is decided, but was not answered yet, it is decided anew."""
        if changes:
            while self.log.calls > self._conversation.answered:
                self._forget_last()
            self.changes[:] = _still_made(self.changes, self.log)
            self.changes.extend(changes)

    @property
    def current(self) -> bool:
        """Whether the next call is decided, and on every message there is."""
        return bool(self._seen) and self._seen[-1] == len(self._conversation)

    @property
    def inputs(self) -> Inputs:
        """About every message there is, with the next call as the last one."""
        count = len(self._conversation)
        if self._read != count or set(self._inputs.changes) != set(self.changes):
            self._inputs = self._grown() if self._facts.lost or not self._facts.grow(self._conversation.messages) else (
                self._facts.inputs(self.changes)
            )  # fmt: skip
            self._read = count
            _make_room(self._inputs, self.log)
        return self._inputs

    def _grown(self) -> Inputs:
        """Found anew: a message came that changes how earlier ones belong together."""
        known, session = self._inputs, self._conversation.snapshot(next_call=True)
        found = Inputs.grown(session, self._profile, known, self.changes, self._transcript)
        carry_over(known, found)
        return found

    def advance(self, store: ArchiveStore | None, written: Written) -> Decided:
        """Decide the next call, and before it those that others made: assistant messages that were only observed.

        A call that was decided on fewer messages than it turned out to have is decided anew.
        """
        inputs, log = self.inputs, self.log
        while log.calls and self._seen[-1] != inputs.features.boundary(log.calls):
            self._forget_last()
        self.changes[:] = _still_made(self.changes, log)
        inputs = self.inputs
        first, last = log.calls + 1, len(inputs.features.calls)
        if self._breakpoints.calls >= first:
            self._breakpoints.forget(first)
        stepper = self._stand(inputs)
        self._go_on(inputs, stepper, last - 1)
        archive = EngineArchive(inputs, log, store, written, inputs.time_of(last))
        loop = ReplayLoop(inputs, log, archive, last, self._policy, self._notes, stepper)
        events = loop.run()
        assert loop.result is not None
        assert loop.view is not None
        if loop.update is not None:
            self.changes.append(loop.update)
        if loop.update is not None or loop.ratings:
            self.changes.extend(loop.ratings)
            self._inputs = inputs = loop.inputs
        add_call(inputs, log, loop.stepper, loop.view, loop.result)
        self._stepper, self._at = loop.stepper, last
        if loop.update is None and self._notes.mean is not None and self._notes.mean[0] == last:
            log.importance[last] = self._notes.mean[1]
        if self._policy is not None and loop.result.assembled is not None:
            log.made[last] = Made(loop.result.assembled, loop.result.path, loop.result.reason)
        self._seen.extend(inputs.features.boundary(call) for call in range(first, last + 1))
        return Decided(events, first, last)

    def _stand(self, inputs: Inputs) -> Stepper:
        """Who stands after the latest call of the log: the one of the decision before, where that is still right."""
        log, stepper, changed = self.log, self._stepper, self._facts.changed_since()
        self._stepper = None  # until the decision is made
        known = inputs.features.known[log.calls]
        if changed is not None and changed < known:
            log.importance.pop(log.calls, None)
            stepper = None
        if stepper is None or self._at != log.calls:
            return stepper_before(inputs, log, log.calls + 1)
        stepper.grow(inputs)
        return stepper

    def _go_on(self, inputs: Inputs, stepper: Stepper, last: int) -> None:
        """Record the calls up to `last` that are not in the log, with the planner."""
        for call in range(self.log.calls + 1, last + 1):
            view, result = stepper.advance(call)
            add_call(inputs, self.log, stepper, view, result)

    def _forget_last(self) -> None:
        """Take back the latest call, which is to be decided anew."""
        log, stepper, call = self.log, self._stepper, self.log.calls
        changed = log.changed.get(call, ())
        log.forget_last()
        self._seen.pop()
        if stepper is not None and self._at == call:
            version = log.versions[-1] if log.calls else -1
            stepper.back(log.tracks, changed, log.calls, version, log.summary(log.calls))
            self._at = log.calls

    def window(self) -> Window:
        """The window of the latest decided call."""
        inputs, log = self.inputs, self.log
        if self._made_of is not inputs.sizes:
            self._made, self._made_of = {}, inputs.sizes
        return window(inputs, log, log.calls, self._breakpoints.marks(log.calls), self._made)

    def snapshots(self) -> list[Taken]:
        """Every snapshot taken so far, oldest first, also those that retention has dropped."""
        return self._notes.taken(self.log.calls)

    def run(self, store: ArchiveStore | None, written: Written) -> SimulatedRun:
        """The answered calls as a run of their own, which later decisions do not change."""
        session = self._conversation.snapshot(next_call=False)
        inputs = Inputs.grown(session, self._profile, self.inputs, self.changes, self._transcript)
        log, seen = self.log.copy(), list(self._seen)
        while log.calls > len(inputs.features.calls):
            log.forget_last()
            seen.pop()
        _forget_outdated(inputs, log, seen)
        inputs = replace(inputs, changes=tuple(_still_made(inputs.changes, log)))
        _catch_up(inputs, log, len(inputs.features.calls))
        complete(inputs, log)
        return SimulatedRun(inputs, log, EngineArchive(inputs, log, store, dict(written), inputs.session.ended))

    def pin(self, message: int, *, pinned: bool) -> Change:
        """Pin or unpin a message's group from the next call on that is not decided yet."""
        change = HandChange(self.next_call, "pin" if pinned else "unpin", message)
        self.changes.append(change)
        return change

    @property
    def _state(self) -> WorkingState:
        """The working state of the next call that is not decided yet."""
        return self.inputs.working_state(self.inputs.version_at(self.next_call))

    def noted(self, name: ListName, text: str) -> bool:
        """Whether the working state of the next call has this line already."""
        line = " ".join(text.split())
        return any(line == known.text for known in getattr(self._state, name))

    def note(self, name: ListName, text: str) -> Change:
        """Add a line to the working state from the next call on that is not decided yet. Raises PlanError."""
        edit = checked(StateEdit(self.next_call, name, after=text), self._state, self._profile)
        self.changes.append(edit)
        return edit


def _make_room(inputs: Inputs, log: ChangeLog) -> None:
    log.tracks.extend(Track() for _ in range(len(log.tracks), len(inputs.features.groups)))


def _forget_outdated(inputs: Inputs, log: ChangeLog, seen: list[int]) -> None:
    """Only the latest call can have been decided before all of its messages were there."""
    while log.calls and seen[-1] != inputs.features.boundary(log.calls):
        log.forget_last()
        seen.pop()


def _still_made(changes: Iterable[Change], log: ChangeLog) -> list[Change]:
    """Changes without what a curator made at a call that is to be decided anew."""
    return [change for change in changes if not is_a_curators(change) or change.call <= log.calls]


def _catch_up(inputs: Inputs, log: ChangeLog, last: int) -> None:
    """Record the calls up to `last` that are not in the log, with the planner."""
    if log.calls >= last:
        return
    stepper = stepper_before(inputs, log, log.calls + 1)
    for call in range(log.calls + 1, last + 1):
        view, result = stepper.advance(call)
        add_call(inputs, log, stepper, view, result)
