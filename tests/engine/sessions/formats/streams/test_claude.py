"""Claude's stream: what a sub-agent says is a session of its own, below the call that started it."""

from __future__ import annotations

import json
from typing import Any

from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.follow import Follower
from tests.engine.sessions.conftest import Write

Json = dict[str, Any]


def line(kind: str, content: object, parent: str | None = None, **more: Any) -> Json:
    message = {"role": kind, "content": content, **more}
    return {"type": kind, "message": message, "parent_tool_use_id": parent, "session_id": "s1", "uuid": "u"}


def task(name: str, tool: str = "Task") -> Json:
    return {"type": "tool_use", "id": name, "name": tool, "input": {"prompt": f"look for {name}"}}


def result(name: str) -> list[Json]:
    return [{"type": "tool_result", "tool_use_id": name, "content": f"{name} was found"}]


def usage(sent: int) -> Json:
    return {"input_tokens": sent, "cache_read_input_tokens": 10, "output_tokens": 5}


LINES: list[Json] = [
    {"type": "system", "subtype": "init", "session_id": "s1", "cwd": "/p", "tools": ["Task"], "model": "m"},
    line("user", "go"),
    line("assistant", [task("t1"), task("t2")], id="a1", usage=usage(100)),
    line("user", "look for t1", "t1"),
    line("user", "look for t2", "t2"),
    line("assistant", [task("t1-1", "Bash")], "t1", id="b1", usage=usage(30)),
    line("assistant", [{"type": "text", "text": "two is done"}], "t2", id="c1", usage=usage(40)),
    line("user", result("t1-1"), "t1"),
    line("assistant", [{"type": "text", "text": "one is done"}], "t1", id="b2", usage=usage(50)),
    line("user", [*result("t1"), *result("t2")]),
    line("assistant", [{"type": "text", "text": "both"}], id="a2", usage=usage(200)),
]


def test_that_sub_agents_are_children_with_the_call_that_started_each(write: Write) -> None:
    session = open_session(write(*LINES))
    assert [message.role for message in session.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [(child.id, child.parent_call_id) for child in session.children] == [("s1/t1", "t1"), ("s1/t2", "t2")]
    assert {call.id for call in session.messages[1].tool_calls} == {child.parent_call_id for child in session.children}
    one, two = session.children
    assert [message.role for message in one.messages] == ["user", "assistant", "tool", "assistant"]
    assert [message.text for message in two.messages] == ["look for t2", "two is done"]
    figures = [m.usage.context for s in (session, one, two) for m in s.messages if m.usage is not None]
    assert figures == [110, 210, 40, 60, 50]
    assert one.messages[2].tool_call_id == "t1-1"
    assert session.warnings == ()
    assert json.loads(one.raw(0))["parent_tool_use_id"] == "t1"


def test_that_a_sub_agent_of_a_sub_agent_is_below_it(write: Write) -> None:
    inner = [
        line("assistant", [task("t9")], "t1", id="b3", usage=usage(60)),
        line("user", "look for t9", "t9"),
        line("assistant", [{"type": "text", "text": "nine"}], "t9", id="d1", usage=usage(20)),
        line("user", result("t9"), "t1"),
    ]
    session = open_session(write(*LINES, *inner))
    assert [child.parent_call_id for child in session.children] == ["t1", "t2"]
    (below,) = session.children[0].children
    assert (below.parent_call_id, [message.text for message in below.messages]) == ("t9", ["look for t9", "nine"])


def test_that_a_stream_that_grows_gives_its_sub_agents_as_they_come(write: Write) -> None:
    path = write(*LINES[:6])
    follower = Follower(path)
    first = follower.look()
    assert first is not None
    assert [len(child.messages) for child in first.session.children] == [2, 1]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(value) + "\n" for value in LINES[6:])
    then = follower.look()
    assert then is not None
    assert [len(child.messages) for child in then.session.children] == [4, 2]


def test_that_sub_agents_that_name_each_other_are_kept(write: Write) -> None:
    ring = [
        line("assistant", [task("t2")], "t1", id="b1"),
        line("assistant", [task("t1")], "t2", id="c1"),
        line("assistant", [task("t3")], "t3", id="d1"),
    ]
    session = open_session(write(line("user", "go"), *ring))
    assert sorted(str(child.parent_call_id) for child in session.children) == ["t1", "t2", "t3"]
