"""A session that grows message by message: what is reused is what would be computed from nothing, at every call."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from ravenglass.hub.live import Track
from ravenglass.profile import Profile
from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.answers.registering import carry_over, registry
from ravenglass.replay.answers.windows import window
from ravenglass.replay.commit import add_call, complete
from ravenglass.replay.measures.breakpoints import Breakpoints
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Moment, stepper_before
from ravenglass.scheduler.packing import Decision
from ravenglass.sessions.model.session import Session
from tests.engine.builders import profiles, session, sessions, valid_sessions, with_calls
from tests.engine.replay.runs import caps, states_and_forms, thorough

RAN: Counter[str] = Counter()
"""How much was compared; printed when the module is done."""


def same_facts(grown: Inputs, fresh: Inputs) -> None:
    """Everything that decisions are made from."""
    ours, theirs = grown.features, fresh.features
    assert (ours.entities, ours.postings, ours.known, ours.ready) == (
        theirs.entities, theirs.postings, theirs.known, theirs.ready,
    )  # fmt: skip
    assert ours.uses == theirs.uses
    assert (grown.sizes.full, grown.sizes.estimated) == (fresh.sizes.full, fresh.sizes.estimated)
    assert grown.standing == fresh.standing
    assert (grown.budget, grown.versions) == (fresh.budget, fresh.versions)


@pytest.mark.rule("5.16")
@thorough
@given(sessions(), profiles())
def test_that_what_is_known_of_a_grown_session_is_what_would_be_found_out(built: Session, profile: Profile) -> None:
    """Damaged sessions too: a late result changes an exchange that was known already."""
    inputs: Inputs | None = None
    for count in range(1, len(built.messages) + 1):
        part = session(*built.messages[:count])
        inputs = Inputs.grown(part, profile, inputs)
        same_facts(inputs, Inputs.gather(session(*built.messages[:count]), profile))
        RAN["messages taken in"] += 1


class Following:
    """Decides each call when its response comes, on facts that grew; keeps what was decided."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.log = ChangeLog([])
        self.inputs: Inputs | None = None
        self.decisions: list[Decision | None] = []
        self.breakpoints = Breakpoints(self._facts_at, self.log)

    def _facts_at(self, call: int) -> Inputs:
        del call
        assert self.inputs is not None
        return self.inputs

    def follow(self, part: Session) -> bool:
        """Take in the session as it is now. Returns whether that added a call."""
        before, self.inputs = self.inputs, Inputs.grown(part, self.profile, self.inputs)
        if before is not None:
            carry_over(before, self.inputs)
        inputs, log = self.inputs, self.log
        log.tracks.extend(Track() for _ in range(len(log.tracks), len(inputs.features.groups)))
        number = len(inputs.features.calls)
        if log.calls == number:
            return False
        stepper = stepper_before(inputs, log, number)
        view = stepper.intake(number)
        if stepper.is_fast(view):
            outcome = stepper.pass_fast(view)
        else:
            outcome = stepper.accept(view, *stepper.decide(view), "slow")
            RAN["slow paths"] += 1
        add_call(inputs, log, stepper, view, outcome)
        self.decisions.append(outcome.decision)
        return True


@pytest.mark.rule("5.15", "5.16", "11.2")
@thorough
@given(valid_sessions().filter(with_calls), profiles())
def test_that_every_call_of_a_grown_session_is_decided_as_from_nothing(built: Session, profile: Profile) -> None:
    following = Following(profile)
    for count in range(1, len(built.messages) + 1):
        if not following.follow(session(*built.messages[:count])):
            continue
        inputs, log = following.inputs, following.log
        assert inputs is not None
        number = log.calls
        fresh = replay(session(*built.messages[:count]), profile)
        assert fresh.calls == number
        assert following.decisions[-1] == fresh._reruns.get_or_make(number).result.decision
        assert window(inputs, log, number, following.breakpoints.marks(number)) == fresh.window(number)
        assert registry(inputs, log, Moment(inputs, log, number)).entries == fresh.registry(number).entries
        log_so_far = log.copy()
        complete(inputs, log_so_far)
        ours = SimulatedRun(inputs, log_so_far)
        assert (states_and_forms(ours, number), caps(ours, number)) == (
            states_and_forms(fresh, number),
            caps(fresh, number),
        )
        assert ours.events(number) == fresh.events(number)
        assert (ours.frame(number), ours.metrics) == (fresh.frame(number), fresh.metrics)
        RAN["calls compared"] += 1


def teardown_module() -> None:
    print("\nincremental:", ", ".join(f"{count:,} {what}" for what, count in sorted(RAN.items())))
