from __future__ import annotations

from copy import deepcopy
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given

from ravenglass.hub.item import Form, State
from ravenglass.rules import TIERS, TierName
from ravenglass.scheduler.exempt import exemptions
from ravenglass.scheduler.packing import Decision, schedule
from ravenglass.scheduler.scoring import scores
from ravenglass.scheduler.view import ByHand, View
from ravenglass.sessions.model.session import Message
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.scheduler.views import ARCHIVED, EXPIRED, IN, RELEASED, STANDBY, Place, look, plain, views


def in_tier(view: View, groups: Any, name: TierName) -> list[int]:
    return [g for g in sorted(groups) if view.standing.tier[g] == name]


def spent(view: View, forms: dict[int, Form]) -> int:
    return sum(view.tokens(g, form) for g, form in forms.items())


@pytest.mark.rule("3.5", "3.6", "5.3")
@given(views())
def test_that_no_tier_takes_more_than_its_share_unless_exempt_or_borrowing(view: View) -> None:
    found = schedule(view)
    state_tokens = view.working_state_tokens * found.with_working_state
    borrowed = 0
    for name in ("global", "task", "session", "atomic"):
        cut = found.cuts[name]
        own = {g: form for g, form in found.include.items() if view.standing.tier[g] == name}
        exempt = {g: form for g, form in own.items() if g in found.exempt.forms}
        extra = state_tokens if name == "session" else 0
        assert cut.exempt == spent(view, exempt) + extra
        assert cut.used == spent(view, own) + extra
        assert cut.used <= max(cut.quota, cut.exempt)
        share = round(view.profile.quotas[name] * view.budget.target)
        assert cut.quota == share + (borrowed if name in ("session", "atomic") else 0)
        if view.profile.quota_borrowing and name in ("task", "session"):
            borrowed = max(0, cut.quota - cut.used)
    assert 0 < view.working_state_tokens <= view.budget.quotas["session"] or not found.with_working_state


@pytest.mark.rule("5.17")
@given(views())
def test_that_the_whole_stays_in_the_trim_target_unless_what_is_exempt_alone_passes_it(view: View) -> None:
    found = schedule(view)
    total = sum(cut.used for cut in found.cuts.values())
    assert total <= max(view.budget.target, sum(cut.exempt for cut in found.cuts.values()))


@pytest.mark.rule("3.6", "5.2")
@given(views())
def test_that_exempt_groups_are_in_and_expired_or_archived_ones_are_not(view: View) -> None:
    found = schedule(view)
    assert found.exempt == exemptions(view)
    assert found.scores == scores(view)
    assert found.include.items() >= found.exempt.forms.items()
    for g, form in found.include.items():
        assert g < view.known
        if g not in found.exempt.forms:
            assert view.state(g) not in (State.EXPIRED, State.ARCHIVED)
            assert form is view.base_form(g, keep_whole=False)


@pytest.mark.rule("5.5")
@given(views())
def test_that_ranks_and_cuts_tell_what_was_included(view: View) -> None:
    found = schedule(view)
    assert not set(found.ranks) & set(found.exempt.forms)
    for name in TIERS:
        cut = found.cuts[name]
        order = sorted(in_tier(view, found.ranks, name), key=found.ranks.__getitem__)
        assert [found.ranks[g] for g in order] == list(range(1, cut.ranked + 1))
        for better, worse in pairwise(order):
            assert (found.scores.total[better], better) > (found.scores.total[worse], worse)
        out = [g for g in order if g not in found.include]
        if out:
            first = out[0]
            assert cut.cut_rank == found.ranks[first]
            assert cut.cut_score == found.scores.total[first]
            assert cut.needed_at_cut == view.tokens(first, view.base_form(first, keep_whole=False)) > cut.left_at_cut
        else:
            assert (cut.cut_rank, cut.cut_score, cut.needed_at_cut) == (None, None, 0)


@pytest.mark.rule("5.2")
@given(views())
def test_that_only_what_could_matter_competes(view: View) -> None:
    found = schedule(view)
    for g in range(view.known):
        if g in found.exempt.forms:
            continue
        state = view.state(g)
        stub_in_place = bool(view.live.forms[g]) and view.standing.tier[g] == "atomic"
        wanted = found.scores.relevance[g] > 0 or g in view.hand.whole or stub_in_place
        competes = state in (State.ACTIVE, State.REGISTERED) or (state is State.STANDBY and wanted)
        assert (g in found.ranks) is competes


