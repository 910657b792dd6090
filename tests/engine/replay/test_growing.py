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
from tests.engine.builders import assistant, call, developer, filler, messages, profiles, result, session, user
from tests.engine.replay.runs import changes_for, thorough
from tests.engine.scheduler.views import plain


def assert_equal(run: SimulatedRun, whole: SimulatedRun) -> None:
    """Both have the same windows, states, events and figures."""
    assert [(t.calls, t.codes, t.caps) for t in run._log.tracks] == [
        (t.calls, t.codes, t.caps) for t in whole._log.tracks
    ]
    assert replace(run._log, tracks=[]) == replace(whole._log, tracks=[])
    assert run.metrics == whole.metrics
    for number in range(1, whole.calls + 1):
        assert run.window(number) == whole.window(number)
        assert run.frame(number) == whole.frame(number)
        assert [(e.event, e.payload) for e in run.events(number)] == [
            (e.event, e.payload) for e in whole.events(number)
        ]


def _said(run: SimulatedRun, number: int) -> list[tuple[str, object]]:
    return [(event.event, event.payload) for event in run.events(number)]


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


def test_that_a_message_whose_calls_were_still_being_written_is_replayed_anew() -> None:
    one, two = call("Bash", command="make"), call("Bash", command=f"make {filler(50)}")
    begun = (user("fix the login"), assistant("look", one), user("and now"), assistant("done"))
    called = assistant("look", one, two)
    more = (user("fix the login"), called, user("and now"), assistant("done"), user("go on"), assistant("end"))
    assert_equal(grown(replay(session(*begun), Profile()), session(*more)), replay(session(*more), Profile()))


def test_that_what_the_global_tier_has_no_room_for_any_more_is_replayed_in_its_new_tier() -> None:
    read = [assistant("", call("Read", file_path="README.md")), result(filler(300))]
    begun = [user("go"), *read, assistant("one"), user("on"), assistant("two")]
    profile = plain(2_000, global_cap=0.2)
    first = replay(session(*begun), profile)
    more = session(*begun, developer(filler(200)), user("go on"), assistant("end"))
    assert first.row(3, 1).tier == "global"
    assert replay(more, profile).row(3, 1).tier == "task"
    assert_equal(grown(first, more), replay(more, profile))


def test_that_a_session_whose_tools_are_known_later_is_replayed_under_its_new_budget() -> None:
    said = [message for n in range(6) for message in (user(f"{n} {filler(200)}"), assistant(f"done {n}"))]
    first = replay(session(*said), plain(1_200))
    more = session(*said, user("end"), assistant("end"), tools_text=filler(500))
    longer = grown(first, more)
    assert longer.budget.available == first.budget.available - 500
    assert_equal(longer, replay(more, plain(1_200)))
