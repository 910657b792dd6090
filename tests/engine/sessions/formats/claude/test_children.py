"""Sub-agents of Claude Code: in the file, embedded in progress, and in files beside it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from ravenglass.sessions import counts, open_session
from tests.engine.sessions.conftest import assistant, encoded, result, say, use, user

Write = Callable[..., Path]


def side(record: dict[str, object], parent: str | None = None, **more: object) -> dict[str, object]:
    return {**record, "isSidechain": True, "parentUuid": parent, **more}


def embedded(record: dict[str, object], agent: str = "ag1", call: str = "t1") -> dict[str, object]:
    inner = {key: record[key] for key in ("type", "message", "uuid")}
    data = {"type": "agent_progress", "agentId": agent, "prompt": "look", "message": inner}
    return {"type": "progress", "uuid": f"p-{record['uuid']}", "sessionId": "s1", "parentToolUseID": call, "data": data}


def test_that_interleaved_sidechains_become_children_by_their_chain_roots(write: Write) -> None:
    session = open_session(
        write(
            user("go"),
            assistant(use("t1", "Task", prompt="look for A"), use("t2", "Task", prompt="look for B")),
            side(user("look for B", uuid="b1")),
            side(user("look for A", uuid="c1")),
            side(assistant(say("B it is"), uuid="b2", mid="mb"), "b1"),
            side(assistant(say("A it is"), uuid="c2", mid="mc"), "c1"),
            user([result("t1"), result("t2")], uuid="u2"),
        )
    )
    assert [message.role for message in session.messages] == ["user", "assistant", "tool", "tool"]
    assert [(child.id, child.parent_call_id, child.messages[1].text) for child in session.children] == [
        ("b1", "t2", "B it is"),
        ("c1", "t1", "A it is"),
    ]
    assert session.children[0].raw(0) == encoded(side(user("look for B", uuid="b1")))
    assert counts(session).children == 2


def test_that_two_agents_with_the_same_prompt_belong_to_two_calls(write: Write) -> None:
    session = open_session(
        write(
            assistant(use("t1", "Agent", prompt="look"), use("t2", "Agent", prompt="look")),
            side(user("look", uuid="b1"), agentId="x"),
            side(user("look", uuid="c1"), agentId="y"),
        )
    )
    assert [(child.id, child.parent_call_id) for child in session.children] == [("x", "t1"), ("y", "t2")]


def test_that_a_file_of_sidechain_records_only_is_a_session_of_its_own(write: Write) -> None:
    path = write(
        side(user("look", uuid="b1"), agentId="x"),
        side(assistant(say("found"), uuid="b2"), "b1", agentId="x"),
        name="agent-x.jsonl",
    )
    session = open_session(path)
    assert [message.text for message in session.messages] == ["look", "found"]
    assert session.children == ()
    assert session.id == "x"


def test_that_embedded_progress_becomes_one_child_and_stays_an_other_record(write: Write) -> None:
    first = embedded(user("look", uuid="k1"))
    session = open_session(
        write(
            user("go"),
            assistant(use("t1", "Task", prompt="look")),
            first,
            embedded(assistant(use("k-t1", "Grep"), uuid="k2", mid="mk")),
            first,
            embedded(user([result("k-t1")], uuid="k3")),
            user([result("t1")], uuid="u2"),
        )
    )
    (child,) = session.children
    assert [message.role for message in child.messages] == ["user", "assistant", "tool"]
    assert (child.id, child.parent_call_id) == ("ag1", "t1")
    assert child.raw(0) == encoded(first)
    assert [record.label for record in session.other] == ["progress/agent_progress"] * 4


def test_that_files_below_the_session_are_children_with_their_description(write: Write) -> None:
    path = write(user("go"), assistant(use("t1", "Task", prompt="other words"), use("t2", "Task", prompt="p")))
    folder = "session/subagents"
    write(side(user("look", uuid="b1"), agentId="ag1"), name=f"{folder}/agent-ag1.jsonl")
    meta = {"agentType": "general", "description": "Audit it", "toolUseId": "t1"}
    write(meta, name=f"{folder}/agent-ag1.meta.json")
    write(side(user("p", uuid="d1"), agentId="wf"), name=f"{folder}/workflows/wf_1/agent-wf.jsonl")
    write({"type": "started", "key": "k", "agentId": "wf"}, name=f"{folder}/workflows/wf_1/journal.jsonl")
    session = open_session(path)
    assert [(child.id, child.title, child.parent_call_id) for child in session.children] == [
        ("ag1", "Audit it", "t1"),
        ("wf", "p", "t2"),
    ]
    assert session.children[0].path.name == "agent-ag1.jsonl"


def test_that_old_files_beside_the_session_are_children_if_the_session_id_is_the_same(write: Write) -> None:
    path = write(user("go"), assistant(use("t1", "Task", prompt="look")))
    write(side(user("look", uuid="b1"), agentId="mine"), name="agent-mine.jsonl")
    write({**side(user("look", uuid="c1"), agentId="other"), "sessionId": "s2"}, name="agent-other.jsonl")
    write(b"no session", name="agent-broken.jsonl")
    session = open_session(path)
    assert [(child.id, child.parent_call_id) for child in session.children] == [("mine", "t1")]
    assert session.warnings == ()


def test_that_an_agent_found_in_two_ways_is_one_child_with_all_that_is_known(write: Write) -> None:
    lines = [
        user("go"),
        assistant(use("t1", "Task", prompt="different")),
        embedded(user("look", uuid="b1")),
        side(user("look", uuid="b1"), agentId="ag1"),
    ]
    path = write(*lines)
    write(
        side(user("look", uuid="b1"), agentId="ag1"),
        side(assistant(say("found"), uuid="b2"), "b1", agentId="ag1"),
        name="session/subagents/agent-ag1.jsonl",
    )
    session = open_session(path)
    (child,) = session.children
    assert (child.id, child.parent_call_id, len(child.messages)) == ("ag1", "t1", 2)
    assert [record.label for record in session.other] == ["progress/agent_progress", "sidechain/user"]


def test_that_the_result_names_the_agent_where_nothing_else_does(write: Write) -> None:
    path = write(
        assistant(use("t1", "Task", prompt="p")),
        user([result("t1")], toolUseResult={"agentId": "ag1", "status": "completed"}),
    )
    write(side(user("q", uuid="b1"), agentId="ag1"), name="session/subagents/agent-ag1.jsonl")
    assert open_session(path).children[0].parent_call_id == "t1"


def test_that_an_agent_of_an_agent_hangs_below_it(write: Write) -> None:
    path = write(assistant(use("t1", "Task", prompt="outer")))
    folder = "session/subagents"
    write(
        side(user("outer", uuid="b1"), agentId="one"),
        side(assistant(use("t2", "Task", prompt="inner"), uuid="b2"), "b1", agentId="one"),
        name=f"{folder}/agent-one.jsonl",
    )
    write(side(user("inner", uuid="c1"), agentId="two"), name=f"{folder}/agent-two.jsonl")
    session = open_session(path)
    assert [child.id for child in session.children] == ["one"]
    assert [(child.id, child.parent_call_id) for child in session.children[0].children] == [("two", "t2")]
    assert counts(session).children == 2


def test_that_agents_which_claim_each_other_are_not_lost(write: Write) -> None:
    path = write(user("go"))
    for own, other in (("one", "two"), ("two", "one")):
        folder = "session/subagents"
        line = side(assistant(use(f"call-{own}", "Task"), uuid=own, mid=own), agentId=own)
        write(line, name=f"{folder}/agent-{own}.jsonl")
        write({"toolUseId": f"call-{other}"}, name=f"{folder}/agent-{own}.meta.json")
    assert counts(open_session(path)).children == 2


def test_that_an_unreadable_agent_file_is_left_out_with_a_warning(write: Write) -> None:
    path = write(user("go"))
    write(name="session/subagents/agent-empty.jsonl", end=b"")
    write(side(user("q", uuid="b1"), agentId="ok"), name="session/subagents/agent-ok.jsonl")
    write(b"{not json", name="session/subagents/agent-ok.meta.json")
    session = open_session(path)
    assert [child.id for child in session.children] == ["ok"]
    assert "agent-empty.jsonl was left out" in session.warnings[0]
    assert "agent-ok.meta.json could not be read" in session.children[0].warnings[0]


def test_that_the_wire_form_of_an_agent_keeps_json_intact(write: Write) -> None:
    record = embedded(user("look", uuid="k1"))
    session = open_session(write(user("go"), record))
    assert json.loads(session.children[0].raw(0)) == record
