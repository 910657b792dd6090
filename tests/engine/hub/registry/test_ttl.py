from __future__ import annotations

from pathlib import Path

import pytest

from ravenglass.errors import ProfileError
from ravenglass.hub.files.uses import uses
from ravenglass.hub.registry.ttl import ttl_of
from ravenglass.presets import load, to_toml
from ravenglass.profile import make_profile
from ravenglass.rules import DEFAULT_TTL_RULES, Ttl, TtlRule
from ravenglass.sessions.model.session import ToolCall
from tests.engine.builders import assistant, call, result, session, user


def ttl(made: ToolCall, *rules: TtlRule, error: bool = False) -> Ttl:
    built = session(user("go"), assistant("", made), result("x", error=error))
    return ttl_of(uses(built)[0], rules or DEFAULT_TTL_RULES)


@pytest.mark.rule("4.27")
@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (call("Read", file_path="a.py"), "until_invalidated"),
        (call("Write", file_path="a.py", content="x"), "until_invalidated"),
        (call("exec_command", cmd="cat a.py"), "until_invalidated"),
        (call("WebFetch", url="https://example.org"), 86_400),
        (call("mcp__web__fetch_page", url="x"), 86_400),
        (call("google_web_search", query="x"), 86_400),
        (call("Edit", file_path="a.py", old_string="x", new_string="y"), "none"),
        (call("Bash", command="pytest"), "none"),
    ],
)
def test_that_files_live_until_invalidated_and_the_web_for_a_day(made: ToolCall, expected: Ttl) -> None:
    assert ttl(made) == expected


@pytest.mark.rule("4.27")
def test_that_the_first_rule_that_matches_wins() -> None:
    logs = TtlRule(tool="Read", path="*.log", ttl=60)
    reads = TtlRule(tool="Read", ttl="none")
    assert ttl(call("Read", file_path="x.log"), logs, reads) == 60
    assert ttl(call("Read", file_path="x.py"), logs, reads) == "none"
    assert ttl(call("read", path="x.py"), logs, reads) == "until_invalidated"


def test_that_rules_survive_a_profile_file(tmp_path: Path) -> None:
    rules = (TtlRule(tool="Read", ttl=60), TtlRule(tool="WebFetch", path="*", ttl="none"), *DEFAULT_TTL_RULES)
    path = tmp_path / "mine.toml"
    path.write_text(to_toml(make_profile(ttl_rules=rules)), encoding="utf-8")
    assert load(path).ttl_rules == rules


@pytest.mark.parametrize("value", [0, -1, "sometimes", None])
def test_that_a_time_to_live_that_is_none_is_refused_by_name(value: object) -> None:
    with pytest.raises(ProfileError) as error:
        make_profile(ttl_rules=({"tool": "Read", "ttl": value},))
    assert error.value.field == "ttl_rules"
