from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from ravenglass.hub.files.uses import source_of_group, uses
from ravenglass.rules import DEFAULT_RELIABILITY
from ravenglass.sessions.model.session import Message, Session
from tests.engine.builders import assistant, call, developer, meta, result, session, sessions, summary, system, user


def test_that_each_call_is_listed_with_the_result_that_answered_it() -> None:
    built = session(
        user("go"),
        assistant("", call("Read", file_path="a.py"), call("Bash", command="ls")),
        result("b.py", to="call_2"),
        result("x = 1", to="call_1"),
        assistant("", call("Bash", command="rm")),
        result("denied", error=True),
        assistant("", call("Read", file_path="c.py")),
    )
    assert [(use.group, use.call.id, use.use.op, use.result) for use in uses(built)] == [
        (1, "call_1", "read", 3),
        (1, "call_2", "none", 2),
        (2, "call_3", "none", None),
        (3, "call_4", "read", None),
    ]


@given(sessions())
def test_that_a_use_points_at_a_good_result_of_its_own_group(built: Session) -> None:
    for use in uses(built):
        group = built.structure.groups[use.group]
        assert any(use.call in built.messages[m].tool_calls for m in group.messages)
        if use.result is not None:
            answer = built.messages[use.result]
            assert use.result in group.messages
            assert (answer.role, answer.tool_call_id, answer.is_error) == ("tool", use.call.id, False)


@pytest.mark.parametrize(
    ("first", "source"),
    [
        (user("go"), "user_input"),
        (user("/help", kind="command"), "user_input"),
        (meta("a reminder"), "tool_result"),
        (summary("so far"), "summary"),
        (system("be brief"), "instruction"),
        (developer("be brief"), "instruction"),
        (assistant("Done."), "assistant"),
        (result("lost", to="x"), "tool_result"),
        (assistant("", call("Read", file_path="a.py")), "tool_result"),
        (assistant("", call("Bash", command="git diff")), "git_diff"),
        (assistant("", call("Read", file_path="a.py"), call("lsp_hover")), "lsp_symbol"),
        (assistant("", call("lsp_hover"), call("Bash", command="git diff")), "git_diff"),
    ],
)
def test_that_a_group_is_as_trustworthy_as_its_best_source(first: Message, source: str) -> None:
    built = session(first)
    assert source_of_group(built, built.structure.groups[0]) == source
    assert source in DEFAULT_RELIABILITY


def test_that_the_uses_of_a_session_are_found_once_and_those_of_another_anew() -> None:
    built = session(user("look"), assistant("", call("Read", file_path="ledger.py")), result("text"))
    other = replace(built, derived={})

    assert uses(built) is uses(built)
    assert uses(other) is not uses(built)
    assert uses(other) == uses(built)
