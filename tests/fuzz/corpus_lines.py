"""Small sessions of the formats with one record a line, each with what its importer treats specially."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.engine.sessions.conftest import assistant, encoded, result, say, use, user
from tests.engine.sessions.formats.anthropic.test_importer import CAPTURE, capture
from tests.engine.sessions.formats.codex import records as codex
from tests.engine.sessions.formats.gemini.lines import HEAD, answer, ask, call, note
from tests.engine.sessions.formats.otel.test_importer import TRACE
from tests.engine.sessions.formats.pi import lines as pi
from tests.engine.sessions.formats.responses.test_importer import ASK, CALL, RESULT, SAY, THINK, request, response
from tests.fuzz.seeds import Seed

Json = dict[str, object]
_PARENT = "aaaaaaaa-0000-4000-8000-000000000000"


def lines(*records: object) -> bytes:
    """The records as a file."""
    return b"".join(encoded(record) + b"\n" for record in records)


def one(name: str, *records: object) -> Seed:
    """A session that is one file."""
    return Seed(name, "lines", {"session.jsonl": lines(*records)}, "session.jsonl")


def line_seeds() -> Iterator[Seed]:
    """One seed or more for every format of lines."""
    yield _claude()
    yield _codex()
    yield _codex_legacy()
    yield _gemini()
    yield one("pi-v1", *_pi_linear())
    yield one("pi-v3", *_pi_tree())
    yield _raven()
    yield one("chat-messages", *_chat())
    yield one(
        "chat-requests", {"model": "m", "messages": _chat()[:4]}, {"messages": _chat(), "tools": [{"type": "function"}]}
    )
    yield one("responses-lines", request(ASK), response(THINK, CALL), request(ASK, THINK, CALL, RESULT), response(SAY))
    yield one(
        "anthropic-capture", *CAPTURE, capture([{"role": "user", "content": "last"}], [say("é")], {"input_tokens": 1})
    )
    yield one("otel-lines", *TRACE)


def _claude() -> Seed:
    def record(number: int, made: Any) -> Json:
        stamp = f"2026-02-04T01:{number:02}:00.000Z"
        return {**made, "uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "timestamp": stamp}

    usage = {"input_tokens": 5, "cache_read_input_tokens": 900, "output_tokens": 7}
    progress = {
        "type": "agent_progress",
        "agentId": "ag9",
        "prompt": "look",
        "message": {"type": "user", **user("look", uuid="p1")},
    }
    main = [
        {"type": "summary", "summary": "Earlier work", "leafUuid": "u1"},
        *(
            record(number, made)
            for number, made in enumerate(
                [
                    user("fix the 登录 page\u2028now"),
                    assistant({"type": "thinking", "thinking": "hm", "signature": "c2ln"}, mid="m1", usage=usage),
                    assistant(say("I look."), mid="m1", usage=usage),
                    assistant(use("t1", command="ls"), mid="m1", usage=usage),
                    user(
                        [
                            result(
                                "t1",
                                [
                                    say("a.py"),
                                    {
                                        "type": "image",
                                        "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"},
                                    },
                                ],
                            )
                        ],
                        toolUseResult={"stdout": "a.py"},
                    ),
                    assistant(use("t2", "Task", prompt="look deeper"), mid="m2", usage=usage),
                    user([result("t2", "found it")], toolUseResult={"agentId": "ag1", "status": "completed"}),
                    assistant(use("t3", "Task", prompt="look"), mid="m3"),
                    {"type": "progress", "sessionId": "s1", "parentToolUseID": "t3", "data": progress},
                    {
                        "type": "attachment",
                        "sessionId": "s1",
                        "attachment": {"type": "edited_text_file", "filename": "a.py", "snippet": "x = 1"},
                    },
                    {
                        "type": "system",
                        "subtype": "microcompact_boundary",
                        "sessionId": "s1",
                        "microcompactMetadata": {
                            "trigger": "auto",
                            "preTokens": 900,
                            "tokensSaved": 400,
                            "compactedToolIds": ["t1"],
                        },
                    },
                    {
                        "type": "system",
                        "subtype": "compact_boundary",
                        "sessionId": "s1",
                        "logicalParentUuid": "u9",
                        "compactMetadata": {
                            "trigger": "auto",
                            "preTokens": 905,
                            "preservedMessages": {"anchorUuid": "u12", "uuids": ["u5", "u6"], "allUuids": ["u5", "u6"]},
                        },
                    },
                    user("This session is being continued.", isCompactSummary=True, isVisibleInTranscriptOnly=True),
                    user("<command-name>/clear</command-name>"),
                    assistant(say("done"), mid="m4", usage=usage),
                ]
            )
        ),
        {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"files": {}}},
        {"type": "queue-operation", "operation": "enqueue", "content": "later", "sessionId": "s1"},
    ]
    child = [
        {**user("look deeper", uuid="c1"), "isSidechain": True, "agentId": "ag1"},
        {**assistant(say("found it"), uuid="c2", mid="mc"), "isSidechain": True, "agentId": "ag1", "parentUuid": "c1"},
    ]
    about = encoded({"agentType": "general", "description": "look", "toolUseId": "t2", "spawnDepth": 1})
    below = "session/subagents/agent-ag1"
    files = {"session.jsonl": lines(*main), f"{below}.jsonl": lines(*child), f"{below}.meta.json": about}
    return Seed("claude-code", "lines", files, "session.jsonl")


def _codex() -> Seed:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": _PARENT, "agent_path": "/root/kid"}}}
    parent = [
        codex.meta(_PARENT),
        codex.said("user", "<environment_context>\n</environment_context>"),
        codex.turn(),
        *codex.typed("fix the login"),
        *codex.thought("**Looking**"),
        codex.called("c1"),
        codex.output("c1", '{"output": "a.py", "metadata": {"exit_code": 0}}'),
        codex.tokens((900, 20), (900, 20, 700)),
        codex.item("custom_tool_call", name="apply_patch", input="*** Begin", call_id="c2", status="completed"),
        codex.item("custom_tool_call_output", call_id="c2", output=[{"type": "input_text", "text": "ok"}]),
        codex.item("web_search_call", action={"type": "search", "query": "q"}),
        codex.tokens((1900, 60), (1000, 40, 900)),
        codex.line(
            "compacted",
            {
                "message": "",
                "replacement_history": [
                    codex.said("user", "kept")["payload"],
                    {"type": "compaction", "encrypted_content": "gAAA"},
                ],
            },
        ),
        codex.event("context_compacted"),
        *codex.typed("more"),
        *codex.answered("done 完成"),
        codex.event("thread_rolled_back", num_turns=1),
        *codex.typed("again"),
        *codex.answered("really done"),
        codex.line("world_state", {"full": True, "state": {}}),
        codex.called("c3"),
    ]
    child = [codex.meta("kid", source=spawn), codex.turn("turn-k"), *codex.answered("I am a kid")]
    day, name = ".codex/sessions/2026/02/23", "rollout-2026-02-23T10-00-00-"
    main = f"{day}/{name}{_PARENT}.jsonl"
    return Seed("codex", "lines", {main: lines(*parent), f"{day}/{name}kid.jsonl": lines(*child)}, main)


def _codex_legacy() -> Seed:
    bare = [record["payload"] for record in (codex.said("user", "go"), codex.called("c1"), codex.output("c1"))]
    first = {
        "id": "old",
        "timestamp": "2025-08-01T10:00:00.000Z",
        "instructions": "Be brief",
        "git": {"branch": "main"},
    }
    last = codex.said("assistant", "gone")["payload"]
    return one("codex-legacy", first, {"record_type": "state"}, *bare, {"record_type": "state"}, last)


def _gemini() -> Seed:
    started = answer("g2", "", call("c2", agentId="sub-1"))
    main = [
        HEAD,
        ask("u0", [{"text": "<session_context>x</session_context>"}]),
        ask("u1", ["do it ", {"text": "now"}, {"inlineData": {"mimeType": "image/png", "data": "QUJD"}}]),
        answer("g1", "I look."),
        answer("g1", "I look.", call("c1")),
        note("n1"),
        started,
        ask("u2", "wrong way"),
        answer("g3", "sorry"),
        {"$rewindTo": "u2"},
        ask("u3", "better"),
        {"$set": {"summary": "A summary", "lastUpdated": "2026-04-29T22:00:00Z"}},
        answer("g4", "Fertig.", call("c9", result=None, status="cancelled")),
    ]
    child = [{**HEAD, "sessionId": "sub-1", "kind": "subagent"}, ask("u", "first task"), answer("g", "done")]
    files = {"chats/session-x.jsonl": lines(*main), "chats/s-1/sub-1.jsonl": lines(*child)}
    return Seed("gemini", "lines", files, "chats/session-x.jsonl")


def _pi_linear() -> list[Json]:
    return pi.linear(
        pi.typed("go"),
        pi.reply("", pi.call("c1"), stopReason="toolUse"),
        pi.result("c1"),
        pi.entry("model_change", provider="p", modelId="m-2"),
        pi.reply("done"),
        pi.entry("compaction", summary="so far", firstKeptEntryIndex=4, tokensBefore=900),
        pi.typed([{"type": "text", "text": "more"}, {"type": "image", "data": "QUJD", "mimeType": "image/png"}]),
        pi.reply("", usage={"input": 0, "output": 0}, stopReason="aborted"),
    )


def _pi_tree() -> list[Json]:
    trunk = pi.tree(
        pi.typed("go"),
        pi.reply("I look", pi.call("c1"), stopReason="toolUse"),
        pi.result("c1", [{"type": "text", "text": "a.py"}]),
        pi.reply("no"),
        pi.entry("compaction", summary="so far", firstKeptEntryId="e3", tokensBefore=900),
        pi.entry("custom_message", content="note", display=True, customType="x"),
    )
    branch = [
        pi.at("b1", "e3", pi.entry("branch_summary", fromId="e6", summary="tried that")),
        pi.at("b2", "b1", {"role": "bashExecution", "command": "ls", "output": "a.py", "exitCode": 0}),
        pi.at("b3", "b2", pi.typed("other way")),
        pi.at("b4", "b3", pi.reply("yes", {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"})),
        pi.at("b5", "b4", pi.entry("session_info", name="A name")),
    ]
    return [*trunk, *branch]


def _raven() -> Seed:
    records: list[Json] = [
        {
            "_type": "metadata",
            "key": "cli:1",
            "metadata": {"title": "A title", "channel": "cli"},
            "last_consolidated": 0,
        }
    ]
    records += [{**message, "timestamp": f"2026-01-01T00:0{n}:00"} for n, message in enumerate(_chat())]
    records += [{"_type": "metadata", "key": "cli:1", "metadata": {"title": "A title"}, "last_consolidated": 2}]
    return one("raven", *records)


def _chat() -> list[Json]:
    called = {"id": "c1", "type": "function", "function": {"name": "shell", "arguments": '{"cmd": "ls"}'}}
    return [
        {"role": "system", "content": "You are"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "fix é"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [called, {**called, "id": "c2"}],
            "reasoning_content": "hm",
        },
        {"role": "tool", "tool_call_id": "c2", "content": "two\u2028lines"},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "a.py"}]},
        {"role": "assistant", "content": "done", "tool_calls": None},
        {"role": "user", "content": "more"},
        {"role": "assistant", "content": "", "tool_calls": [{**called, "id": "c3"}]},
    ]
