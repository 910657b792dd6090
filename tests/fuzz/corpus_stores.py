"""Small sessions in folders, databases and archives."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.engine.sessions.formats.inspect.test_importer import HEADER, SAMPLE, SHORT, SUMMARIES, packed
from tests.engine.sessions.formats.opencode.store import Chat, database, finish, start, storage, tool, words
from tests.engine.sessions.formats.openhands import events as hands
from tests.fuzz.seeds import Seed, taken

Json = dict[str, object]


def store_seeds() -> Iterator[Seed]:
    """One seed for every kind of store."""
    with tempfile.TemporaryDirectory(prefix="ravenglass-fuzz-") as name:
        folder = Path(name)
        database(folder / "db" / "opencode.db", long_chat(), _child())
        yield taken("opencode-database", "database", folder / "db", "opencode.db")
        storage(folder / "v2" / "storage", long_chat(), _child())
        yield taken("opencode-storage", "folder", folder / "v2", "storage")
        storage(folder / "old" / "storage", long_chat(), _child(), legacy=True)
        yield taken("opencode-legacy", "folder", folder / "old", "storage")
        hands.conversation(
            folder / "v1" / "conv", *events_v1(), state={"id": "conv-1", "agent": {"llm": {"model": "m-1"}}}
        )
        yield taken("openhands-v1", "folder", folder / "v1", "conv")
        hands.old_conversation(folder / "v0" / "conv", *events_v0())
        yield taken("openhands-v0-folder", "folder", folder / "v0", "conv")
        for number, method in enumerate((8, 93)):
            below = folder / f"zip{number}"
            below.mkdir()
            members: dict[str, object] = {"header.json": HEADER, "summaries.json": SUMMARIES}
            packed(below, {**members, "samples/task-1_epoch_1.json": SAMPLE, "samples/2_epoch_1.json": SHORT}, method)
            yield taken(f"inspect-archive-{method}", "archive", below, "log.eval")


def long_chat() -> Chat:
    """An opencode session with a sub-agent, a compaction and messages that were taken back."""
    chat = Chat(revert={"messageID": "msg_ses_1_07"})
    chat.user(
        words("fix the login é"),
        {"type": "file", "mime": "image/png", "filename": "a.png", "url": "data:image/png;base64,QUJD"},
    )
    chat.assistant(
        start(),
        {"type": "reasoning", "text": "hm"},
        tool("c1"),
        tool("c2", "running"),
        finish(input=9, output=2, read=5),
        tokens={"input": 9, "output": 2, "reasoning": 0, "cache": {"read": 5, "write": 0}},
    )
    chat.assistant(
        start(),
        tool("c3", name="task", metadata={"sessionId": "ses_kid"}, time={"start": 1, "end": 2, "compacted": 3}),
        words("so"),
        finish(input=9, output=2),
    )
    chat.user({"type": "compaction", "auto": True})
    chat.assistant(words("A summary"), summary=True)
    chat.assistant(words("on it"), {"type": "patch", "hash": "h", "files": ["a.py"]})
    chat.user(words("taken back"))
    return chat.assistant(words("answer taken back"))


def _child() -> Chat:
    return (
        Chat("ses_kid", "A kid", parent="ses_1")
        .user(words("look deeper"))
        .assistant(words("found"), tool("k1", "error", error="no"))
    )


def events_v0() -> list[Json]:
    """OpenHands events of the first generation."""
    first, second = (
        hands.response("r1", "c1", said="I look", prompt_tokens=9, completion_tokens=2),
        hands.response("r2", "c2", "c3"),
    )
    condensed = hands.v0(
        8,
        "agent",
        action="condensation",
        args={"forgotten_event_ids": [1, 2], "summary": "so far", "summary_offset": 1},
    )
    return [
        hands.v0(0, "agent", action="system", args={"content": "You are", "tools": [{"type": "function"}]}),
        hands.prompt(1, "fix é"),
        hands.act(2, "c1", first),
        hands.seen(3, 2, "c1", "a.py"),
        hands.act(4, "c2", second),
        hands.act(5, "c3", second),
        hands.seen(6, 5, "c3", "three"),
        hands.seen(7, 4, "c2", "two"),
        condensed,
        hands.v0(9, "environment", observation="agent_state_changed", content="", extras={"agent_state": "running"}),
        hands.v0(10, "agent", action="finish", args={"final_thought": "done"}),
    ]


def events_v1() -> list[Json]:
    """OpenHands events of the second generation."""
    return [
        hands.v1(
            0, "SystemPromptEvent", source="agent", system_prompt={"type": "text", "text": "You are"}, tools=[{"a": 1}]
        ),
        hands.asked(1, "the task"),
        hands.action(2, "c1", "r1", "look"),
        hands.action(3, "c2", "r1"),
        hands.observed(4, "c2", "two"),
        hands.observed(5, "c1", "a.py", is_error=True),
        hands.v1(
            6,
            "Condensation",
            source="environment",
            forgotten_event_ids=["e1", "e2"],
            summary="so far",
            summary_offset=1,
            llm_response_id="r2",
        ),
        hands.action(7, "c3", "r3", "more"),
        hands.v1(8, "AgentErrorEvent", tool_call_id="c3", error="no such tool", tool_name="terminal", source="agent"),
        hands.v1(9, "ConversationStateUpdateEvent", source="environment", key="full_state", value={}),
        hands.asked(10, "fertig", source="agent"),
    ]
