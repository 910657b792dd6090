from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.assembler import assemble, needs_opening, opening_tokens
from ravenglass.curator.plan import Assembled, Author, Plan
from ravenglass.curator.working_state.state import StateLine, WorkingState, render
from ravenglass.hub.item import Form, State
from ravenglass.scheduler.exempt import exemptions
from ravenglass.scheduler.scoring import scores
from ravenglass.scheduler.view import ByHand, View
from ravenglass.sessions.model.session import Message, Session
from tests.engine.builders import assistant, call, filler, result, session, system, user
from tests.engine.replay.runs import thorough
from tests.engine.scheduler.views import ARCHIVED, EXPIRED, STANDBY, look, plain, views

AUTHORS: tuple[Author, ...] = ("planner", "manual", "model", "recorded", "fail_safe")


def built(view: View, *include: int, **more: object) -> Assembled:
    """The window that the assembler makes of a plan for these messages."""
    plan = Plan(**{"include": frozenset(include), "author": "model", **more})  # type: ignore[arg-type]
    return assemble(view, plan, exemptions(view), scores(view).total)


@st.composite
def plans(draw: st.DrawFn) -> tuple[View, Plan]:
    """Any plan on any view: also one that names what cannot be, or archives what may not be."""
    view = draw(views())
    messages = len(view.features.session.messages)
    groups = st.integers(0, max(0, view.known - 1))
    return view, Plan(
        draw(st.frozensets(st.integers(0, messages - 1))),
        draw(st.sampled_from(AUTHORS)),
        draw(st.dictionaries(groups, st.just("old"), max_size=4)) if view.known else {},
        with_working_state=draw(st.booleans()),
    )


@pytest.mark.rule("3.17", "3.18")
@thorough
@given(plans())
def test_that_a_window_fits_the_budget_and_its_parts_add_up(made: tuple[View, Plan]) -> None:
    view, plan = made
    assembled = assemble(view, plan, exemptions(view), scores(view).total)
    parts = sum(placed.tokens for placed in assembled.placed.values())
    parts += view.working_state_tokens * assembled.with_working_state + opening_tokens(view) * assembled.opening
    assert assembled.verdict.tokens == parts <= view.budget.available == assembled.verdict.budget
    assert assembled.verdict.over_by == 0
    for g, placed in assembled.placed.items():
        assert placed.tokens == view.tokens(g, placed.form, placed.cap)
        assert placed.form is not Form.OUT


@thorough
@given(plans())
def test_that_every_group_is_placed_dropped_or_was_not_asked_for(made: tuple[View, Plan]) -> None:
    view, plan = made
    exempt = exemptions(view)
    assembled = assemble(view, plan, exempt, scores(view).total)
    group_of = view.features.session.structure.group_of
    wanted = {group_of[m] for m in plan.include if group_of[m] < view.known} | set(exempt.forms)
    assert set(assembled.placed) | set(assembled.dropped) == wanted
    assert not set(assembled.placed) & set(assembled.dropped)
    assert list(assembled.placed) == sorted(assembled.placed)
    assert set(assembled.shrunk) == {g for g, p in assembled.placed.items() if p.form is Form.SHRUNK}


@pytest.mark.rule("6.36")
@thorough
@given(plans())
def test_that_request_and_newest_group_are_dropped_from_impossible_windows_only(made: tuple[View, Plan]) -> None:
    view, plan = made
    assembled = assemble(view, plan, exemptions(view), scores(view).total)
    request = {view.standing.prompt_at[view.call], view.standing.user_at[view.call]} - {None}
    newest = {view.known - 1} if view.known else set()
    if not assembled.verdict.impossible:
        assert request | newest <= set(assembled.placed)


@pytest.mark.rule("6.28", "6.35", "R4")
@thorough
@given(plans())
def test_that_protected_goes_before_pinned_and_both_after_all_others(made: tuple[View, Plan]) -> None:
    view, plan = made
    exempt = exemptions(view)
    assembled = assemble(view, plan, exempt, scores(view).total)
    rank = {g: 2 if g in exempt.pinned else 1 if g in exempt.protected else 0 for g in assembled.dropped}
    ranks = [rank[g] for g in assembled.dropped if g not in exempt.must]
    assert ranks == sorted(ranks)
    if 1 in ranks or 2 in ranks:
        assert not [g for g in assembled.placed if g not in exempt.forms]