@pytest.mark.rule("5.13", "5.14")
@given(views())
def test_that_what_is_outdated_low_or_long_unused_is_archived_and_nothing_else(view: View) -> None:
    found = schedule(view)
    profile = view.profile
    for g in range(view.known):
        state = view.state(g)
        low = found.scores.total[g] < profile.archive_below
        unused = not view.live.forms[g] and view.call - view.live.out_since[g] >= profile.standby_calls
        leaves = state is State.EXPIRED or (state is State.STANDBY and (low or unused))
        assert (g in found.archive) is (leaves and g not in found.include and not view.is_pinned(g))


@given(views())
def test_that_deciding_changes_nothing_and_gives_the_same_again(view: View) -> None:
    before = deepcopy((view.live.states, view.live.forms, view.live.caps, view.live.out_since, view.live.touched))
    first = schedule(view)
    assert schedule(view) == first
    live = view.live
    assert (live.states, live.forms, live.caps, live.out_since, live.touched) == before


def commands(*sizes: int, tool: str = "Bash") -> list[Message]:
    """An exchange of about that many tokens a size."""
    return [m for size in sizes for m in (assistant("", call(tool, command="x")), result(filler(size)))]


def packed(
    profile: dict[str, Any], *messages: Message, places: dict[int, Place] | None = None, **more: Any
) -> tuple[View, Decision]:
    """The decision at a last call that sees a prompt, the messages, an answer and another prompt, alone exempt."""
    built = session(user("go"), *messages, assistant("ok"), user("and now"), assistant("Done."))
    available = profile.pop("available", 10_000)
    view = look(built, plain(available, task_boundary="todo", **profile), places=places, **more)
    return view, schedule(view)


@pytest.mark.rule("3.5", "5.5", "5.19")
def test_that_the_newest_of_equals_are_kept_and_the_oldest_cut() -> None:
    view, found = packed({}, *commands(1_500, 1_500, 1_500))
    assert in_tier(view, found.include, "task") == [2, 3]
    cut = found.cuts["task"]
    assert (cut.quota, cut.ranked, cut.cut_rank) == (4_000, 3, 3)
    assert cut.needed_at_cut == view.tokens(1, Form.FULL)
    assert cut.left_at_cut == 4_000 - view.tokens(2, Form.FULL) - view.tokens(3, Form.FULL)


@pytest.mark.rule("5.5", "5.19")
def test_that_a_group_that_fits_exactly_is_in() -> None:
    view, _ = packed({}, *commands(1_500))
    need = view.tokens(1, Form.FULL)
    share = {"quota_global": 0, "quota_session": 0.3, "quota_atomic": 0}
    _, found = packed({**share, "quota_task": need / 10_000}, *commands(1_500))
    assert 1 in found.include
    assert found.cuts["task"].used == found.cuts["task"].quota == need
    _, found = packed({**share, "quota_task": (need - 1) / 10_000}, *commands(1_500))
    assert 1 not in found.include


def test_that_a_smaller_group_may_follow_one_that_did_not_fit() -> None:
    view, found = packed({}, *commands(1_500, 3_000, 1_500))
    assert in_tier(view, found.include, "task") == [1, 3]
    assert found.cuts["task"].cut_rank == 2


@pytest.mark.rule("3.9")
def test_that_without_borrowing_the_quota_of_other_tiers_is_not_touched() -> None:
    view, found = packed({"stub_chars": 20_000}, *commands(900, 900, tool="Grep"))
    assert in_tier(view, found.include, "atomic") == [2]
    assert found.cuts["atomic"].quota == 1_000


@pytest.mark.rule("3.10")
def test_that_the_unused_quota_is_lent_from_task_to_session_to_atomic() -> None:
    view, found = packed(
        {"quota_borrowing": True, "stub_chars": 20_000}, *commands(900, 900, 900, 900, tool="Grep"), *commands(500)
    )
    task, state = found.cuts["task"], found.cuts["session"]
    assert task.quota == 4_000
    assert state.quota == 3_000 + 4_000 - task.used
    assert found.cuts["atomic"].quota == 1_000 + state.quota - state.used
    assert len(in_tier(view, found.include, "atomic")) == 4
    assert found.cuts["global"].quota == 2_000


