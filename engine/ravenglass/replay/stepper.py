"""The curator's conversation at one call of a replay, event by event, ending in the same window as the bulk replay."""

from __future__ import annotations

from collections.abc import Iterator

from ravenglass.curator.desk import Desk
from ravenglass.curator.loop import CuratorLoop, Policy
from ravenglass.curator.memory import memory_beside
from ravenglass.curator.policies.planner import Planner
from ravenglass.hub.live import Live
from ravenglass.replay.answers.archived import VirtualArchive
from ravenglass.replay.answers.events import Tracer
from ravenglass.replay.answers.notes import Notes
from ravenglass.replay.frame import PathName
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.changes import Rating, StateUpdate
from ravenglass.replay.stepping.hand_plans import HandPolicy
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Rerun, stepper_before
from ravenglass.replay.stepping.outcome import CallResult
from ravenglass.replay.stepping.step import Stepper
from ravenglass.scheduler.view import View
from ravenglass.trace import TraceEvent


class ReplayLoop:
    """Steps through everything that happens at one call: intake, path, conversation, outcome.

    `step()` returns one event a call and None at the end; `events` are those so far; `result` is there when `done`.
    """

    def __init__(
        self,
        inputs: Inputs,
        log: ChangeLog,
        archive: VirtualArchive,
        call: int,
        policy: Policy | None = None,
        notes: Notes | None = None,
        stepper: Stepper | None = None,
    ) -> None:
        """`stepper`: one that stands right before the call and that the loop may take over; else one is made."""
        self.call = call
        self.events: list[TraceEvent] = []
        self.result: CallResult | None = None
        self.conversation: CuratorLoop | None = None
        """The curator's loop, once the slow path has begun."""
        self.update: StateUpdate | None = None
        """What the accepted plan made of the working state: a change that the calls from this one on are under."""
        self.ratings: tuple[Rating, ...] = ()
        """What it made of the relevance of messages: changes that the calls behind this one are under."""
        self.inputs = inputs
        """With the update, once there is one."""
        self._archive = archive
        self._policy = policy or _policy(inputs, call)
        self._notes = notes or Notes.of(inputs, log)
        self.stepper = stepper_before(inputs, log, call) if stepper is None else stepper
        """Carries the state of every group as far as the loop has come."""
        self.view: View | None = None
        """What was decided on, once the intake is done."""
        self._script = self._run()

    @property
    def done(self) -> bool:
        return self.result is not None and self._exhausted

    _exhausted = False

    @property
    def live(self) -> Live:
        """State of every group as far as the loop has come."""
        return self.stepper.live

    def step(self) -> TraceEvent | None:
        """The next event, or None when the call is over."""
        event = next(self._script, None)
        if event is None:
            self._exhausted = True
        else:
            self.events.append(event)
        return event

    def run(self) -> list[TraceEvent]:
        """Step to the end; returns all events."""
        while self.step() is not None:
            pass
        return self.events

    def _run(self) -> Iterator[TraceEvent]:
        stepper, inputs = self.stepper, self.inputs
        before = (bytes(stepper.live.states), bytes(stepper.live.forms))
        view = self.view = stepper.intake(self.call)
        taken = (bytes(stepper.live.states), bytes(stepper.live.forms))
        history = stepper.pressure
        fast = stepper.is_fast(view)
        draft = Rerun(before, taken, taken, view, stepper.draft(view), history)
        yield from Tracer(inputs, self._archive, draft, self._notes).start()
        if fast:
            result = stepper.pass_fast(view)
        else:
            found = inputs.working_state(inputs.version_at(self.call))
            desk = Desk(view, self._archive, found, self._policy.name, memory_beside(inputs.session.path))
            self.conversation = loop = CuratorLoop(desk, self._policy)
            while True:
                event = loop.step()
                if event is None:
                    break
                yield TraceEvent(event.body, self.call, self._ts, event.messages)
            assert loop.assembled is not None
            if loop.assembled.working_state is not None:
                self.update = StateUpdate(self.call, found, loop.assembled.working_state)
                inputs = self.inputs = stepper.inputs = inputs.with_change(self.update)
            groups = inputs.features.groups
            rated = sorted(loop.assembled.relevance.items())
            self.ratings = tuple(Rating(self.call, groups[g].messages[0], value) for g, value in rated)
            for rating in self.ratings:
                inputs = self.inputs = stepper.inputs = inputs.with_change(rating)
            path: PathName = "fail_safe" if loop.failed_safe else "slow"
            result = stepper.accept(view, desk.decision, loop.assembled, path, loop.reason)
        after = (bytes(stepper.live.states), bytes(stepper.live.forms))
        self.result = result
        rerun = Rerun(before, taken, after, view, result, history)
        yield from Tracer(inputs, self._archive, rerun, self._notes).ending()

    @property
    def _ts(self) -> float | None:
        return self.inputs.time_of(self.call)


def _policy(inputs: Inputs, call: int) -> Policy:
    """Who answered at a call of the replay: the person who made a plan for it, else the planner."""
    made = inputs.plans.get(call)
    return Planner() if made is None else HandPolicy(made)
