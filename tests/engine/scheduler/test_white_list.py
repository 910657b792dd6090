"""The white list of the global tier: what is on it, and what becomes of what is not."""

from __future__ import annotations

import pytest
from hypothesis import given

from ravenglass.hub.tiers import off_list, tiers
from ravenglass.profile import Profile
from ravenglass.replay import replay
from ravenglass.sessions.model.session import Message, Session, ToolCall
from tests.engine.builders import assistant, call, developer, profiles, result, session, sessions, system, user
from tests.engine.scheduler.views import plain, ruled


def read(path: str) -> ToolCall:
    return call("Read", file_path=path)


def tier_of(first: Message) -> str:
    """The tier in which a group stands, cap and list applied."""
    answers = [result("x") for _ in first.tool_calls]
    return ruled(session(user("go"), first, *answers, assistant("Done.")), plain(global_cap=1))[1].tier[1]


@pytest.mark.rule("3.12")
@pytest.mark.parametrize(
    "first",
    [
        system("be brief"),
        developer("use pytest"),
        *(
            assistant("", read(path))
            for path in (
                "/home/dev/shop/CLAUDE.md", "AGENTS.md", "GEMINI.md", "README.md", "CONTRIBUTING.md", ".cursorrules",
                ".editorconfig", "pyproject.toml", "web/package.json", "Cargo.toml", "requirements-dev.txt",
            )
        ),
        assistant("", call("tree", path=".")),
        assistant("", read("CLAUDE.md"), read("package.json")),
    ],
)  # fmt: skip
def test_that_instructions_conventions_dependencies_and_trees_are_on_the_list(first: Message) -> None:
    assert tier_of(first) == "global"


@pytest.mark.rule("3.12")
@pytest.mark.parametrize(
    "first",
    [
        user("Always use tabs."),
        assistant("I will use tabs."),
        assistant("", read("src/auth.py")),
        assistant("", read("docs/CLAUDE.md.bak")),
        assistant("", call("Edit", file_path="CLAUDE.md", old_string="a", new_string="b")),
        assistant("", call("Bash", command="cat notes.txt")),
        assistant("", call("Grep", pattern="x", path="CLAUDE.md")),
    ],
)
def test_that_nothing_else_is_on_it(first: Message) -> None:
    assert tier_of(first) != "global"


@pytest.mark.rule("3.13")
def test_that_a_group_that_holds_something_else_too_is_demoted_when_it_is_registered() -> None:
    both = [assistant("", read("CLAUDE.md"), call("Bash", command="pytest")), result("rules"), result("1 passed")]
    run = replay(session(user("go"), *both, assistant("Done.")), plain(50_000))
    (demoted,) = (e for e in run.events(2) if e.event == "item_demoted")
    reason = "Bash is not on the white list of the global tier"
    assert demoted.payload == {"from": "global", "to": "task", "reason": reason}
    assert demoted.messages == (1, 2, 3)
    assert run.row(2, 2).tier == run.row(2, 3).tier == "task"
    assert run.frame(2).tiers[0].used == 0


@pytest.mark.rule("3.13")
@given(sessions(), profiles())
def test_that_nothing_in_the_global_tier_holds_what_is_not_on_the_list(built: Session, profile: Profile) -> None:
    _, found = ruled(built, profile)
    before = tiers(built, profile.tier_rules)
    for group in built.structure.groups:
        strangers = off_list(built, profile.tier_rules, group)
        if found.tier[group.index] == "global":
            assert not strangers
        elif before[group.index] == "global" and strangers:
            assert found.demoted[group.index].startswith(strangers[0])