@pytest.mark.rule("3.11")
def test_that_nothing_is_ever_lent_to_the_global_tier() -> None:
    files = [m for _ in range(3) for m in (assistant("", call("Read", file_path="README.md")), result(filler(900)))]
    view, found = packed({"quota_borrowing": True, "global_cap": 1}, *files, places={1: IN, 2: IN, 3: IN})
    assert in_tier(view, found.ranks, "global") == [1, 2, 3]
    assert in_tier(view, found.include, "global") == [2, 3]


def test_that_a_tier_that_exempt_groups_overfill_lends_nothing_and_takes_nothing() -> None:
    built = session(user(filler(8_000)), *commands(100), assistant("Done."))
    view = look(built, plain(quota_borrowing=True, protect_first_n=1))
    found = schedule(view)
    assert found.cuts["session"].used > found.cuts["session"].quota
    assert found.cuts["atomic"].quota == 1_000


@pytest.mark.rule("5.17")
def test_that_the_trim_target_shrinks_every_share() -> None:
    _, found = packed({"trim_target": 0.5}, *commands(1_500, 1_500))
    assert {name: cut.quota for name, cut in found.cuts.items()} == {
        "global": 1_000, "session": 1_500, "task": 2_000, "atomic": 500,
    }  # fmt: skip


@pytest.mark.rule("5.2")
def test_that_a_standby_group_comes_back_when_the_request_is_about_it() -> None:
    talk = (
        user("read src/auth.py"),
        assistant("", call("Bash", command="cat src/auth.py")),
        result("x"),
        assistant("ok"),
    )
    built = session(*talk, user("go on"), assistant("ok"), user("what does src/auth.py do"), assistant("Done."))
    places = {0: STANDBY, 1: STANDBY, 3: STANDBY, 4: STANDBY}
    found = schedule(look(built, plain(), places=places))
    assert {0, 1} <= set(found.include)
    assert not {3, 4} & set(found.include)
    assert {3, 4} & set(found.ranks) == set()


@pytest.mark.rule("5.12")
def test_that_what_is_cut_at_this_very_call_is_not_archived_yet() -> None:
    _, found = packed({"archive_below": 1}, *commands(3_000, 3_000))
    assert found.archive == {}
    assert 1 not in found.include


def test_that_the_archive_says_why() -> None:
    lookups = commands(10, 10, 10, 10)
    places = {1: EXPIRED, 2: STANDBY, 3: STANDBY, 4: ARCHIVED}
    _, found = packed({"archive_below": 0.0, "standby_calls": 4}, *lookups, places=places, out_since={2: 2, 3: 3})
    assert found.archive == {1: "its content is outdated", 2: "unused for 4 calls"}
    _, found = packed({"archive_below": 0.9}, *lookups, places=places, out_since={2: 5, 3: 5})
    assert found.archive[2] == "its score 0.36 is below 0.90"


@pytest.mark.rule("6.27")
def test_that_a_pinned_group_is_never_archived() -> None:
    _, found = packed({"archive_below": 1}, *commands(10), places={1: EXPIRED}, hand=ByHand(pins=frozenset({1})))
    assert found.archive == {}
    assert 1 in found.include


def test_that_released_items_in_place_leave_when_the_request_is_about_something_else() -> None:
    _, found = packed({"archive_below": 0}, *commands(10, 10), places={1: RELEASED, 2: RELEASED})
    assert not {1, 2} & set(found.include)
    assert found.archive == {}


def test_that_the_working_state_takes_its_room_from_the_session_tier() -> None:
    _, found = packed({}, *commands(10), working_state_tokens=700)
    assert found.with_working_state
    assert found.cuts["session"].exempt == 700 + 2
    _, found = packed({}, *commands(10), working_state_tokens=3_001)
    assert not found.with_working_state
    _, found = packed({}, *commands(10))
    assert not found.with_working_state


def test_that_the_archive_goes_by_the_whole_score() -> None:
    _, found = packed({"archive_below": 0.2}, *commands(10, 10), places={1: STANDBY}, out_since={1: 3})
    assert found.scores.relevance[1] == 0 < 0.2 <= found.scores.total[1]
    assert found.archive == {}


@pytest.mark.rule("6.27")
def test_that_a_pinned_group_that_no_room_is_left_for_is_not_archived_either() -> None:
    talk = commands(3_000, 10)
    hand = ByHand(pins=frozenset({1}))
    _, found = packed({"archive_below": 1, "protected_cap": 0}, *talk, places={1: STANDBY}, hand=hand)
    assert 1 in found.exempt.released
    assert 1 not in found.include
    assert found.archive == {}
