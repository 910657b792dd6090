"""When the assembler asks for a summary, and what may make room for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.assembler import assemble
from ravenglass.curator.plan import Assembled, Plan
from ravenglass.hub.item import Form
from ravenglass.hub.summary import Summary
from ravenglass.scheduler.exempt import exemptions
from ravenglass.scheduler.scoring import scores
from ravenglass.scheduler.view import ByHand, View
from tests.engine.builders import assistant, filler, session, user
from tests.engine.curator.test_assembler import built, conversation, work
from tests.engine.replay.runs import thorough
from tests.engine.scheduler.views import ARCHIVED, look, plain, views


@dataclass
class Scribe:
    """Writes summaries of a fixed size, or says that it cannot in fewer than `least` tokens."""

    size: int = 100
    least: int = 10
    asked: list[tuple[int, tuple[int, ...], int]] = field(default_factory=list)

    def summary(self, call: int, groups: Sequence[int], cap: int) -> Summary | None:
        self.asked.append((call, tuple(groups), cap))
        if cap < self.least or not groups:
            return None
        return Summary(call, f"of {list(groups)}", min(self.size, cap), len(groups))


def pressed(scribe: Scribe | None = None, **more: Any) -> View:
    """A view on a request, three groups and a newest one that is larger than C."""
    return look(conversation(300, 300, 300, 3_000), plain(1_000, quota_session=0.3), summarizer=scribe, **more)


@pytest.mark.rule("10.5")
def test_that_a_summary_stands_for_what_left_where_eviction_was_not_enough() -> None:
    scribe = Scribe()
    assembled = built(pressed(scribe), 0, 1, 3, 5, 7)
    assert assembled.summary == Summary(5, "of [1, 2, 3]", 100, 3)
    assert set(assembled.placed) == {0, 4}
    assert sum(p.tokens for p in assembled.placed.values()) + 100 == assembled.verdict.tokens <= 1_000
    assert assembled.placed[4].tokens > 850, "the newest group takes the rest"


@pytest.mark.rule("10.5")
def test_that_none_is_made_where_eviction_is_enough() -> None:
    scribe = Scribe()
    view = look(conversation(300, 300, 300, 300), plain(1_000, quota_session=0.3), summarizer=scribe)
    assembled = built(view, 0, 1, 3, 5, 7)
    assert assembled.dropped
    assert (assembled.summary, scribe.asked) == (None, [])


def test_that_none_is_made_where_nobody_writes_one_or_nothing_left() -> None:
    assert built(pressed(), 0, 1, 3, 5, 7).summary is None
    alone = look(session(user("ok"), *work(3_000), assistant("end")), plain(1_000), summarizer=Scribe())
    assert alone.summarizer is not None
    assert built(alone, 0, 1).summary is None


@pytest.mark.rule("10.5")
def test_that_protected_groups_over_their_cap_are_told_of_while_they_are_out() -> None:
    talk = session(user(filler(600)), assistant("so"), user("ok"), *work(100, 100), assistant("end"))
    profile = plain(2_000, protect_first_n=1, protected_cap=0.2, trim_target=0.2, quota_session=0.3)
    scribe = Scribe(size=60)
    view = look(talk, profile, summarizer=scribe)
    assembled = built(view, 2, 3, 5)
    assert 0 in exemptions(view).released
    assert 0 not in assembled.placed
    assert assembled.summary is not None
    assert 0 in scribe.asked[0][1]
    gone = look(talk, profile, places={0: ARCHIVED}, summarizer=scribe)
    assert built(gone, 2, 3, 5).summary is not None, "still out, though archived since"
    by_hand = look(talk, profile, places={0: ARCHIVED}, summarizer=scribe, hand=ByHand(archived=frozenset({0})))
    assert built(by_hand, 2, 3, 5).summary is None, "a person wants it out"


def test_that_it_stays_within_its_size_and_the_session_quota_beside_the_working_state() -> None:
    scribe = Scribe(size=5_000)
    assembled = built(pressed(scribe, working_state_tokens=120), 0, 1, 3, 5, 7)
    assert assembled.with_working_state
    assert scribe.asked[0][2] == 300 - 120
    assert assembled.summary is not None
    assert assembled.summary.tokens == 180
    small = plain(1_000, quota_session=0.3, summary_tokens=100)
    view = look(conversation(300, 300, 300, 3_000), small, summarizer=Scribe(size=5_000))
    found = built(view, 0, 1, 3, 5, 7).summary
    assert found is not None
    assert found.tokens == 100


def test_that_what_has_to_stay_makes_no_room_for_it() -> None:
    """Request and pin leave 110 tokens: the summary gets smaller until it fits, neither of them is cut for it."""
    talk = session(user("old " + filler(500)), assistant("so"), user(filler(700)), *work(190, 400), assistant("end"))
    scribe = Scribe(size=300)
    view = look(talk, plain(1_000, quota_session=0.3), summarizer=scribe, hand=ByHand(pins=frozenset({3})))
    assembled = built(view, 0, 1, 2, 3, 5)
    assert [cap for _, _, cap in scribe.asked] == [300, 150, 75]
    assert assembled.summary is not None
    assert assembled.summary.tokens == 75
    assert {g: p.form for g, p in assembled.placed.items()} == {2: Form.FULL, 3: Form.FULL, 4: Form.SHRUNK}
    assert not assembled.verdict.impossible


def test_that_a_summary_larger_than_what_it_stands_for_is_not_taken() -> None:
    view = look(conversation(20, 3_000), plain(1_000, quota_session=0.3), summarizer=Scribe(size=100))
    assert built(view, 0, 1, 3).dropped == (1,)
    assert built(view, 0, 1, 3).summary is None


@st.composite
def told_views(draw: st.DrawFn) -> View:
    view = draw(views())
    sizes = st.sampled_from((10, 60, 400, 3_000))
    return View(**{**vars_of(view), "summarizer": Scribe(draw(sizes), draw(st.sampled_from((10, 200))))})  # type: ignore[arg-type]


def vars_of(view: View) -> dict[str, object]:
    return {name: getattr(view, name) for name in View.__dataclass_fields__}


def made(view: View, include: frozenset[int]) -> Assembled:
    return assemble(view, Plan(include, "planner"), exemptions(view), scores(view).total)


@thorough
@given(told_views(), st.data())
def test_that_with_a_summary_windows_stay_in_budget_and_lose_nothing_that_has_to_stay(
    view: View, data: st.DataObject
) -> None:
    messages = len(view.features.session.messages)
    include = data.draw(st.frozensets(st.integers(0, messages - 1)))
    bare = made(View(**{**vars_of(view), "summarizer": None}), include)  # type: ignore[arg-type]
    told = made(view, include)
    total = sum(p.tokens for p in told.placed.values())
    assert told.verdict.tokens <= view.budget.available
    assert told.verdict.tokens >= total + (told.summary.tokens if told.summary else 0)
    assert (told.verdict.impossible, told.with_working_state) == (bare.verdict.impossible, bare.with_working_state)
    exempt = exemptions(view).forms.keys()
    assert exempt & bare.placed.keys() <= told.placed.keys()
    if told.summary is None:
        assert (told.placed, told.dropped, told.verdict) == (bare.placed, bare.dropped, bare.verdict)
    else:
        assert told.summary.messages == view.known - len(told.placed)
        assert told.summary.tokens <= view.profile.summary_tokens
        assert told.placed.keys() <= bare.placed.keys()


def test_that_a_summary_tells_of_what_left_to_make_room_for_it() -> None:
    talk = session(user(filler(2_600)), assistant("so"), user("ok"), *work(450, 450), assistant("end"))
    profile = plain(1_000, protect_first_n=1, protected_cap=0.2, quota_session=0.3)
    scribe = Scribe(size=200)
    assembled = built(look(talk, profile, summarizer=scribe), 2, 3, 5)
    assert set(assembled.placed) == {1, 2, 4}
    assert [groups for _, groups, _ in scribe.asked] == [(0,), (0, 3)]
    assert assembled.summary is not None
    assert (assembled.summary.text, assembled.summary.messages) == ("of [0, 3]", 2)
