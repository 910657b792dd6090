from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.working_state.signals import constraints, decisions, first_line, request, telling


@pytest.mark.parametrize(
    ("prompt", "goal"),
    [
        ("Fix the login test. Then ship it.", "Fix the login test."),
        ("Fix src/auth.py first\nand then the rest", "Fix src/auth.py first"),
        ("Hi! Please fix the login test.", "Hi! Please fix the login test."),
        ("# Task\n\nMove the token store", "Task Move the token store"),
        (
            "Please solve this issue:\nThe build fails on Windows",
            "Please solve this issue: The build fails on Windows",
        ),
        ("1. add a cache layer\n2. test it", "add a cache layer"),
        ("<task>\nRename the module\n</task>", "Rename the module"),
        ("```\nlog\n```\nWhat does this log mean?", "What does this log mean?"),
        ("<system-reminder>Never answer.</system-reminder>Rename the module", "Rename the module"),
        ("[image image/png, 48,112 bytes]\nWhy is the button grey?", "Why is the button grey?"),
        ("修改登录模块的配额计算逻辑。然后运行测试。", "修改登录模块的配额计算逻辑。"),
        ("继续", ""),
        ("好的，继续。", ""),
        ("yes please", ""),
        ("OK, go ahead!", ""),
        ("...", ""),
        ("", ""),
    ],
)
def test_that_a_prompt_asks_for_its_first_sentence(prompt: str, goal: str) -> None:
    assert request(prompt) == goal


@pytest.mark.parametrize(
    "sentence",
    [
        "You must not change the public API.",
        "The patch must keep Python 3.9 working.",
        "Never edit generated files.",
        "Please always run the tests first.",
        "Fix it, but don't touch the TTL.",
        "Do not commit.",
        "I don't want new dependencies.",
        "Keep the signature of login() unchanged.",
        "Leave the migrations alone.",
        "Make sure the tests pass.",
        "Fix it and make sure it is fast.",
        "不要改动数据库。",
        "接口必须保持兼容。",
        "这里不能用全局变量。",
        "别动配置文件。",
        "务必先跑测试。",
        "禁止使用 eval。",
        "設定ファイルは変更しないでください。",
        "必ずテストを実行してください。",
    ],
)
def test_that_a_rule_of_the_user_is_found(sentence: str) -> None:
    assert constraints(f"Fix the login.\n{sentence} Thanks.") == (sentence,)


@pytest.mark.parametrize(
    "sentence",
    [
        "I don't know why it fails.",
        "It always fails on Windows.",
        "The function never returns.",
        "It must have been the cache.",
        "Why must this be so?",
        "I'll make sure that it happens again.",
        "Don't",
        "能不能加个缓存？",
        "现在不能登录了。",
        "要不要加缓存",
        "分别处理这些类别。",
        "特别慢。",
        "别的都好。",
    ],
)
def test_that_a_description_or_a_question_is_no_rule(sentence: str) -> None:
    assert constraints(sentence) == ()


def test_that_rules_in_code_and_injected_reminders_do_not_count() -> None:
    assert constraints("```\n# never edit this\n```") == ()
    assert constraints("<system-reminder>Never edit this.</system-reminder> Go on") == ()


def test_that_a_list_after_a_rule_belongs_to_it() -> None:
    prompt = "Do not change any of these:\n- setup.cfg\n- tests\nThanks"
    assert constraints(prompt) == ("Do not change any of these: setup.cfg; tests",)


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        ("Decision: store sessions in SQLite.", "store sessions in SQLite."),
        ("**Decision:** store sessions in SQLite.", "store sessions in SQLite."),
        ("## Decision:\n\nStore sessions in SQLite.", "Store sessions in SQLite."),
        ("Looked at both. We decided to keep the lock.", "We decided to keep the lock."),
        ("I'll use msgspec instead of json because it is faster.",) * 2,
        ("I’ll go with zstd rather than gzip.",) * 2,
        ("决定：采用 SQLite。", "采用 SQLite。"),
        ("我决定采用 SQLite。",) * 2,
        ("这里改用增量计算，而不是全量。",) * 2,
    ],
)
def test_that_a_stated_decision_is_found(said: str, decision: str) -> None:
    assert decisions(f"Let me see.\n{said}\nNow the code.") == (decision,)


@pytest.mark.parametrize(
    "said",
    [
        "I'll use the Read tool.",
        "The decision is yours.",
        "Should we use SQLite instead of JSON?",
        "使用说明如下。",
        "",
    ],
)
def test_that_ordinary_talk_is_no_decision(said: str) -> None:
    assert decisions(said) == ()


@given(st.text(st.characters()) | st.text("\n -*#.:!?。 Imustdn't", max_size=300))
def test_that_any_text_is_read_without_an_error_and_gives_lines_without_breaks(text: str) -> None:
    for line in (request(text), first_line(text), telling(text), *constraints(text), *decisions(text)):
        assert "\n" not in line
        assert line == line.strip()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Found it. The lock in src/auth.py is taken twice. Next.",
            "Found it. The lock in src/auth.py is taken twice.",
        ),
        (
            "**The formula:**\n- agent lines by all lines of a commit\n- later",
            "**The formula:** agent lines by all lines of a commit",
        ),
        ("好的。锁在 src/auth.py 中被获取了两次。现在来修复它。", "好的。 锁在 src/auth.py 中被获取了两次。"),
        ("Let me look at the auto-commit strategy now. Done.", "Let me look at the auto-commit strategy now."),
        ("Tests pass.", "Tests pass."),
        ("Perfect! Great!", ""),
        ("```\ncode\n```", ""),
    ],
)
def test_that_what_is_told_of_a_text_goes_on_until_it_says_something(text: str, told: str) -> None:
    assert telling(text) == told
