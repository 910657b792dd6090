"""Replays a session with a policy that is asked at every slow path, as a running engine asks it.

The conversations are kept with the run: its trace holds what was really asked and answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ravenglass.curator.loop import Policy
from ravenglass.errors import Cancelled
from ravenglass.hub.live import Track
from ravenglass.profile import Profile
from ravenglass.replay.answers.archived import VirtualArchive
from ravenglass.replay.answers.notes import Notes
from ravenglass.replay.commit import add_call, complete
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepper import ReplayLoop
from ravenglass.replay.stepping.changelog import ChangeLog, Made
from ravenglass.replay.stepping.changes import Change
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.sessions.model.session import Session
from ravenglass.trace import TraceEvent
from ravenglass.trace.curating import CuratorResponse
from ravenglass.trace.payload import UNSET

PolicyFor = Callable[[int], Policy | None]
"""Call -> who is asked at it; None: the planner."""


@dataclass(slots=True)
class Spent:
    """What a policy's endpoint was asked so far. `unreported`: answers without figures, whose tokens are unknown."""

    answers: int = 0
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unreported: int = 0

    @property
    def repeats(self) -> int:
        """Requests that repeated another one."""
        return self.requests - self.answers

    def add(self, event: TraceEvent) -> bool:
        """Count an event; whether it was an endpoint's answer."""
        body = event.body
        if not isinstance(body, CuratorResponse) or body.requests is UNSET:
            return False
        self.answers += 1
        self.requests += int(body.requests)
        if body.prompt_tokens is UNSET or body.completion_tokens is UNSET:
            self.unreported += 1
        else:
            self.prompt_tokens += int(body.prompt_tokens)
            self.completion_tokens += int(body.completion_tokens)
        return True


Watching = Callable[[int, Spent], bool]
"""Told after each call with what was spent so far; False cancels."""


class AskedRun(SimulatedRun):
    """A run whose slow paths were answered by a policy. `spent`: what its endpoint was asked."""

    def __init__(self, inputs: Inputs, log: ChangeLog, told: dict[int, tuple[TraceEvent, ...]], spent: Spent) -> None:
        super().__init__(inputs, log)
        self._told = told
        self.spent = spent

    def events(self, call: int) -> tuple[TraceEvent, ...]:
        found = self._told.get(call)
        return super().events(call) if found is None else found

    def trace(self, call: int) -> Sequence[TraceEvent]:
        found = self._told.get(call)
        return super().trace(call) if found is None else found


def replay_asking(
    session: Session,
    profile: Profile,
    policy_for: PolicyFor,
    changes: Sequence[Change] = (),
    *,
    watching: Watching | None = None,
) -> AskedRun:
    """Replay with a policy. What it does wrong ends in the fail-safe at that call, never in an exception.

    Raises ProfileError where the profile leaves no budget, Cancelled when cancelled.
    """
    inputs = Inputs.gather(session, profile, changes, None, None)
    log = ChangeLog([Track() for _ in inputs.features.groups])
    told: dict[int, tuple[TraceEvent, ...]] = {}
    spent = Spent()
    for call in range(1, len(inputs.features.calls) + 1):
        policy = policy_for(call)
        loop = ReplayLoop(inputs, log, VirtualArchive(inputs, log), call, policy, Notes.of(inputs, log))
        while (event := loop.step()) is not None:
            spent.add(event)
        assert loop.result is not None
        assert loop.view is not None
        inputs = loop.inputs
        add_call(inputs, log, loop.stepper, loop.view, loop.result)
        if loop.conversation is not None and loop.result.assembled is not None and policy is not None:
            log.made[call] = Made(loop.result.assembled, loop.result.path, loop.result.reason)
            told[call] = tuple(loop.events)
        if watching is not None and not watching(call, spent):
            raise Cancelled(f"The replay was cancelled after call {call:,}; nothing was changed.")
    complete(inputs, log)
    return AskedRun(inputs, log, told, spent)
