"""Replays a session with a policy that is asked at every slow path, as a running engine asks it.

The conversations are kept with the run: its trace holds what was really asked and answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ravenglass.curator.loop import Policy
from ravenglass.errors import Cancelled
from ravenglass.hub.live import Track
from ravenglass.profile import Profile
from ravenglass.replay.answers.archived import VirtualArchive
from ravenglass.replay.answers.notes import Notes
from ravenglass.replay.asking.spent import Spent, spent_words
from ravenglass.replay.commit import add_call, complete
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepper import ReplayLoop
from ravenglass.replay.stepping.changelog import ChangeLog, Made
from ravenglass.replay.stepping.changes import Change
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.sessions.model.session import Session
from ravenglass.trace import TraceEvent

if TYPE_CHECKING:
    from ravenglass.curator.policies.endpoint import Endpoint

PolicyFor = Callable[[int], Policy | None]
"""Call -> who is asked at it; None: the planner."""


Watching = Callable[[int, Spent], bool]
"""Told after each answer and each call with what was spent so far; False cancels."""


class AskedRun(SimulatedRun):
    """A run whose slow paths were answered by a policy. `spent`: what its endpoint was asked; `asked`: who answered."""

    notes: tuple[str, ...] = ()
    """Sentences on where nobody did."""
    endpoint: Endpoint | None = None
    """Whose prices hold for what was spent."""

    def __init__(
        self,
        inputs: Inputs,
        log: ChangeLog,
        told: dict[int, tuple[TraceEvent, ...]],
        spent: Spent,
        asked: str = "",
    ) -> None:
        super().__init__(inputs, log)
        self._told = told
        self.spent, self.asked = spent, asked

    @property
    def answered(self) -> tuple[int, ...]:
        """Calls at which the policy was asked, ascending."""
        return tuple(sorted(self._told))

    @property
    def spent_sentence(self) -> str:
        """What its endpoint was asked and took, in words."""
        return spent_words(self.spent, self.endpoint)

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*super().warnings, *self.notes)

    def twin(self) -> AskedRun:
        """The same run once more, to be asked in another thread; nobody is asked again."""
        made = AskedRun(self.inputs, self._log.copy(), self._told, self.spent, self.asked)
        made.notes, made.endpoint = self.notes, self.endpoint
        return made

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
    asked: str = "",
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
            if spent.add(event) and watching is not None and not watching(call, spent):
                raise _cancelled(call)
        assert loop.result is not None
        assert loop.view is not None
        inputs = loop.inputs
        add_call(inputs, log, loop.stepper, loop.view, loop.result)
        if loop.conversation is not None and loop.result.assembled is not None and policy is not None:
            log.made[call] = Made(loop.result.assembled, loop.result.path, loop.result.reason)
            told[call] = tuple(loop.events)
        if watching is not None and not watching(call, spent):
            raise _cancelled(call)
    complete(inputs, log)
    return AskedRun(inputs, log, told, spent, asked)


def _cancelled(call: int) -> Cancelled:
    return Cancelled(f"The replay was cancelled at call {call:,}; nothing was changed.")
