from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ravenglass.hub.tiers import off_list, tiers
from ravenglass.rules import DEFAULT_TIER_RULES, TIERS, TierRule
from ravenglass.sessions.model.session import Message, Session
from tests.engine.builders import assistant, call, developer, meta, result, session, sessions, summary, system, user


def tier_of(*messages: Message, rules: tuple[TierRule, ...] = DEFAULT_TIER_RULES) -> str:
    """Tier of the last group."""
    return tiers(session(*messages), rules)[-1]


@pytest.mark.rule("4.2", "4.3", "4.4", "4.5", "3.12")
@pytest.mark.parametrize(
    ("first", "tier"),
    [
        (system("be brief"), "global"),
        (developer("be brief"), "global"),
        (user("go"), "session"),
        (meta("a reminder"), "session"),
        (summary("so far"), "session"),
        (assistant("Done."), "session"),
        (assistant("", call("Read", file_path="/home/dev/shop/CLAUDE.md")), "global"),
        (assistant("", call("Read", file_path="README.md")), "global"),
        (assistant("", call("view", path="sub/pyproject.toml")), "global"),
        (assistant("", call("tree", path=".")), "global"),
        (assistant("", call("Read", file_path="src/auth.py")), "task"),
        (assistant("", call("Edit", file_path="CLAUDE.md", old_string="a", new_string="b")), "task"),
        (assistant("", call("Write", file_path="README.md", content="x")), "task"),
        (assistant("", call("Bash", command="pytest -q")), "task"),
        (assistant("", call("Grep", pattern="x")), "atomic"),
        (assistant("", call("Glob", pattern="*.py")), "atomic"),
        (assistant("", call("LS", path=".")), "atomic"),
        (assistant("", call("WebFetch", url="https://example.org")), "atomic"),
        (assistant("", call("WebSearch", query="x")), "atomic"),
        (assistant("", call("mcp__tracker__search_issues", query="x")), "atomic"),
        (assistant("", call("Grep", raw="{")), "atomic"),
    ],
)
def test_that_the_default_rules_give_the_tiers_of_the_design(first: Message, tier: str) -> None:
    assert tier_of(first) == tier


@pytest.mark.rule("4.6")
@pytest.mark.parametrize(
    ("names", "tier"),
    [
        (("Grep", "Bash"), "task"),
        (("Bash", "Grep"), "task"),
        (("Grep", "Glob"), "atomic"),
        (("Grep", "tree", "Bash"), "global"),
    ],
)
def test_that_the_strongest_member_decides(names: tuple[str, ...], tier: str) -> None:
    assert tier_of(assistant("", *map(call, names))) == tier


@pytest.mark.rule("4.1")
def test_that_the_first_matching_rule_wins() -> None:
    rules = (TierRule(tool="Bash", tier="atomic"), TierRule(tool="B*", tier="global"), TierRule(tier="session"))
    assert tier_of(assistant("", call("Bash")), rules=rules) == "atomic"
    assert tier_of(assistant("", call("Build")), rules=rules) == "global"
    assert tier_of(assistant("", call("Read")), rules=rules) == "session"


def test_that_what_no_rule_matches_is_task() -> None:
    assert tier_of(user("go"), rules=()) == "task"
    assert tier_of(user("go"), rules=(TierRule(role="tool", tier="global"),)) == "task"


@pytest.mark.rule("4.1")
@pytest.mark.parametrize(
    ("rule", "hits", "misses"),
    [
        (TierRule(tier="global", role="user"), user("go"), assistant("Done.")),
        (TierRule(tier="global", role="tool"), assistant("", call("Bash")), assistant("Done.")),
        (TierRule(tier="global", closing=True), assistant("Done."), assistant("", call("Bash"))),
        (TierRule(tier="global", closing=False), assistant("", call("Bash")), assistant("Done.")),
        (TierRule(tier="global", source="summary"), summary("so far"), user("go")),
        (TierRule(tier="global", source="git_diff"), assistant("", call("Bash", command="git diff")), user("go")),
        (TierRule(tier="global", path="src/*"), assistant("", call("Read", file_path="src/a.py")), assistant("Done.")),
    ],
)
def test_that_every_part_of_a_rule_can_decide(rule: TierRule, hits: Message, misses: Message) -> None:
    assert tier_of(hits, rules=(rule,)) == "global"
    assert tier_of(misses, rules=(rule,)) == "task"


def test_that_an_orphan_result_is_ruled_like_the_user_message_it_is_shown_as() -> None:
    assert tier_of(result("lost", to="x")) == "session"


@pytest.mark.rule("4.6")
@given(sessions())
def test_that_every_group_has_one_tier(built: Session) -> None:
    found = tiers(built, DEFAULT_TIER_RULES)
    assert len(found) == len(built.structure.groups)
    assert set(found) <= set(TIERS)


@pytest.mark.rule("3.13")
def test_that_what_belongs_to_the_session_is_not_on_the_white_list_either() -> None:
    rules = (TierRule(tool="Read", tier="global"), TierRule(tool="Note", tier="session"))
    both = assistant("", call("Read", file_path="a"), call("Note", text="x"), call("Bash"))
    built = session(user("go"), both, result("a"), result("b"), result("c"))
    assert off_list(built, rules, built.structure.groups[1]) == ("Note", "Bash")


_RULES = st.builds(
    TierRule,
    tier=st.sampled_from(TIERS),
    role=st.sampled_from(("*", "tool", "user")),
    tool=st.sampled_from(("*", "Read", "R*")),
    path=st.sampled_from(("*.md", "src/*", "*.py", "*")),
)


@example((TierRule(tier="atomic", path="*.md"), TierRule(tier="session", path="src/*"), TierRule(tier="global")))
@given(st.lists(_RULES, min_size=2, max_size=6).map(tuple))
def test_that_of_many_rules_about_paths_the_first_that_matches_all_of_a_call_wins(rules: tuple[TierRule, ...]) -> None:
    for tool in ("Read", "Run"):
        for path in ("a.md", "src/a.md", "src/a.py", "a.py"):
            fitting = (
                rule.tier
                for rule in rules
                if rule.role in ("*", "tool") and fnmatchcase(tool, rule.tool) and fnmatchcase(path, rule.path)
            )
            assert tier_of(assistant("", call(tool, file_path=path)), rules=rules) == next(fitting, "task")
