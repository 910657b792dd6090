"""The run of a session that grows is, at every length, the run of a session that had that length all along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ravenglass.profile import Profile
from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.growing import grown
from ravenglass.sessions.model.session import Message, Part, Session
from tests.engine.builders import assistant, messages, profiles, session, user
from tests.engine.replay.runs import changes_for, thorough


def assert_equal(run: SimulatedRun, whole: SimulatedRun) -> None:
    """Both have the same windows, states, events and figures."""
    assert [(t.calls, t.codes, t.caps) for t in run._log.tracks] == [
        (t.calls, t.codes, t.caps) for t in whole._log.tracks
    ]
    assert replace(run._log, tracks=[]) == replace(whole._log, tracks=[])
    assert run.metrics == whole.metrics
    for call in range(1, whole.calls + 1):
        assert run.window(call) == whole.window(call)
        assert run.frame(call) == whole.frame(call)
        assert [(e.event, e.payload) for e in run.events(call)] == [(e.event, e.payload) for e in whole.events(call)]


def prefixes(found: Sequence[Message], cuts: list[int]) -> list[Session]:
    return [session(*found[:cut]) for cut in [*cuts, len(found)]]


@thorough
@given(messages(), profiles(), st.data())
def test_that_growing_in_any_steps_equals_replaying_the_whole(
    found: list[Message], profile: Profile, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(found) - 1)), max_size=4)))
    states = prefixes(found, cuts)
    run = replay(states[0], profile)
    for state in states[1:]:
        run = grown(run, state)
        assert_equal(run, replay(session(*found[: len(state.messages)]), profile))


@thorough
@given(messages(), profiles(), st.data())
def test_that_changes_by_hand_hold_while_the_session_grows(
    found: list[Message], profile: Profile, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(1, max(1, len(found) - 1)))
    first, last = prefixes(found, [cut])
    if not first.structure.calls:
        return
    changes = data.draw(changes_for(first))
    assert_equal(grown(replay(first, profile, changes), last), replay(session(*found), profile, changes))


def test_that_a_message_that_was_still_being_written_is_replayed_anew() -> None:
    begun = session(user("fix the login"), assistant("one"), user("and now"), assistant("half of an"))
    longer = assistant("half of an")
    longer = replace(longer, parts=(Part("text", "half of an answer in src/login.py"),))
    done = (user("fix the login"), assistant("one"), user("and now"), longer, user("go on"), assistant("done"))
    assert_equal(grown(replay(begun, Profile()), session(*done)), replay(session(*done), Profile()))


def test_that_calls_that_see_nothing_new_are_not_decided_again() -> None:
    said = [message for n in range(30) for message in (user(f"step {n}"), assistant(f"done {n}"))]
    run = replay(session(*said[:40]), Profile())
    longer = grown(run, session(*said))
    assert longer.calls == 30
    assert longer._log.tracks[0].calls == run._log.tracks[0].calls
    assert longer.inputs.features.entities[:30] == run.inputs.features.entities[:30]
