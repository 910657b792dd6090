from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.item import Form
from ravenglass.profile import Profile, make_profile
from ravenglass.scheduler.view import ByHand, View
from tests.engine.builders import assistant, call, filler, meta, result, session, user
from tests.engine.scheduler.views import STANDBY, look, views

SMALL = make_profile(offload_tokens=100, offload_after=1)


@given(views(), st.data())
def test_that_a_group_is_seen_up_to_the_call_and_open_calls_count_as_unanswered(
    view: View, data: st.DataObject
) -> None:
    if not view.known:
        return
    whole = view.features.groups[data.draw(st.integers(0, view.known - 1))]
    seen = view.group(whole.index)
    boundary = view.features.boundary(view.call)
    assert seen.messages == tuple(m for m in whole.messages if m < boundary)
    assert seen.messages
    messages = view.features.session.messages
    calls = Counter(c.id for m in seen.messages for c in messages[m].tool_calls)
    answers = Counter(messages[m].tool_call_id or "" for m in seen.messages)
    assert Counter(seen.unanswered) == calls - answers
    if seen.messages == whole.messages:
        assert seen == whole


@pytest.mark.rule("6.36")
@given(views())
def test_that_the_current_request_and_the_newest_group_must_be_kept(view: View) -> None:
    kept = view.must_keep()
    assert all(g < view.known for g in kept)
    seen = view.features.session.messages[: view.features.boundary(view.call)]
    group_of = view.features.session.structure.group_of
    users = [m for m in seen if m.role == "user"]
    prompts = [m for m in users if m.kind == "prompt"]
    for newest in (users[-1:], prompts[-1:]):
        assert {group_of[m.id] for m in newest} <= kept
    if view.known:
        assert view.known - 1 in kept
    assert len(kept) <= 4


def test_that_a_reminder_after_an_unseen_result_does_not_push_the_group_out() -> None:
    built = session(user("go"), assistant("", call("Bash")), result("x"), meta("reminder"), assistant("Done."))
    assert look(built, call=2).must_keep() == {0, 1, 2}


def test_that_two_calls_of_one_id_need_two_results() -> None:
    twice = assistant("", call("Bash", call_id="c"), call("Bash", call_id="c"))
    built = session(user("go"), twice, result("x", to="c"), assistant("Hm."), result("y", to="c"), assistant("Done."))
    assert look(built, call=2).group(1).unanswered == ("c",)
    assert look(built, call=3).group(1).unanswered == ()


def test_that_the_newest_group_must_be_kept_whatever_it_is() -> None:
    built = session(user("go"), assistant("Hm."), assistant("Done."), result("x", to="lost"), assistant("Done."))
    assert look(built, call=2).must_keep() == {0, 1}
    assert look(built, call=3).must_keep() == {0, 3}


def test_that_a_placed_group_costs_what_its_form_costs_and_nothing_when_it_is_out() -> None:
    built = session(user("go"), assistant("", call("Bash")), result(filler(500)), assistant("Done."))
    view = look(built, call=2)
    full = view.standing.full[1]
    assert view.placed_tokens(1) == full
    view.live.forms[1] = Form.STUB
    assert 0 < view.placed_tokens(1) < full
    view.live.forms[1] = Form.SHRUNK
    view.live.caps[1] = 200
    assert 100 < view.placed_tokens(1) <= 200
    view.live.forms[1] = Form.OUT
    assert view.placed_tokens(1) == 0


@pytest.mark.rule("6.29")
def test_that_a_pin_holds_until_the_instruction_was_read_again() -> None:
    skill = [assistant("", call("Skill", skill="review")), result("x")]
    built = session(user("go"), *skill, assistant("Done."), *skill, assistant("Done."))
    assert [look(built, call=call).is_pinned(1) for call in (2, 3, 4)] == [True, True, False]
    assert look(built, call=4).is_pinned(3)


@pytest.mark.rule("6.25")
def test_that_a_pin_set_by_hand_counts_more_than_the_rules() -> None:
    built = session(user("go"), assistant("", call("Skill", skill="review")), result("x"), assistant("Done."))
    assert look(built, hand=ByHand(pins=frozenset({0}))).is_pinned(0)
    assert not look(built, hand=ByHand(unpins=frozenset({1}))).is_pinned(1)
    assert not look(built).is_pinned(0)


def aged(calls: int, tool: str = "Bash", tokens: int = 500) -> View:
    """The view after that many more responses to the exchange in group 1."""
    more = [assistant("Hm.") for _ in range(calls)]
    built = session(
        user("go"), assistant("", call(tool, command="x")), result(filler(tokens)), *more, assistant("Done.")
    )
    return look(built, SMALL)


@pytest.mark.rule("10.1")
def test_that_a_large_result_is_offloaded_once_it_is_older_than_allowed() -> None:
    forms = [aged(calls).base_form(1, keep_whole=False) for calls in range(4)]
    assert forms == [Form.FULL, Form.FULL, Form.OFFLOADED, Form.OFFLOADED]
    assert aged(5, tokens=50).base_form(1, keep_whole=False) is Form.FULL


@pytest.mark.rule("4.13")
def test_that_a_released_look_up_is_a_stub() -> None:
    forms = [aged(calls, "Grep").base_form(1, keep_whole=False) for calls in range(3)]
    assert forms == [Form.FULL, Form.STUB, Form.STUB]


def test_that_a_form_that_saves_nothing_is_not_taken() -> None:
    assert aged(3, "Grep", tokens=5).base_form(1, keep_whole=False) is Form.FULL


def test_that_what_a_person_brought_back_stays_whole() -> None:
    view = aged(5)
    assert view.base_form(1, keep_whole=True) is Form.FULL
    built = view.features.session
    assert look(built, SMALL, hand=ByHand(whole=frozenset({1}))).base_form(1, keep_whole=False) is Form.FULL


def test_that_the_state_of_a_group_is_the_live_one() -> None:
    built = session(user("go"), assistant("Done."), user("more"), assistant("Done."))
    assert look(built, Profile(), places={1: STANDBY}).state(1).label == "standby"


def test_that_a_group_whose_result_came_late_must_be_kept_until_a_call_has_seen_it() -> None:
    late = [assistant("", call("Grep", pattern="x", call_id="g")), assistant("Hm."), result("y", to="g")]
    built = session(user("go"), *late, assistant("Done."), assistant("More."))
    assert look(built, call=3).must_keep() == {0, 1, 2}
    assert 1 not in look(built, call=4).must_keep()
    assert 1 not in look(built, call=3, places={1: STANDBY}).must_keep(), "what is out brings nothing new"
