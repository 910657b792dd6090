"""Decides the calls of a growing conversation, one after the other, with the functions of the replay.

What it decides for a call depends on nothing that came later, so a replay of the finished session gives the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.curator.loop import Policy
from ravenglass.embed.archive import EngineArchive, Written
from ravenglass.embed.conversation import Conversation
from ravenglass.hub.live import Track
from ravenglass.profile import Profile
from ravenglass.replay.changes import HandChange
from ravenglass.replay.facts import Facts
from ravenglass.replay.log import Log
from ravenglass.replay.moment import stepper_before
from ravenglass.replay.recording import complete, record
from ravenglass.replay.run import Run
from ravenglass.replay.stepping import ReplayLoop
from ravenglass.store.archive import ArchiveStore
from ravenglass.trace import TraceEvent


@dataclass(frozen=True, slots=True)
class Decided:
    """What a decision added: the events of the call, and the calls that were recorded, `first` up to that one."""

    events: list[TraceEvent]
    first: int


class Decider:
    """`facts` and `log` are those of the last decision. Not thread-safe."""

    def __init__(self, conversation: Conversation, profile: Profile, policy: Policy | None) -> None:
        """Raises ProfileError where the profile leaves no budget beside the tool definitions."""
        self.log = Log([])
        self.changes: list[HandChange] = []
        self._conversation = conversation
        self._profile = profile
        self._policy = policy
        self._seen: list[int] = []
        """Messages that each recorded call was decided on."""
        self.facts = Facts.grown(conversation.snapshot(next_call=True), profile, None)

    @property
    def current(self) -> bool:
        """Whether the next call is decided, and on every message there is."""
        return bool(self._seen) and self._seen[-1] == len(self._conversation)

    def advance(self, store: ArchiveStore | None, written: Written) -> Decided:
        """Decide the next call, and before it those that others made: assistant messages that were only observed."""
        facts = Facts.grown(self._conversation.snapshot(next_call=True), self._profile, self.facts, self.changes)
        self.facts, log = facts, self.log
        while log.calls and self._seen[-1] != facts.features.boundary(log.calls):
            log.forget_last()
            self._seen.pop()
        log.tracks.extend(Track() for _ in range(len(log.tracks), len(facts.features.groups)))
        first, last = log.calls + 1, len(facts.features.calls)
        self._catch_up(last)
        archive = EngineArchive(facts, log, store, written, facts.time_of(last))
        loop = ReplayLoop(facts, log, archive, last, self._policy)
        events = loop.run()
        assert loop.result is not None
        assert loop.view is not None
        record(facts, log, loop.stepper, loop.view, loop.result)
        self._seen.append(facts.features.boundary(last))
        return Decided(events, first)

    def _catch_up(self, last: int) -> None:
        facts, log = self.facts, self.log
        if log.calls + 1 >= last:
            return
        stepper = stepper_before(facts, log, log.calls + 1)
        for call in range(log.calls + 1, last):
            view = stepper.intake(call)
            if stepper.is_fast(view):
                result = stepper.pass_fast(view)
            else:
                result = stepper.accept(view, *stepper.decide(view), "slow")
            record(facts, log, stepper, view, result)
            self._seen.append(facts.features.boundary(call))

    def run(self) -> Run:
        """The answered calls as a run of their own, which later decisions do not change."""
        session = self._conversation.snapshot(next_call=False)
        facts = Facts.grown(session, self._profile, self.facts, self.changes)
        log = self.log.copy()
        while log.calls > len(facts.features.calls):
            log.forget_last()
        log.tracks.extend(Track() for _ in range(len(log.tracks), len(facts.features.groups)))
        complete(facts, log)
        return Run(facts, log)

    def pin(self, message: int, *, pinned: bool) -> None:
        """Pin or unpin a message's group from the next call on that is not decided yet."""
        answered = self._conversation.answered
        call = answered + (2 if self.log.calls > answered else 1)
        self.changes = [*self.changes, HandChange(call, "pin" if pinned else "unpin", message)]
