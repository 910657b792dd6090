"""Drives a growing session through the real stepper: registrations, calls, edits, expiries, archivings, retrievals and
rollbacks in any order. What the state machine forbids must never happen, and what it left must be reachable."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ravenglass.errors import TransitionError
from ravenglass.hub.item import TRANSITIONS, State
from ravenglass.hub.live import Live, Track
from ravenglass.hub.snapshots.format import decode, encode
from ravenglass.hub.snapshots.snapshot import Snapshot
from ravenglass.profile import Profile
from ravenglass.replay.answers.registering import registry
from ravenglass.replay.answers.snapshots import restored, snapshot, task_at
from ravenglass.replay.answers.windows import window
from ravenglass.replay.bulk import run_log
from ravenglass.replay.commit import add_call, complete
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.changes import ChangeKind, HandChange
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Moment, stepper_before
from ravenglass.replay.stepping.step import Stepper
from ravenglass.rules import DEFAULT_TTL_RULES, TtlRule
from ravenglass.sessions.model.session import Message, ToolCall
from tests.engine.builders import assistant, call, filler, profiles, result, session, user
from tests.engine.replay.validity import problems
from tests.proofs import examples

Step = tuple[int, State, State]

PATHS = st.sampled_from(("src/auth.py", "/home/dev/shop/src/auth.py", "src/cart.py"))
CALLS = st.one_of(
    PATHS.map(lambda path: call("Read", file_path=path)),
    PATHS.map(lambda path: call("Edit", file_path=path, old_string="a", new_string="b")),
    PATHS.map(lambda path: call("Write", file_path=path, content="x = 1")),
    PATHS.map(lambda path: call("Bash", command=f"rm {path}")),
    st.sampled_from((call("WebFetch", url="x"), call("Grep", pattern="login"), call("Bash", command="pytest"))),
)
CHANGES = st.sampled_from(("edit", "remove", "read", "fetch"))
TEXTS = st.sampled_from(("fix login in src/auth.py", "now the cart quota", "go on", "KeyError again", "ok"))
SIZES = st.sampled_from((3, 40, 400, 1_500))
KINDS: tuple[ChangeKind, ...] = ("archive", "retrieve", "pin", "unpin", "relevance")

RAN: Counter[str] = Counter()
"""How much was tried; printed when the module is done."""


class Lifecycle(RuleBasedStateMachine):
    """An agent that talks, and a hub that follows."""

    @initialize(profile=profiles(20_000))
    def begin(self, profile: Profile) -> None:
        ttl = (TtlRule(tool="WebFetch", ttl=60), *DEFAULT_TTL_RULES)
        self.profile = profile.with_values(ttl_rules=ttl)
        self.messages: list[Message] = []
        self.changes: list[HandChange] = []
        self.held: list[tuple[bytes, Snapshot, int]] = []
        self.log = ChangeLog([])
        self.inputs: Inputs | None = None
        self.now = 1_767_225_600.0
        RAN["examples"] += 1

    def _add(self, *messages: Message) -> None:
        self.messages += [replace(m, ts=self.now) for m in messages]

    def _grown(self) -> Inputs:
        built = session(*self.messages, seconds_apart=None)
        inputs = Inputs.grown(built, self.profile, self.inputs, self.changes)
        self.log.tracks.extend(Track() for _ in range(len(self.log.tracks), len(inputs.features.groups)))
        self.inputs = inputs
        return inputs

    @rule(text=TEXTS, size=SIZES)
    def say(self, text: str, size: int) -> None:
        self._add(user(f"{text} {filler(size)}"))

    @rule(seconds=st.sampled_from((1, 30, 90)))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @rule(kind=st.sampled_from(KINDS), pick=st.integers(0, 10**6), value=st.sampled_from((0.0, 1.0)))
    def change(self, kind: ChangeKind, pick: int, value: float) -> None:
        """A change by hand, from the next call on."""
        if self.messages:
            self.changes.append(HandChange(self.log.calls + 1, kind, pick % len(self.messages), value))
            RAN["changes by hand"] += 1

    @rule(text=TEXTS)
    def answer(self, text: str) -> None:
        self._respond(text, [])

    @rule(calls=st.lists(CALLS, min_size=1, max_size=2), size=SIZES, error=st.sampled_from((False, False, True)))
    def work(self, calls: list[ToolCall], size: int, error: bool) -> None:
        self._respond("", calls)
        self._add(*(result(filler(size), error=error) for _ in calls))

    @rule(path=PATHS, size=SIZES, change=CHANGES)
    def read_and_change(self, path: str, size: int, change: str) -> None:
        """Reads a file, and changes it or asks the web for it; what was read is outdated by the first."""
        self.work([call("Read", file_path=path)], size, error=False)
        made = {
            "edit": call("Edit", file_path=path, old_string="a", new_string="b"),
            "remove": call("Bash", command=f"rm {path}"),
            "read": call("Read", file_path=path),
            "fetch": call("WebFetch", url=path),
        }
        self.work([made[change]], 3, error=False)

    def _respond(self, text: str, calls: list[ToolCall]) -> None:
        """The model answers: that is a call, which sees everything said before."""
        self._add(assistant(text, *calls))
        inputs, log = self._grown(), self.log
        number = len(inputs.features.calls)
        assert log.calls == number - 1
        stepper = stepper_before(inputs, log, number)
        before = bytes(stepper.live.states), bytes(stepper.live.forms)
        steps = _watched(stepper)
        view = stepper.intake(number)
        if stepper.is_fast(view):
            outcome = stepper.pass_fast(view)
        else:
            outcome = stepper.accept(view, *stepper.decide(view), "slow")
            RAN["slow paths"] += 1
        after = bytes(stepper.live.states)
        add_call(inputs, log, stepper, view, outcome)
        RAN["calls"] += 1
        self._check_steps(before, steps, after)
        self._check_expiries(inputs, number, after)

    def _check_steps(self, before: tuple[bytes, bytes], steps: list[Step], after: bytes) -> None:
        states = bytearray(before[0])
        for group, old, new in steps:
            assert states[group] == old
            assert new in TRANSITIONS[old]
            # Active and in the latest window: it is demoted first, and only then it may be archived.
            assert not (new is State.ARCHIVED and old is State.ACTIVE)
            states[group] = new
            RAN[f"{old.label} -> {new.label}"] += 1
        # Nothing changes a state but a step of the machine.
        assert bytes(states) == after

    def _check_expiries(self, inputs: Inputs, number: int, after: bytes) -> None:
        by_hand = {inputs.session.structure.group_of[c.message] for c in inputs.changes_at.get(number, ())}
        for group in inputs.standing.expiries.get(number, ()):
            assert after[group] in (State.EXPIRED, State.ARCHIVED) or group in by_hand

    @precondition(lambda self: self.inputs is not None)
    @rule(pick=st.integers(0, 10**6), state=st.sampled_from(State))
    def step_wrongly(self, pick: int, state: State) -> None:
        """A step that the machine does not have raises, names both states and changes nothing."""
        assert self.inputs is not None
        live = Live.restore(self.log.tracks, self.log.calls, self.inputs.features.known[self.log.calls])
        group = pick % len(live.states)
        before = State(live.states[group])
        if state is before or state in TRANSITIONS[before]:
            return
        with pytest.raises(TransitionError, match=f"{before.label} cannot become {state.label}"):
            live.move(group, state)
        assert live.states[group] == before
        assert not live.touched
        RAN["wrong steps refused"] += 1

    @precondition(lambda self: self.inputs is not None)
    @rule()
    def hold(self) -> None:
        assert self.inputs is not None
        held = snapshot(self.inputs, self.log, self.log.calls, task_at(self.inputs, self.log.calls))
        self.held.append((encode(held), held, len(self.messages)))
        RAN["snapshots"] += 1

    @precondition(lambda self: self.held)
    @rule(pick=st.integers(0, 10**6))
    def roll_back(self, pick: int) -> None:
        """Everything after the snapshot's call is forgotten, and another future begins."""
        data, held, said = self.held[pick % len(self.held)]
        there = decode(data)
        assert there == held
        log = self.log
        self.messages = self.messages[:said]
        self.changes = [change for change in self.changes if change.call <= there.step]
        self.held = [other for other in self.held if other[2] <= said]
        while log.calls > there.step:
            log.forget_last()
        self.inputs = None
        inputs = self._grown()
        del log.tracks[len(inputs.features.groups) :]
        stepper = restored(inputs, there)
        same = stepper_before(inputs, log, there.step + 1)
        assert vars(stepper.live) == vars(same.live)
        assert (stepper.included, stepper.state_version) == (same.included, same.state_version)
        assert registry(inputs, log, Moment(inputs, log, there.step)).entries == there.entries
        RAN["rollbacks"] += 1

    @invariant()
    def the_window_is_valid_and_within_budget(self) -> None:
        if getattr(self, "inputs", None) is None:
            return
        assert self.inputs is not None
        seen = window(self.inputs, self.log, self.log.calls)
        assert problems(seen.messages) == []
        assert seen.tokens == self.log.tokens[-1] <= self.inputs.budget.available

    def teardown(self) -> None:
        """The log is that of a replay of what was said, and every message that left can be brought back."""
        if getattr(self, "inputs", None) is None:
            return
        built = session(*self.messages, seconds_apart=None)
        inputs = Inputs.gather(built, self.profile, self.changes)
        fresh = run_log(inputs)
        complete(inputs, self.log)
        # What was said after the last answer is in no call yet.
        self.log.tracks.extend(Track() for _ in range(len(self.log.tracks), len(fresh.tracks)))
        followed = [(t.calls, t.codes, t.caps) for t in self.log.tracks]
        assert [(t.calls, t.codes, t.caps) for t in fresh.tracks] == followed
        assert (fresh.tokens, fresh.paths, fresh.versions) == (self.log.tokens, self.log.paths, self.log.versions)
        run = SimulatedRun(inputs, self.log)
        for entry in run.archive():
            assert run.retrieve(entry.ref, max_tokens=0).raw == tuple(built.raw(m) for m in entry.messages)


def _watched(stepper: Stepper) -> list[Step]:
    """The steps that a stepper's groups will take, as they are taken."""
    live, steps = stepper.live, []
    move = live.move

    def watched(group: int, state: State) -> None:
        before = State(live.states[group])
        move(group, state)
        if before is not state:
            steps.append((group, before, state))

    spied: Any = live
    spied.move = watched
    return steps


Lifecycle.TestCase.settings = settings(
    max_examples=examples(60),
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
TestLifecycle = pytest.mark.rule("4.28", "4.29", "4.30", "4.31", "5.16", "9.5")(Lifecycle.TestCase)


def teardown_module() -> None:
    print("\nlifecycle:", ", ".join(f"{count} {what}" for what, count in sorted(RAN.items())))
