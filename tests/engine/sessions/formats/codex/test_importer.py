"""Codex rollouts, rule by rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.claims import checked
from ravenglass.sessions.formats.codex.importer import Codex
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import read_records
from ravenglass.sessions.records.source import open_path
from tests.engine.sessions.conftest import Write
from tests.engine.sessions.formats.codex.records import (
    Record,
    answered,
    called,
    event,
    item,
    line,
    meta,
    output,
    said,
    thought,
    tokens,
    turn,
    typed,
)
from tests.proofs import examples


def shape(session: Session) -> list[tuple[str, str, str]]:
    return [(m.role, m.kind, m.text) for m in session.messages]


def test_that_the_items_of_one_response_are_one_message_with_its_mirrors_left_out(write: Write) -> None:
    session = open_session(
        write(
            meta(), said("developer", "rules"), *typed("Do it"), turn(),
            *thought("**Looking**"), *answered("I look."), called("c1"), called("c2"), tokens((10, 2), (10, 2, 0)),
            output("c1", "one"), output("c2", "two"), turn(), *answered("Done."),
        )
    )  # fmt: skip
    assert shape(session) == [
        ("developer", "ordinary", "rules"),
        ("user", "prompt", "Do it"),
        ("assistant", "ordinary", "I look."),
        ("tool", "ordinary", "one"),
        ("tool", "ordinary", "two"),
        ("assistant", "ordinary", "Done."),
    ]
    answer = session.messages[2]
    assert [call.id for call in answer.tool_calls] == ["c1", "c2"]
    assert answer.thinking == "**Looking**\n[reasoning, encrypted, 5 bytes]"
    assert len(answer.spans) == 4
    assert (answer.model, session.model, session.project) == ("gpt-x", "gpt-x", "/home/dev/shop")
    assert [call.message for call in session.structure.calls] == [2, 5]


def test_that_the_session_is_described_by_its_first_record(write: Write) -> None:
    tools = [{"type": "function", "name": "x", "inputSchema": {}}]
    session = open_session(
        write(meta("s1", base_instructions={"text": "You are Codex"}, dynamic_tools=tools), *typed("a"))
    )
    assert (session.id, session.format, session.system_prompt) == ("s1", "codex", "You are Codex")
    assert json.loads(session.tools_text or "") == tools


def test_that_the_title_is_what_was_typed_or_the_name_given(write: Write) -> None:
    words = "# Context from my IDE setup:\n\n## Active file: a.ts\n\n## My request for Codex:\nAdd a test"
    assert open_session(write(meta(), *typed(words))).title == "Add a test"
    assert (
        open_session(write(meta(), *typed(words), event("thread_name_updated", thread_name="Tests"))).title == "Tests"
    )


def test_that_encrypted_reasoning_tells_how_much_was_thought_but_not_what(write: Write) -> None:
    sealed = "A" * 4 * (631 + 300)
    session = open_session(write(meta(), *typed("a"), *thought("x" * 100, sealed), *answered("b")))
    assert session.messages[1].hidden == (631 + 300) * 3 - 631 - 100
    assert "AAAA" not in session.messages[1].thinking
    assert open_session(write(meta(), *thought("short"))).messages[0].hidden == 0


def test_that_injected_user_items_are_no_prompts(write: Write) -> None:
    session = open_session(
        write(
            meta(),
            said("user", "# AGENTS.md instructions for /home\n\nBe kind"),
            said("user", "<environment_context>\n</environment_context>"),
            said("user", "something a plugin puts in"),
            *typed("Do it"),
            said("user", "<turn_aborted>\nThe user interrupted"),
        )
    )
    assert [m.kind for m in session.messages] == ["meta", "meta", "meta", "prompt", "meta"]
    assert session.title == "Do it"


@pytest.mark.parametrize("first", ["event", "item"])
def test_that_an_event_belongs_to_the_item_beside_it_even_if_its_text_differs(write: Write, first: str) -> None:
    pair = [event("user_message", message="[text 1]"), said("user", "[message 1]")]
    reply = [event("agent_message", message="[text 2]"), said("assistant", "[message 2]")]
    if first == "item":
        pair.reverse()
        reply.reverse()
    session = open_session(write(meta(), said("user", "<environment_context>"), *pair, turn(), *reply))
    assert shape(session)[1:] == [("user", "prompt", "[message 1]"), ("assistant", "ordinary", "[message 2]")]


def test_that_an_event_without_its_item_is_the_message(write: Write) -> None:
    session = open_session(
        write(
            meta(), event("user_message", message="Hi", images=["data:image/png;base64,AAAA"]),
            event("agent_reasoning", text="hm"), called("c1"), output("c1"), event("agent_message", message="Hello"),
        )
    )  # fmt: skip
    assert shape(session) == [
        ("user", "prompt", "Hi\n[image]"),
        ("assistant", "ordinary", ""),
        ("tool", "ordinary", "done"),
        ("assistant", "ordinary", "Hello"),
    ]
    assert session.messages[1].thinking == "hm"


def test_that_reasoning_announced_part_by_part_is_there_once(write: Write) -> None:
    blocks = [{"type": "summary_text", "text": words} for words in ("one", "two")]
    events = [event("agent_reasoning", text=words) for words in ("one", "two")]
    for order in ([*events, item("reasoning", summary=blocks)], [item("reasoning", summary=blocks), *events]):
        session = open_session(write(meta(), *typed("a"), *order))
        assert session.messages[1].thinking == "one\ntwo"
        assert len(session.messages) == 2


def test_that_prompts_are_told_by_completed_items_too(write: Write) -> None:
    done = event("item_completed", item={"type": "UserMessage", "content": [{"type": "text", "text": "Do it"}]})
    session = open_session(write(meta(), said("user", "skills"), said("user", "Do it"), done))
    assert [m.kind for m in session.messages] == ["meta", "prompt"]


def test_that_old_rollouts_without_envelopes_are_read(write: Write) -> None:
    session = open_session(
        write(
            {"id": "old", "timestamp": "2025-08-01T10:00:00Z", "instructions": "Be brief", "git": None},
            {"record_type": "state"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>"}]},
            {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": "Fix it"}]},
            {"record_type": "state"},
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc"},
            {"type": "function_call", "id": "fc_1", "name": "shell", "arguments": "{}", "call_id": "c1"},
            {"type": "function_call_output", "call_id": "c1", "output": '{"output":"x","metadata":{"exit_code":1}}'},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Fixed"}]},
        )
    )
    assert (session.id, session.system_prompt, session.format) == ("old", "Be brief", "codex")
    assert [(m.role, m.kind) for m in session.messages] == [
        ("user", "meta"), ("user", "prompt"),
        ("assistant", "ordinary"), ("tool", "ordinary"), ("assistant", "ordinary"),
    ]  # fmt: skip
    assert session.messages[3].is_error
    assert [record.label for record in session.other] == ["session_meta", "state", "state"]


def test_that_every_kind_of_call_is_read(write: Write) -> None:
    shell = {"type": "exec", "command": ["ls"]}
    session = open_session(
        write(
            meta(), *typed("a"), turn(),
            item("local_shell_call", call_id="c1", status="completed", action=shell), output("c1"), turn(),
            item("custom_tool_call", call_id="c2", name="apply_patch", input="*** Begin Patch"),
            item("custom_tool_call_output", call_id="c2", output='{"output":"ok","metadata":{"exit_code":0}}'), turn(),
            called("c3", name="search", namespace="mcp__docs__"), output("c3", {"content": "no", "success": False}),
            turn(), called("c4", name="run", namespace="web"),
            output("c4", [{"type": "input_text", "text": "x"}, {"type": "input_image", "image_url": None}]), turn(),
            item("tool_search_call", call_id="c5", arguments={"query": "q"}, execution="client"),
            item("tool_search_output", call_id="c5", tools=[{"name": "t"}]), turn(),
            called("c6"), output("c6", "Chunk ID: 1\nWall time: 1 seconds\nProcess exited with code 2\nOutput:\n"),
        )
    )  # fmt: skip
    calls = [call for message in session.messages for call in message.tool_calls]
    assert [(call.id, call.name) for call in calls] == [
        ("c1", "local_shell"), ("c2", "apply_patch"), ("c3", "mcp__docs__search"), ("c4", "web.run"),
        ("c5", "tool_search"), ("c6", "exec_command"),
    ]  # fmt: skip
    assert json.loads(calls[0].arguments) == shell
    assert calls[1].arguments == "*** Begin Patch"
    results = [message for message in session.messages if message.role == "tool"]
    assert [m.is_error for m in results] == [False, False, True, False, False, True]
    assert [m.text for m in results][2:4] == ["no", "x\n[image]"]
    assert not any(group.unanswered for group in session.structure.groups)


def test_that_what_the_provider_runs_is_part_of_the_answer_and_awaits_no_result(write: Write) -> None:
    search = item("web_search_call", id="ws", status="completed", action={"type": "search", "query": "q"})
    picture = item("image_generation_call", id="ig", status="completed", revised_prompt="a cat", result="AAAA")
    session = open_session(write(meta(), *typed("a"), turn(), search, picture, *answered("b")))
    assert session.messages[1].text == (
        '[web_search {"type": "search", "query": "q"}]\n[image, 3 bytes]\n[image_generation a cat]\nb'
    )
    assert session.structure.groups[1].unanswered == ()
    assert session.messages[1].images == 1


def test_that_of_encrypted_arguments_only_the_length_is_told(write: Write) -> None:
    sealed = called("c1", "spawn_agent", json.dumps({"task_name": "x", "message": "gAAAA" + "B" * 20}))
    plain = called("c2", "exec_command", 'echo "gAAAA')
    session = open_session(write(meta(), *typed("a"), sealed, plain))
    first, second = session.messages[1].tool_calls
    assert json.loads(first.arguments) == {"task_name": "x", "message": "[encrypted, 25 bytes]"}
    assert second.arguments == 'echo "gAAAA'
    assert b"gAAAABBB" in session.raw(1)


def test_that_a_call_without_an_answer_is_unanswered_and_one_without_an_id_gets_one(write: Write) -> None:
    session = open_session(write(meta(), *typed("a"), called("c1"), item("function_call", name="x", arguments=None)))
    (group,) = [group for group in session.structure.groups if group.unanswered]
    assert group.unanswered[0] == "c1"
    assert group.unanswered[1].startswith("call-")


def test_that_an_aborted_turn_is_marked_and_the_session_goes_on(write: Write) -> None:
    session = open_session(
        write(meta(), *typed("a"), *answered("b"), event("turn_aborted", reason="interrupted"), *answered("c"))
    )
    assert ["interrupted" in m.flags for m in session.messages] == [False, True, False]


def test_that_messages_between_agents_are_no_prompts_but_the_task_of_a_sub_agent_is(write: Write) -> None:
    words = [{"type": "input_text", "text": "Message Type: NEW_TASK\nPayload:\n"}]
    blocks = [*words, {"type": "encrypted_content", "encrypted_content": "gAAA"}]
    message = item("agent_message", author="/root", recipient="/root/x", content=blocks)
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "p", "agent_path": "/root/x"}}}
    ours = open_session(write(meta("c", source=spawn), message)).messages[0]
    assert (ours.role, ours.kind) == ("user", "prompt")
    assert ours.text.startswith("[/root -> /root/x]\nMessage Type: NEW_TASK")
    assert "gAAA" not in ours.text
    assert open_session(write(meta("p"), message)).messages[0].kind == "meta"
    old = line("inter_agent_communication", {"author": "a", "recipient": "b", "content": "hello"})
    assert open_session(write(meta("p"), old)).messages[0].text == "[a -> b]\nhello"


def test_that_the_rest_is_kept_as_other_records(write: Write) -> None:
    session = open_session(
        write(
            meta(), line("world_state", {"full": True, "state": {}}), item("ghost_snapshot", ghost_commit={}),
            event("exec_command_end", call_id="x"), line("from-the-future", {"a": 1}), *typed("a"), [1], "text",
            line("response_item", None), line("event_msg", 5), item("message", role="robot", content="x"),
        )
    )  # fmt: skip
    assert [record.label for record in session.other] == [
        "session_meta", "world_state", "response_item/ghost_snapshot", "event_msg/exec_command_end", "from-the-future",
        "event_msg/user_message", "an array of 1 values, no record", "a string, no record", "response_item",
        "event_msg", "response_item/message",
    ]  # fmt: skip
    assert len(session.messages) == 1


def test_that_rolled_back_turns_become_a_child_and_the_session_goes_on_without_them(write: Write) -> None:
    session = open_session(
        write(
            meta("s"), *typed("one"), *answered("1"), *typed("two"), *answered("2"), called("c"), output("c"),
            *typed("three"), *answered("3"), event("thread_rolled_back", num_turns=2), *typed("four"), *answered("4"),
        )
    )  # fmt: skip
    assert [m.text for m in session.messages] == ["one", "1", "four", "4"]
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("rollback", 2, None)
    assert marker.note == "the user took back 2 turns (5 messages)"
    (child,) = session.children
    assert [m.text for m in child.messages] == ["two", "2", "done", "three", "3"]
    assert (child.id, child.title) == ("s#rolled-back-1", "rolled back: two")
    assert child.raw(0) == json.dumps(said("user", "two")).encode()


def test_that_a_rollback_of_more_turns_than_there_are_or_of_none_is_no_harm(write: Write) -> None:
    session = open_session(
        write(meta(), said("developer", "rules"), *typed("a"), *answered("b"), event("thread_rolled_back", num_turns=9))
    )
    assert [m.text for m in session.messages] == ["rules"]
    assert [m.text for m in session.children[0].messages] == ["a", "b"]
    for turns in (0, None, "x", -1):
        assert open_session(write(meta(), *typed("a"), event("thread_rolled_back", num_turns=turns))).children == ()


def test_that_codex_is_told_by_its_own_records() -> None:
    codex = Codex()
    assert codex.sniff(Head("jsonl", ({"x": 1}, event("user_message")))) == 1.0
    assert codex.sniff(Head("jsonl", ({"record_type": "state"},))) == 0.98
    assert codex.sniff(Head("jsonl", ({"type": "message", "message": {"role": "user"}},))) == 0.0
    assert "keeps" in codex.description


SCRIPT: list[Record] = [
    meta("s"), said("developer", "rules"), said("user", "<environment_context>"), *typed("one"), turn("t1"),
    *thought("think"), *answered("1"), called("c1"), tokens((100, 10), (100, 10, 0)), output("c1"), turn("t1"),
    tokens((100, 10), (100, 10, 0)), *answered("2"), tokens((250, 20), (150, 10, 90)),
    line("compacted", {"message": "", "replacement_history": [said("user", "one")["payload"]]}),
    event("context_compacted"), *typed("two"), item("web_search_call", action={"type": "search"}), *answered("3"),
    event("thread_rolled_back", num_turns=1), *typed("three"), event("turn_aborted"), *answered("4"),
]  # fmt: skip


def replayed(path: Path, ask: bool) -> Session:
    """Read record by record; with `ask`, the session is asked for after every record."""
    reporter = Reporter(None, path.name)
    records = read_records(open_path(path, reporter), reporter)
    reading = Codex().begin(records)
    for record in records:
        reading.take(record)
        if ask:
            reading.session()
    return checked(reading.session(), Codex(), forced=True)


def facts(session: Session) -> tuple[object, ...]:
    own = (session.messages, session.markers, session.other, session.warnings, session.title)
    return (*own, *(facts(child) for child in session.children))


def test_that_asking_after_every_record_changes_nothing(write: Write) -> None:
    path = write(*SCRIPT)
    assert facts(replayed(path, ask=True)) == facts(replayed(path, ask=False)) == facts(open_session(path))


Junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def mistyped(record: Record, path: list[int], value: object) -> object:
    """The record with one of its values replaced."""
    copy = json.loads(json.dumps(record))
    at = copy
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return copy
        key = keys[path.pop() % len(keys)]
        if not path or not isinstance(at[key], (dict, list)):
            at[key] = value
            return copy
        at = at[key]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(60), deadline=None)
@given(st.data())
def test_that_mistyped_cut_or_flipped_records_lose_no_other_record(write: Write, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(SCRIPT) - 1))
    lines: list[object] = list(SCRIPT)
    how = data.draw(st.sampled_from(["mistype", "cut", "flip", "drop"]))
    raw = json.dumps(SCRIPT[number]).encode()
    if how == "mistype":
        lines[number] = mistyped(SCRIPT[number], data.draw(st.lists(st.integers(0, 9), min_size=1)), data.draw(Junk))
    elif how == "cut":
        lines[number] = raw[: data.draw(st.integers(0, len(raw) - 1))]
    elif how == "flip":
        place = data.draw(st.integers(0, len(raw) - 1))
        lines[number] = (
            raw[:place] + bytes([data.draw(st.integers(0, 255).filter(lambda b: b != 10))]) + raw[place + 1 :]
        )
    else:
        del lines[number]
    path = write(*lines)
    try:
        session = open_session(path)
    except Exception as error:
        raise AssertionError(f"{how} of record {number}") from error
    held = {
        span.line
        for inner in [session, *session.children]
        for spans in [*(m.spans for m in inner.messages), *((r.span,) for r in inner.other)]
        for span in spans
    }
    whole = {n for n, one in enumerate(lines, start=1) if how == "drop" or n != number + 1}
    assert whole <= held
    assert facts(replayed(path, ask=True)) == facts(session)