@thorough
@given(plans())
def test_that_only_standby_and_expired_groups_out_of_the_window_are_archived(made: tuple[View, Plan]) -> None:
    view, plan = made
    assembled = assemble(view, plan, exemptions(view), scores(view).total)
    for g in assembled.archive:
        assert view.live.states[g] in (State.STANDBY, State.EXPIRED)
        assert g not in assembled.placed
        assert not view.is_pinned(g)
    refused = set(plan.archive) - set(assembled.archive)
    unknown = [m for m in plan.include if view.features.session.structure.group_of[m] >= view.known]
    people = plan.author in ("model", "manual", "recorded")
    assert assembled.verdict.ok == (not people or not (refused or unknown))
    assert bool(assembled.verdict.errors) == (not assembled.verdict.ok)


def work(*sizes: int) -> list[Message]:
    """An exchange for each size, results of that many tokens; no two say the same."""
    found: list[Message] = []
    for number, size in enumerate(sizes):
        found += [assistant("", call("", raw="")), result(f"{number} {filler(size - 1)}")]
    return found


def conversation(*sizes: int) -> Session:
    """The request `ok` (group 0), then the exchanges (groups 1, 2, ...), then the response that is asked for."""
    return session(user("ok"), *work(*sizes), assistant("end"))


@pytest.mark.rule("6.32")
def test_that_naming_one_message_of_a_group_brings_all_of_it() -> None:
    view = look(conversation(10, 10, 10), plain())
    assert set(built(view, 2).placed) == {0, 1, 3}


@pytest.mark.rule("6.26")
def test_that_what_may_not_be_missing_is_added() -> None:
    skill = (assistant("", call("Skill", skill="x")), result("how"))
    view = look(session(system("rules"), user("ok"), *work(10), *skill, *work(9, 8), assistant("end")), plain())
    assembled = built(view)
    assert set(assembled.placed) == {0, 1, 3, 5}, "instruction, request, pin, newest group"
    assert assembled.added == (0, 1, 3, 5)


@pytest.mark.rule("6.35")
def test_that_the_lowest_scores_go_first() -> None:
    view = look(conversation(400, 400, 400, 100), plain(1_000))
    plan = Plan(frozenset(range(9)), "model")
    assembled = assemble(view, plan, exemptions(view), [0, 0.9, 0.2, 0.5, 0])
    assert assembled.dropped == (2,)
    assert set(assembled.placed) == {0, 1, 3, 4}
    assert assembled.verdict.tokens == 901


@pytest.mark.rule("6.37")
def test_that_the_newest_result_is_cut_before_a_protected_group_goes() -> None:
    view = look(conversation(480, 800), plain(1_000, protect_first_n=1))
    assembled = built(view)
    assert assembled.placed[1].form is Form.FULL
    assert assembled.placed[2].form is Form.SHRUNK
    assert assembled.shrunk == (2,)
    assert 950 < assembled.verdict.tokens <= 1_000
    assert assembled.verdict.warnings == (f"message 3 was cut from 800 to {assembled.placed[2].tokens} tokens to fit",)


def test_that_a_newest_result_uses_the_room_that_a_dropped_protected_group_leaves() -> None:
    # That many results cannot be cut so far that the protected exchange (480) stays beside them.
    calls = assistant("", *(call("", raw="") for _ in range(300)))
    results = [result(" ".join(f"row{number}" for number in range(60))) for _ in range(300)]
    built_of = session(user("ok"), *work(480), calls, *results, assistant("end"))
    view = look(built_of, plain(1_000, protect_first_n=1, protected_cap=1.0))
    assembled = built(view)
    assert assembled.dropped == (1,)
    assert assembled.placed[2].form is Form.SHRUNK
    assert 950 < assembled.verdict.tokens <= 1_000


def test_that_the_working_state_goes_before_a_protected_group() -> None:
    view = look(conversation(480, 40), plain(1_000, protect_first_n=1), working_state_tokens=900)
    assembled = built(view)
    assert not assembled.with_working_state
    assert set(assembled.placed) == {0, 1, 2}
    assert "the working state was left out: it does not fit beside the newest group" in assembled.verdict.warnings


def test_that_only_a_working_state_that_holds_something_is_injected() -> None:
    full = look(conversation(10), plain(), working_state_tokens=30)
    assert built(full).with_working_state
    assert not built(full, with_working_state=False).with_working_state
    assert not built(look(conversation(10), plain())).with_working_state


@pytest.mark.rule("6.38")
def test_that_a_request_that_does_not_fit_alone_is_cut_and_the_window_is_impossible() -> None:
    view = look(session(user(filler(3_000)), assistant("end")), plain(1_000))
    assembled = built(view)
    assert assembled.verdict.impossible
    assert assembled.placed[0].form is Form.SHRUNK
    assert assembled.verdict.warnings[0].startswith("the current user message alone does not fit the budget")


@pytest.mark.rule("6.38")
def test_that_a_request_that_fits_alone_makes_no_impossible_window() -> None:
    newest = (assistant("", call("", raw=filler(900))), result("ok"))
    view = look(session(user(filler(900)), *newest, assistant("end")), plain(1_000))
    assembled = built(view)
    assert not assembled.verdict.impossible
    assert set(assembled.placed) == {0, 1}


