"""The order of the sections before a window's history."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.dialects import DIALECTS, check, request
from ravenglass.profile import Profile
from ravenglass.replay import SimulatedRun, branch, replay
from ravenglass.replay.answers.windows import first_break
from ravenglass.rules import DEFAULT_TIER_RULES, SECTIONS, SectionName, TierRule
from tests.engine.builders import assistant, call, developer, filler, result, session, system, user
from tests.engine.replay.runs import summary_runs, thorough
from tests.engine.replay.validity import problems
from tests.engine.scheduler.views import plain

ORDERS = st.permutations(SECTIONS).map(tuple)
RULES = (TierRule(role="developer", tier="task"), *DEFAULT_TIER_RULES)


def talk(order: tuple[SectionName, ...] = SECTIONS, **more: object) -> SimulatedRun:
    """An instruction, a request, later a developer message and a system message, a result larger than C."""
    work = [m for n in range(4) for m in (assistant("", call("Bash", command="ls")), result(f"{n} {filler(200)}"))]
    built = session(
        system("You are careful."), user("Fix the login. You must not touch src/cart.py."), *work,
        developer("The task: login."), system("The project uses uv."), *work,
        assistant("", call("Bash", command="make")), result(filler(3_000)), assistant("end"),
    )  # fmt: skip
    values = {"summarize": True, "quota_session": 0.3, "tier_rules": RULES, **more}
    return replay(built, plain(1_800, section_order=order, **values))


def labels(run: SimulatedRun, number: int) -> list[str]:
    """The head of a window: the section and first words of each block."""
    head = [m for m in run.window(number).messages if m.section != "history"]
    return [f"{m.section}: {m.text.split(chr(10))[0]}" for m in head]


HEAD = {
    "instruction": ["instruction: You are careful."],
    "task": ["task: The task: login."],
    "session": ["session: # Curator Working State", "session: # Summary of the earlier conversation"],
    "global": ["global: The project uses uv."],
    "atomic": [],
}


@pytest.mark.rule("5.7")
@pytest.mark.parametrize("order", list(permutations(SECTIONS))[::7])
def test_that_the_head_stands_in_the_order_of_the_profile(order: tuple[SectionName, ...]) -> None:
    run = talk(order)
    assert labels(run, run.calls) == [line for name in order for line in HEAD[name]]


@pytest.mark.rule("5.7")
def test_that_by_default_the_instruction_is_first_and_background_is_last() -> None:
    assert Profile().section_order == ("instruction", "task", "session", "global", "atomic")
    run = talk()
    assert labels(run, run.calls)[0] == "instruction: You are careful."
    assert labels(run, run.calls)[-1] == "global: The project uses uv."


def test_that_the_history_is_last_and_chronological_in_every_order() -> None:
    for order in permutations(SECTIONS):
        window = talk(order).window(6)
        sections = [m.section for m in window.messages]
        assert sections == [s for s in sections if s != "history"] + ["history"] * sections.count("history")
        ids = [m.id for m in window.messages if m.section == "history" and m.id is not None]
        assert ids == sorted(ids)


@thorough
@given(summary_runs(), ORDERS)
def test_that_the_order_changes_only_where_blocks_stand(run: SimulatedRun, order: tuple[SectionName, ...]) -> None:
    other = replay(run.session, run.profile.with_values(section_order=order))
    for number in range(1, run.calls + 1):
        one, two = run.window(number), other.window(number)
        assert one.tokens == two.tokens
        assert sorted(m.text for m in one.messages) == sorted(m.text for m in two.messages)
        assert [m.id for m in one.messages if m.section == "history"] == [
            m.id for m in two.messages if m.section == "history"
        ]
        assert run.totals(number) == other.totals(number)


@thorough
@given(summary_runs(), ORDERS)
def test_that_the_prefix_follows_the_order(run: SimulatedRun, order: tuple[SectionName, ...]) -> None:
    other = replay(run.session, run.profile.with_values(section_order=order))
    for number in range(1, other.calls + 1):
        window = other.window(number)
        assert window.stable_tokens == other._log.prefix[number - 1]
        broken = number > 1 and other._log.prefix[number - 1] < other.window_tokens[number - 2]
        assert bool(first_break(other.inputs, other._log, number)) == broken
        assert problems(window.messages) == []


@thorough
@given(summary_runs(), ORDERS, st.data())
def test_that_a_branch_with_another_order_counts_the_prefix_of_its_first_window_by_texts(
    run: SimulatedRun, order: tuple[SectionName, ...], data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, run.calls))
    other = branch(run, at, run.profile.with_values(section_order=order))
    for number in range(1, run.calls + 1):
        assert other.window(number).stable_tokens == other._log.prefix[number - 1]
    before = other.window(at - 1).messages if at > 1 else ()
    same = other.window(at).stable_prefix
    assert [m.text for m in other.window(at).messages[:same]] == [m.text for m in before[:same]]


@pytest.mark.parametrize(
    "dialect", [DIALECTS[0], *(pytest.param(more, marks=pytest.mark.proof) for more in DIALECTS[1:])]
)
def test_that_every_provider_takes_every_order(dialect: str) -> None:
    for order in permutations(SECTIONS):
        run = talk(order)
        for number in (1, 6, run.calls):
            made = request(dialect, run.window(number).messages)  # type: ignore[arg-type]
            assert check(dialect, made) == []  # type: ignore[arg-type]


def test_that_the_order_is_kept_where_a_provider_has_one_place_for_system_texts() -> None:
    run = talk(("global", "session", "instruction", "task", "atomic"))
    texts = [part["text"] for part in request("anthropic", run.window(run.calls).messages)["system"]]  # type: ignore[attr-defined]
    assert texts[0] == "The project uses uv."
    assert texts[-2:] == ["You are careful.", "The task: login."]


def test_that_a_volatile_section_in_front_costs_the_cache() -> None:
    first, last = talk(("session", "instruction", "task", "global", "atomic")), talk()
    assert first.metrics.cache_hit < last.metrics.cache_hit
