from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.files.fingerprint import NEVER
from ravenglass.hub.files.uses import uses
from ravenglass.hub.pins import Pin, newest_prompts, pins, protected
from ravenglass.rules import DEFAULT_PIN_RULES, PinRule
from ravenglass.sessions.model.session import Message, Session, ToolCall
from tests.engine.builders import assistant, call, developer, meta, result, session, sessions, summary, system, user

SKILL = "skills/local/subagent-dag-orchestration/SKILL.md"


def tool_group(*calls: ToolCall, error: bool = False) -> list[Message]:
    return [assistant("", *calls), *(result("x", error=error) for _ in calls)]


def skill(name: str) -> ToolCall:
    return call("Skill", skill=name)


def pinned(*exchanges: list[Message], rules: tuple[PinRule, ...] = DEFAULT_PIN_RULES) -> dict[int, Pin]:
    """Pins by exchange, counted from 1."""
    return pins(uses(session(user("go"), *(m for one in exchanges for m in one))), rules)


@pytest.mark.rule("6.24")
@pytest.mark.parametrize(
    "made",
    [
        call("Read", file_path=SKILL),
        call("Bash", command=f"cat {SKILL}"),
        call("load", names=["other", {"deep": "local/subagent-dag-orchestration"}]),
        call("Skill", skill="review"),
        call("Read", file_path="skills/review/SKILL.md"),
        call("read_file", path="skills/review/SKILL.md"),
    ],
)
def test_that_reading_a_skill_pins_its_group(made: ToolCall) -> None:
    assert list(pinned(tool_group(made))) == [1]


@pytest.mark.parametrize(
    "made", [call("Read", file_path="a.py"), call("Bash", command="cat review/SKILL.md"), call("Skill", raw="{")]
)
def test_that_other_groups_are_not_pinned(made: ToolCall) -> None:
    assert pinned(tool_group(made)) == {}


@pytest.mark.rule("6.29")
def test_that_reading_the_same_skill_again_moves_the_pin() -> None:
    found = pinned(
        tool_group(skill("review")),
        tool_group(skill("deploy")),
        tool_group(skill("review")),
        tool_group(skill("review")),
    )
    assert found == {
        1: Pin(1, "review", 3),
        2: Pin(2, "deploy", NEVER),
        3: Pin(3, "review", 4),
        4: Pin(4, "review", NEVER),
    }


def test_that_a_group_stays_pinned_until_the_last_of_its_skills_has_moved() -> None:
    found = pinned(tool_group(skill("review"), skill("deploy")), tool_group(skill("review")))
    assert found[1] == Pin(1, "deploy", NEVER)
    found = pinned(
        tool_group(skill("review"), skill("deploy")), tool_group(skill("deploy")), tool_group(skill("review"))
    )
    assert found[1] == Pin(1, "review", 3)


def test_that_a_failed_reading_takes_no_pin() -> None:
    found = pinned(tool_group(skill("review")), tool_group(skill("review"), error=True), tool_group(skill("review")))
    assert found == {1: Pin(1, "review", 3), 3: Pin(3, "review", NEVER)}


def test_that_the_same_skill_twice_in_one_group_is_one_pin() -> None:
    assert pinned(tool_group(skill("review"), skill("review"))) == {1: Pin(1, "review", NEVER)}


@pytest.mark.rule("6.24")
def test_that_pin_rules_are_data() -> None:
    rules = (PinRule(tool="Ba*", argument="*never*"),)
    assert list(pinned(tool_group(call("Bash", command="echo never")), tool_group(skill("x")), rules=rules)) == [1]
    assert pinned(tool_group(skill("x")), rules=()) == {}


@pytest.mark.rule("6.29")
@given(sessions())
def test_that_exactly_one_group_holds_each_instruction_at_any_time(built: Session) -> None:
    found = pins(uses(built), DEFAULT_PIN_RULES)
    for group, pin in found.items():
        assert pin.group == group < pin.moved_to
        assert pin.moved_to == NEVER or pin.moved_to in found
    for known in range(len(built.structure.groups) + 1):
        holding = [p for p in found.values() if p.group < known <= p.moved_to]
        keys = [p.key for p in holding]
        assert len(keys) == len(set(keys))


def heads(found: frozenset[int], built: Session) -> list[int]:
    """First messages of the groups."""
    return [built.structure.groups[g].messages[0] for g in sorted(found)]


@pytest.mark.rule("6.30")
def test_that_an_exchange_is_a_prompt_and_the_first_response_with_its_results() -> None:
    built = session(
        user("one"),
        *tool_group(call("Bash")),
        assistant("Done."),
        user("two"),
        assistant("Done."),
        user("three"),
        assistant("Done."),
    )
    assert heads(protected(built, 2), built) == [0, 1, 4, 5]
    assert heads(protected(built, 1), built) == [0, 1]
    assert protected(built, 0) == frozenset()
    assert len(protected(built, 9)) == 6


def test_that_instructions_are_protected_wherever_they_stand() -> None:
    built = session(system("be brief"), user("go"), assistant("Done."), developer("use pytest"))
    assert heads(protected(built, 0), built) == [0, 3]


def test_that_only_prompts_open_an_exchange() -> None:
    built = session(
        meta("reminder"), assistant("hello"), summary("so far"), user("go"), meta("hint"), assistant("Done.")
    )
    assert heads(protected(built, 1), built) == [3, 5]


@pytest.mark.parametrize("flag", ["synthetic", "api_error"])
def test_that_what_no_model_said_is_no_response(flag: str) -> None:
    built = session(user("go"), assistant("error 500", flags=[flag]), assistant("Done."))
    assert heads(protected(built, 1), built) == [0, 2]


def test_that_a_prompt_without_a_response_is_an_exchange_too() -> None:
    built = session(user("one"), user("two"), assistant("Done."), user("three"))
    assert heads(protected(built, 2), built) == [0, 1, 2]


@given(sessions(), st.integers(0, 5))
def test_that_protecting_more_exchanges_never_protects_less(built: Session, exchanges: int) -> None:
    fewer, more = protected(built, exchanges), protected(built, exchanges + 1)
    assert fewer <= more
    prompts = [g for g in more if built.messages[built.structure.groups[g].messages[0]].kind == "prompt"]
    assert len(prompts) <= exchanges + 1


def test_that_user_messages_are_listed_with_whether_a_person_typed_them() -> None:
    built = session(
        meta("reminder"), user("go"), assistant("Done."), result("lost", to="x"), user("/help", kind="command")
    )
    assert [(group.messages, typed) for group, typed in newest_prompts(built)] == [
        ((0,), False),
        ((1,), True),
        ((4,), False),
    ]