@pytest.mark.rule("6.34")
def test_that_a_window_that_would_start_with_an_answer_opens_with_a_mark() -> None:
    talk = session(system("x"), user("a"), assistant("b"), user("c"), assistant("d"), assistant("end"))
    view = look(talk, plain(), 3)
    assert not built(view, 1, 2).opening
    assert built(view, 2).opening
    assert needs_opening(view, [0, 2, 3])
    assert not needs_opening(view, [0, 1, 2])
    assert needs_opening(view, [0])
    assert needs_opening(view, [])


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        (None, "message 1 is active; only what is on standby or expired can be archived"),
        (ARCHIVED, "message 1 is archived; only what is on standby or expired can be archived"),
        (STANDBY, ""),
        (EXPIRED, ""),
    ],
)
def test_that_what_cannot_be_archived_rejects_the_plan_of_a_model(place: tuple[State, Form], sentence: str) -> None:
    view = look(conversation(10, 10, 10), plain(), places={1: place} if place else None)
    verdict = built(view, archive={1: "old"}).verdict
    assert verdict.errors == ((sentence,) if sentence else ())
    assert verdict.ok == (not sentence)


def test_that_archiving_what_the_plan_includes_is_refused() -> None:
    view = look(conversation(10, 10, 10), plain(), places={1: STANDBY})
    assert built(view, 1, archive={1: "old"}).verdict.errors == (
        "message 1 is in the window, so it cannot be archived",
    )


@pytest.mark.rule("6.27")
def test_that_archiving_a_pinned_group_is_refused() -> None:
    view = look(conversation(10, 10), plain(), places={1: STANDBY}, hand=ByHand(pins=frozenset({1})))
    assert built(view, archive={1: "old"}).verdict.errors == ("message 1 is pinned, so it cannot be archived",)


def test_that_a_message_of_the_future_is_refused() -> None:
    view = look(conversation(10, 10), plain(), call=2)
    assert built(view, 3).verdict.errors == ("message 3 is not known at call 2 yet",)


def test_that_what_the_planner_asks_for_in_vain_is_left_out_without_a_rejection() -> None:
    view = look(conversation(10, 10, 10), plain())
    assembled = built(view, archive={1: "old"}, author="planner")
    assert (assembled.verdict.ok, assembled.archive) == (True, {})


@pytest.mark.rule("6.28")
def test_that_a_protected_group_goes_before_a_pinned_one() -> None:
    calls = assistant("", *(call("", raw="") for _ in range(300)))
    results = [result(" ".join(f"row{number}" for number in range(60))) for _ in range(300)]
    talk = session(user("ok"), *work(250, 250), calls, *results, assistant("end"))
    newest = look(talk, plain()).tokens(3, Form.SHRUNK, 1)
    # Beside the newest group, cut as far as it can be, there is room for one of the two.
    profile = plain(newest + 400, protect_first_n=1, protected_cap=1.0)
    assert built(look(talk, profile, hand=ByHand(pins=frozenset({2})))).dropped == (1,)


def test_that_the_mark_that_opens_a_window_is_counted() -> None:
    talk = session(system("x"), user("a"), assistant("b"), user("c"), assistant("d"), assistant("end"))
    view = look(talk, plain(), 3)
    closed, opened = built(view, 1, 2), built(view, 2)
    for assembled in (closed, opened):
        parts = sum(placed.tokens for placed in assembled.placed.values())
        assert assembled.verdict.tokens == parts + opening_tokens(view) * assembled.opening
    assert (closed.opening, opened.opening) == (False, True)


def test_that_the_working_state_of_a_plan_is_what_its_window_is_counted_with() -> None:
    state = WorkingState(goals=(StateLine("find out why the login fails on the second try", 0),))
    view = look(conversation(10), plain(), working_state_tokens=0)
    text = view.sizes.tokenizer.count(render(state))
    assembled = built(view, working_state=state)
    assert assembled.with_working_state
    assert assembled.verdict.tokens == sum(p.tokens for p in assembled.placed.values()) + text
    emptied = look(conversation(10), plain(), working_state_tokens=500)
    assert not built(emptied, working_state=WorkingState()).with_working_state


@pytest.mark.rule("6.47")
def test_that_what_was_dropped_for_a_request_that_got_small_comes_back_newest_first() -> None:
    talk = session(user("ok", images=2), *work(400, 401, 402), assistant("end"))
    assembled = built(look(talk, plain(1_000)), *range(7))
    assert assembled.verdict.impossible
    assert set(assembled.placed) == {0, 2, 3}
