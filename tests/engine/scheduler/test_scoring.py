from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.profile import make_profile
from ravenglass.scheduler.intent.entities import entities
from ravenglass.scheduler.scoring import intent_of, matched, scores
from ravenglass.scheduler.view import ByHand, View
from tests.engine.builders import assistant, call, meta, result, session, summary, system, user
from tests.engine.scheduler.views import look, plain, views


@pytest.mark.rule("5.4")
@given(views())
def test_that_every_part_lies_between_0_and_1_and_the_score_is_their_weighted_sum(view: View) -> None:
    found = scores(view)
    profile = view.profile
    for values in (found.relevance, found.recency, found.reliability, found.total):
        assert len(values) == view.known
    for g in range(view.known):
        parts = found.relevance[g], found.recency[g], found.reliability[g]
        assert all(0 <= part <= 1 for part in parts)
        weights = profile.weight_relevance, profile.weight_recency, profile.weight_source
        assert found.total[g] == pytest.approx(sum(w * p for w, p in zip(weights, parts, strict=True)))


@pytest.mark.rule("5.21")
@given(views())
def test_that_relevance_is_the_weighted_share_of_the_intent_that_a_group_holds(view: View) -> None:
    found = scores(view)
    weights = found.intent.weights
    for g in range(view.known):
        if g in view.hand.relevance:
            assert found.relevance[g] == view.hand.relevance[g]
            continue
        held = sum(weight for entity, weight in weights.items() if entity in view.features.entities[g])
        assert found.relevance[g] == pytest.approx(held / found.intent.total if weights else 0)
        assert set(matched(view, g, found.intent)) == set(weights) & view.features.entities[g]


@pytest.mark.rule("5.1")
@given(views())
def test_that_the_intent_is_what_request_or_goals_share_with_something_else(view: View) -> None:
    weights = intent_of(view).weights
    request = view.standing.prompt_at[view.call]
    if request is None:
        request = view.standing.user_at[view.call]
    texts = list(view.goals)
    if request is not None:
        texts.append(view.features.session.messages[view.features.groups[request].messages[0]].text)
    named = {entity for text in texts for entity in entities(text)}
    holders = {e: [g for g in range(view.known) if e in view.features.entities[g]] for e in named}
    assert set(weights) == {e for e, found in holders.items() if set(found) - {request}}
    for entity, weight in weights.items():
        assert weight == pytest.approx(math.log(1 + view.known / len(holders[entity])))
    assert list(weights.values()) == sorted(weights.values(), reverse=True)


def test_that_what_only_the_request_holds_is_no_part_of_the_intent() -> None:
    built = session(
        user("Fix src/auth.py"), assistant("Done."), user("Fix src/auth.py and invoice_totals"), assistant("x")
    )
    view = look(built)
    assert "src/auth.py" in intent_of(view).weights
    assert "invoice_totals" not in intent_of(view).weights


@pytest.mark.rule("5.1")
def test_that_the_open_goals_are_part_of_the_intent() -> None:
    built = session(user("Fix src/auth.py"), assistant("Done."), user("go on"), assistant("x"))
    assert intent_of(look(built)).weights == {}
    view = look(built, goals=("Fix src/auth.py", "Write release_notes"))
    assert set(intent_of(view).weights) == {"fix", "src/auth.py", "auth.py"}
    assert scores(view).relevance == [1, 0, 0]


def test_that_without_a_prompt_the_latest_user_message_is_the_request() -> None:
    built = session(summary("src/auth.py raises KeyError"), meta("see src/auth.py"), assistant("Done."))
    assert "src/auth.py" in intent_of(look(built)).weights
    assert intent_of(look(session(assistant("src/auth.py"), assistant("src/auth.py")))).weights == {}


@pytest.mark.rule("5.9")
def test_that_a_chinese_request_finds_what_it_is_about() -> None:
    built = session(
        user("先看数据库连接"), assistant("连接池在 src/pool.py"), user("修改配额计算"), assistant("配额计算已修改"),
        user("配额计算还是不对"), assistant("好"),
    )  # fmt: skip
    relevance = scores(look(built)).relevance
    assert min(relevance[2:4]) > 0
    assert relevance[1] == 0


@pytest.mark.rule("5.21")
def test_that_a_rare_entity_counts_more_than_a_common_one() -> None:
    common = [m for _ in range(5) for m in (user("login again"), assistant("login done"))]
    built = session(
        *common, user("see src/auth.py"), assistant("ok"), user("the login and src/auth.py"), assistant("x")
    )
    view = look(built)
    weights = intent_of(view).weights
    assert weights["src/auth.py"] > weights["login"]
    assert scores(view).relevance[10] > scores(view).relevance[0]


@pytest.mark.rule("5.22")
def test_that_recency_falls_with_every_turn() -> None:
    built = session(*(m for n in range(4) for m in (user(f"request {n}"), assistant("Done."))))
    assert scores(look(built, make_profile(relevance_decay=0.5))).recency == [
        0.125, 0.125, 0.25, 0.25, 0.5, 0.5, 1.0,
    ]  # fmt: skip
    assert set(scores(look(built, make_profile(relevance_decay=1))).recency) == {1.0}
    assert scores(look(built, make_profile(relevance_decay=0))).recency == [0] * 6 + [1]
    assert scores(look(built, call=1)).recency == [1.0]


@pytest.mark.rule("5.23")
def test_that_reliability_is_that_of_the_source() -> None:
    built = session(
        system("be brief"), user("go"), assistant("", call("Bash", command="git diff")), result("x"),
        assistant("", call("Read", file_path="a.py")), result("y"), assistant("Hm."), summary("so far"),
        assistant("Done."),
    )  # fmt: skip
    assert scores(look(built)).reliability == [1.0, 1.0, 0.9, 0.8, 0.6, 0.5]
    trusting = make_profile(reliability={"assistant": 0.95})
    assert scores(look(built, trusting)).reliability == [1.0, 1.0, 0.9, 0.8, 0.95, 0.5]


@pytest.mark.rule("5.21")
def test_that_relevance_set_by_hand_replaces_the_computed_one() -> None:
    built = session(user("Fix src/auth.py"), assistant("Done."), user("src/auth.py"), assistant("x"))
    view = look(built, hand=ByHand(relevance={0: 0.25, 1: 0.75, 9: 1.0}))
    assert scores(view).relevance == [0.25, 0.75, 1.0]


@pytest.mark.rule("5.4")
def test_that_weights_of_zero_take_a_part_out() -> None:
    built = session(user("Fix src/auth.py"), assistant("Done."), user("src/auth.py"), assistant("x"))
    view = look(built, plain(weight_relevance=0, weight_recency=0, weight_source=1))
    found = scores(view)
    assert found.total == found.reliability


@given(views(), st.data())
def test_that_a_candidate_scores_the_same_alone_as_among_all_groups(view: View, data: st.DataObject) -> None:
    every = scores(view).everything
    chosen = sorted(data.draw(st.sets(st.sampled_from(range(view.known))))) if view.known else []
    near = scores(view)
    for part, column in zip(near.rate(np.array(chosen, dtype=np.int64)), every, strict=True):
        assert part.tolist() == [column[g] for g in chosen]
    assert [near.total[g] for g in chosen] == [every.total[g] for g in chosen]
    assert list(near.total) == list(every.total)
