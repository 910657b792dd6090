from __future__ import annotations

import pytest
from hypothesis import given

from ravenglass.hub.item import Form, State
from ravenglass.scheduler.exempt import exemptions
from ravenglass.scheduler.view import ByHand, View
from ravenglass.sessions.model.session import Message
from tests.engine.builders import assistant, call, filler, result, session, system, user
from tests.engine.scheduler.views import ARCHIVED, look, plain, views


def groups(*sizes: int, pins: tuple[int, ...] = ()) -> list[Message]:
    """A prompt of about that many tokens a size, each answered; the answers of `pins` are skill reads."""
    made: list[Message] = []
    for n, size in enumerate(sizes):
        made.append(user(filler(size)))
        if n in pins:
            made += [assistant("", call("Skill", skill=f"s{n}")), result(filler(size))]
        made.append(assistant("ok"))
    return made


@pytest.mark.rule("3.6", "6.30")
@given(views())
def test_that_exempt_are_the_request_the_newest_group_pins_and_the_protected_head(view: View) -> None:
    found = exemptions(view)
    assert found.must == view.must_keep()
    assert set(found.forms) == found.must | found.pinned | found.protected
    assert list(found.forms) == sorted(found.forms)
    assert not found.pinned & found.protected
    assert all(view.is_pinned(g) for g in found.pinned)
    head = _head(view)
    pinned = {g for g in range(view.known) if view.is_pinned(g)}
    assert found.pinned | found.protected | set(found.released) == head | pinned


@pytest.mark.rule("6.31")
@given(views())
def test_that_the_cap_releases_no_more_than_it_must_and_in_the_right_order(view: View) -> None:
    found = exemptions(view)
    sizes = {
        g: view.tokens(g, found.forms.get(g, _form(view, g)))
        for g in found.pinned | found.protected | {*found.released}
    }
    assert found.protected_tokens == sum(sizes.values())
    assert found.cap == round(view.profile.protected_cap * view.budget.available)
    kept = sum(sizes[g] for g in found.pinned | found.protected)
    assert kept <= found.cap or not found.pinned | found.protected
    if found.released:
        assert kept + sizes[found.released[-1]] > found.cap
    assert found.overflow is bool(found.released)
    ranks = [(_kind(view, g), -sizes[g], g) for g in found.released]
    assert ranks == sorted(ranks)
    if ranks:
        left = [(_kind(view, g), -sizes[g], g) for g in found.pinned | found.protected]
        assert all(ranks[-1] < rank for rank in left)


def _head(view: View) -> set[int]:
    """What protection covers: an archived group does not come back by itself."""
    return {g for g in view.standing.protected if g < view.known and view.state(g) is not State.ARCHIVED}


def _kind(view: View, g: int) -> int:
    """Protected before pinned before instructions."""
    if view.is_pinned(g):
        return 1
    return 2 if g in view.standing.instructions else 0


def _form(view: View, g: int) -> Form:
    """The form in which a released group was weighed."""
    everything = {g for g in range(view.known) if view.is_pinned(g)} | view.must_keep()
    everything |= _head(view)
    crowded = sum(view.tokens(h, Form.FULL) for h in everything) >= view.budget.target
    protected = not view.is_pinned(g) and g not in view.must_keep() and g not in view.standing.instructions
    return view.offload_form(g) if crowded and protected else Form.FULL


def test_that_nothing_is_released_under_the_cap() -> None:
    built = session(*groups(100, 200, 300, 50))
    found = exemptions(look(built, plain(protect_first_n=3, protected_cap=0.1)))
    assert found.released == ()
    assert not found.overflow
    assert found.protected == {0, 1, 2, 3, 4, 5}


@pytest.mark.rule("6.31")
def test_that_the_largest_protected_group_is_released_first() -> None:
    built = session(*groups(100, 300, 200, 50))
    found = exemptions(look(built, plain(protect_first_n=3, protected_cap=0.04)))
    assert found.released == (2,)
    found = exemptions(look(built, plain(protect_first_n=3, protected_cap=0.02)))
    assert found.released == (2, 4)
    assert found.protected == {0, 1, 3, 5}


@pytest.mark.rule("6.28", "6.31")
def test_that_pinned_groups_are_released_after_every_protected_one() -> None:
    built = session(*groups(100, 300, 200, 50, pins=(1,)))
    view = look(built, plain(protect_first_n=3, protected_cap=0.04))
    pinned = next(g for g in range(view.known) if view.is_pinned(g))
    found = exemptions(view)
    assert pinned in found.pinned
    assert found.released
    everything = exemptions(look(built, plain(protect_first_n=3, protected_cap=0)))
    assert everything.released[-1] == pinned
    assert everything.pinned == everything.protected == frozenset()


def test_that_instructions_are_the_last_to_be_released() -> None:
    built = session(system(filler(500)), *groups(100, 50, pins=(0,)))
    found = exemptions(look(built, plain(protect_first_n=1, protected_cap=0)))
    assert found.released[-1] == 0
    found = exemptions(look(built, plain(protect_first_n=1, protected_cap=0.05)))
    assert found.protected == {0}


def test_that_a_released_group_that_must_stay_stays() -> None:
    built = session(user(filler(500)), assistant("ok"))
    found = exemptions(look(built, plain(protect_first_n=1, protected_cap=0)))
    assert found.released == (0,)
    assert found.forms == {0: Form.FULL}


def test_that_a_protected_group_is_offloaded_before_any_is_released() -> None:
    opening = [user("go"), assistant("", call("Bash")), result(filler(3_000)), assistant("Hm."), assistant("Hm.")]
    built = session(*opening, user("more"), assistant("Done."))
    tight = {"protect_first_n": 1, "offload_tokens": 100, "offload_after": 1, "protected_cap": 0.2}
    found = exemptions(look(built, plain(3_500, trim_target=0.5, **tight)))
    assert found.forms[1] is Form.OFFLOADED
    assert found.released == ()
    roomy = exemptions(look(built, plain(30_000, **tight)))
    assert roomy.forms[1] is Form.FULL


def test_that_a_protected_group_that_was_archived_stays_archived() -> None:
    built = session(*groups(100, 100))
    found = exemptions(look(built, plain(protect_first_n=1), places={0: ARCHIVED}))
    assert found.protected == {1}
    assert 0 not in found.forms


def test_that_a_pin_set_by_hand_is_exempt_and_one_taken_away_is_not() -> None:
    built = session(*groups(100, 100, 100, pins=(0,)))
    assert 1 in exemptions(look(built, plain())).pinned
    assert exemptions(look(built, plain(), hand=ByHand(unpins=frozenset({1})))).pinned == frozenset()
    assert 3 in exemptions(look(built, plain(), hand=ByHand(pins=frozenset({3})))).pinned
    assert 99 not in exemptions(look(built, plain(), hand=ByHand(pins=frozenset({99})))).forms


def test_that_protected_groups_that_take_just_the_trim_target_are_offloaded() -> None:
    opening = [user("go"), assistant("", call("Bash")), result(filler(3_000)), assistant("Hm."), assistant("Hm.")]
    built = session(*opening, user("more"), assistant("Done."))
    shape = {"protect_first_n": 1, "offload_tokens": 100, "offload_after": 1, "protected_cap": 1.0}
    roomy = look(built, plain(30_000, **shape))
    whole = sum(roomy.tokens(g, Form.FULL) for g in exemptions(roomy).forms)
    assert exemptions(look(built, plain(whole + 1, **shape))).forms[1] is Form.FULL
    assert exemptions(look(built, plain(whole, **shape))).forms[1] is Form.OFFLOADED
