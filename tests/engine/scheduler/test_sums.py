from __future__ import annotations

from hypothesis import given

from ravenglass.profile import Profile
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.rules import TIERS
from ravenglass.sessions.model.session import Session
from tests.engine.builders import assistant, session, sessions, user, with_calls


@given(sessions().filter(with_calls))
def test_that_the_sums_at_a_call_are_those_of_the_groups_it_knows(built: Session) -> None:
    inputs = Inputs.gather(built, Profile())
    features, standing = inputs.features, inputs.standing
    for call in range(len(features.calls) + 1):
        known = [g for g in range(features.known[call]) if not features.groups[g].unsent]
        assert inputs.sums.tokens[call] == sum(standing.full[g] for g in known)
        assert inputs.sums.messages[call] == sum(len(features.groups[g].messages) for g in known)
        for tier in TIERS:
            mine = [standing.full[g] for g in known if standing.tier[g] == tier]
            assert inputs.sums.tiers[tier][call] == sum(mine)


def test_that_a_notice_that_was_never_sent_adds_nothing() -> None:
    notice = assistant("API Error: overloaded", flags=["api_error"])
    inputs = Inputs.gather(session(user("go"), notice, assistant("yes"), user("on"), assistant("done")), Profile())
    unsent = [g.index for g in inputs.features.groups if g.unsent]
    assert len(unsent) == 1
    assert inputs.sums.weights[unsent[0]] == inputs.sums.counts[unsent[0]] == 0
    assert inputs.sums.messages[-1] == 3
    known = inputs.features.known[-1]
    assert inputs.sums.tokens[-1] == sum(inputs.standing.full[g] for g in range(known) if g not in unsent)


@given(sessions().filter(with_calls))
def test_that_a_call_is_special_where_it_sees_a_part_of_a_group_or_an_instruction(built: Session) -> None:
    inputs = Inputs.gather(built, Profile())
    features, standing = inputs.features, inputs.standing
    calls = len(features.calls)
    for call in range(1, calls + 1):
        new = range(features.known[call - 1], features.known[call])
        special = (
            call in standing.growths
            or any(features.ready[g] > call for g in new)
            or any(g in standing.instructions for g in new)
        )
        assert (inputs.sums.special(call) == call) is special
    assert inputs.sums.special(calls + 1) >= calls + 1
