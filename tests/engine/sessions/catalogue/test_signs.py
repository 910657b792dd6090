"""The light table of signs: it rules out no format that would say more than nothing of a file, and imports few."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.sessions import holders, importers
from ravenglass.sessions.catalogue.demand import HolderOnDemand, ImporterOnDemand
from ravenglass.sessions.catalogue.registry import HEAD
from ravenglass.sessions.catalogue.signs import SIGNS, likely
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import Container, read_records
from ravenglass.sessions.records.source import open_path
from tests.conftest import SAMPLES
from tests.engine.sessions.mutations import mistyped
from tests.engine.sessions.written.documents import DOCUMENTS
from tests.engine.sessions.written.lines import LINES
from tests.engine.sessions.written.talk import talks
from tests.proofs import examples

WRITTEN = {**LINES, **DOCUMENTS}
WORDS = sorted({word for signs in SIGNS.values() for sign in signs for word in sign.split() if word[0] != "@"})
KEYS = sorted({part for word in WORDS for part in word.partition("=")[0].split(".")} - {""} | {"name", "subtype"})
VALUES = sorted({word.partition("=")[2] for word in WORDS if "=" in word} | {"user", "assistant", "exit", "metadata"})
FOLDERS = [SAMPLES, SAMPLES.with_name("samples-2"), SAMPLES.with_name("cases")]
slowly = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

said = st.sampled_from([*VALUES, "ATIF-v1.4", "T-1", "mini-swe-agent-1", "init"])
plain = st.one_of(said, st.just(0), st.just(None), st.just("x"))
inner = st.dictionaries(st.sampled_from(KEYS), plain, max_size=5)
outer = st.dictionaries(st.sampled_from(KEYS), st.one_of(plain, inner, st.lists(inner, max_size=3)), max_size=7)
values = st.one_of(outer, st.lists(outer, max_size=3), st.lists(st.lists(outer, max_size=2), max_size=2))

GEMINI: list[object] = [
    {"id": "m", "type": kind, key: []}
    for kind in ("user", "gemini", "model", "assistant", "info", "error", "warning")
    for key in ("content", "parts", "toolCalls")
]
FEWEST: list[tuple[str, object]] = [
    ("claude-code", {"parentUuid": None}),
    ("claude-code", {"sessionId": "s", "uuid": "u"}),
    ("claude-code", {"type": "summary", "leafUuid": "u"}),
    *(("claude-code", {"type": kind}) for kind in ("file-history-snapshot", "queue-operation", "last-prompt")),
    *(("claude-code", {"type": kind}) for kind in ("custom-title", "ai-title", "permission-mode")),
    ("qwen-code", {"uuid": "u", "sessionId": "s", "type": "user", "message": {"parts": []}}),
    ("qwen-code", {"uuid": "u", "sessionId": "s", "type": "system", "subtype": "ui_telemetry"}),
    ("claude-stream", {"session_id": "s", "type": "user", "parent_tool_use_id": None}),
    ("claude-stream", {"session_id": "s", "type": "system", "subtype": "init", "tools": []}),
    ("claude-stream", {"session_id": "s", "type": "result", "num_turns": 1}),
    ("claude-stream", [{"session_id": "s", "type": "result", "total_cost_usd": 1}]),
    ("cursor-stream", {"type": "tool_call", "tool_call": {}}),
    ("cursor-stream", {"type": "system", "subtype": "init", "apiKeySource": "login"}),
    *(("gemini-stream", {"type": kind, "tool_id": "t"}) for kind in ("tool_use", "tool_result")),
    ("gemini-stream", {"type": "init", "session_id": "s", "model": "m"}),
    *(("codex-stream", {"type": f"turn.{kind}"}) for kind in ("started", "completed", "failed")),
    *(("codex-stream", {"type": f"item.{kind}"}) for kind in ("started", "updated", "completed")),
    ("codex-stream", {"type": "thread.started"}),
    ("droid", {"type": "session_start", "id": "s"}),
    ("droid", {"type": "message", "id": "m", "message": {"role": "user", "content": {"type": "tool_result"}}}),
    ("goose", {"working_dir": "w", "description": "d"}),
    ("goose", {"working_dir": "w", "conversation": []}),
    *(("goose", {"role": "user", "content": [{"type": kind}]}) for kind in ("toolRequest", "toolResponse")),
    ("goose", {"role": "user", "content": {"type": "frontendToolRequest"}}),
    ("amp", {"v": 1, "id": "T-1", "messages": []}),
    ("amp", {"v": 1, "messages": [{"messageId": 0}]}),
    ("continue", {"sessionId": "s", "history": [], "workspaceDirectory": "w"}),
    ("hermes", {"session_id": "s", "messages": [], "platform": "p", "message_count": 0}),
    ("vscode-chat", {"requests": [], "inputState": {}}),
    ("vscode-chat", {"kind": 0, "v": {}}),
    ("vscode-chat", {"kind": 1, "k": []}),
    ("codex", {"type": "event_msg", "payload": None}),
    ("codex", {"record_type": "state"}),
    ("codex", {"id": "s", "timestamp": "t", "instructions": None}),
    ("raven", {"_type": "metadata"}),
    ("raven", {"role": "user", "content": "x", "timestamp": "t"}),
    ("gemini-cli", {"sessionId": "s", "projectHash": "p"}),
    ("gemini-cli", {"$rewindTo": "m"}),
    ("gemini-cli", {"role": "model", "parts": [{"text": "x"}]}),
    *(("gemini-cli", item) for item in GEMINI),
    *(("gemini-cli", {key: [item]}) for item in GEMINI for key in ("messages", "history")),
    *(("gemini-cli", {key: [{"role": "user", "parts": [{"text": "x"}]}]}) for key in ("messages", "history")),
    ("gemini-cli", [{"id": "m", "type": "user", "content": "x"}]),
    ("pi", {"type": "session", "id": "s", "cwd": "w"}),
    ("pi", {"type": "message", "message": {"role": "toolResult"}}),
    ("atif", {"schema_version": "ATIF-v1", "steps": []}),
    ("atif", {"step_id": 1, "source": "user"}),
    ("inspect", {"eval": {}, "status": "success", "version": 2}),
    ("inspect", {"id": 1, "epoch": 1, "input": "x", "target": "y"}),
    ("inspect", {"run_id": "r", "task_id": "t", "dataset": {}}),
    ("otel", {"resourceSpans": []}),
    ("otel", {"resourceLogs": []}),
    ("otel", {"name": "chat", "traceId": "t", "spanId": "s", "events": [{"name": "gen_ai.choice"}]}),
    ("otel", {"name": "chat", "context": {"span_id": "s"}, "attributes": {"llm.x": 1}}),
    ("swe-agent", {"history": [{"role": "user"}]}),
    ("swe-agent", {"trajectory": [], "info": {}}),
    ("swe-agent", {"attempts": [{"history": [{"role": "user"}]}]}),
    *(
        ("swe-agent", {"role": "user", "content": "x", mark: "x"})
        for mark in ("agent", "is_demo", "thought", "message_type")
    ),
    *(("swe-agent", {"observation": "x", mark: "x"}) for mark in ("action", "response", "thought")),
    ("mini-swe-agent", {"info": {"mini_version": "1"}}),
    ("mini-swe-agent", {"trajectory_format": "mini-swe-agent-1"}),
    ("mini-swe-agent", {"messages": [{"role": "exit"}]}),
    ("mini-swe-agent", {"messages": [{"extra": {"actions": []}}]}),
    ("mini-swe-agent", {"extra": {"actions": []}}),
    ("mini-swe-agent", [{"extra": {"actions": []}}]),
    ("mini-swe-agent", [*([{"role": "user"}] * 900), {"role": "exit"}]),
    ("mini-swe-agent", {"role": "user", "content": "<returncode>0"}),
    ("opencode", {"info": {"directory": "d"}, "messages": []}),
    ("opencode", {"info": {"role": "user"}, "parts": []}),
    ("openhands", {"kind": "MessageEvent"}),
    ("openhands", {"source": "agent", "action": "run"}),
    ("openhands", {"source": "agent", "observation": "run"}),
    ("openhands", {"actorType": "User", "type": "message"}),
    *(("openhands", {key: [{"kind": "ActionEvent"}]}) for key in ("history", "trajectory", "events", "entries")),
    ("openhands", [[{"source": "agent", "action": "run"}, {"observation": "run", "source": "agent"}]]),
    ("gemini-api", {"contents": [{"parts": []}]}),
    ("gemini-api", {"request": '{"contents": [{"parts": []}]}'}),
    ("anthropic-messages", {"request": {"messages": []}, "response": {}}),
    ("anthropic-messages", {"type": "message", "role": "assistant", "content": []}),
    ("anthropic-messages", {"messages": [], "system": "s"}),
    ("anthropic-messages", {"messages": [], "tools": [{"input_schema": {}}]}),
    ("anthropic-messages", {"messages": [{"content": {"thinking": "t", "signature": "s"}}]}),
    *(
        ("anthropic-messages", {"role": "user", "content": [{"type": kind}]})
        for kind in ("tool_use", "tool_result", "redacted_thinking", "server_tool_use", "mcp_tool_use")
    ),
    ("anthropic-messages", {"role": "assistant", "content": [{"thinking": "t", "signature": "s"}]}),
    ("openai-responses", {"input": []}),
    ("openai-responses", {"output": [{"type": "reasoning", "summary": []}]}),
    ("openai-responses", {"request": {"input": []}}),
    ("openai-responses", {"response": {"output": [{"type": "item_reference", "id": "i"}]}}),
    *(
        ("openai-responses", {"type": "message", "role": "user", "content": [{"type": kind}]})
        for kind in ("input_text", "output_text", "input_image")
    ),
    *(("openai-responses", {"type": "reasoning", key: ""}) for key in ("summary", "encrypted_content")),
    *(
        ("openai-responses", {"type": kind, "call_id": "c", "status": "done"})
        for kind in ("function_call", "function_call_output", "local_shell_call", "web_search_call")
    ),
    *(("openai-responses", {"type": f"custom_tool_call{end}", "call_id": "c"}) for end in ("", "_output")),
    ("openai-responses", {"type": "item_reference", "id": "i"}),
    ("openai-responses", {"type": "compaction", "encrypted_content": "e"}),
    ("openai-chat", {"role": "user", "content": "x"}),
    ("openai-chat", {"role": "assistant", "tool_calls": []}),
    ("openai-chat", {"role": "assistant", "function_call": {}}),
    ("openai-chat", {"messages": []}),
    ("openai-chat", [{"messages": [{"role": "user", "content": "x"}]}]),
    ("openai-chat", {"request": {"messages": []}, "response": {"choices": [{"message": {"role": "assistant"}}]}}),
]
"""Of each format the records with the least in them that its importer says more than nothing of."""


def agrees(head: Head) -> None:
    """What the table rules out says 0 of the file, so that the choice is the same as if all were asked."""
    asked = likely(head, importers())
    overlooked = [one.name for one in importers() if one not in asked and one.sniff(head) > 0]
    assert overlooked == [], head


def heads(records: list[object], container: Container) -> Iterator[Head]:
    """What is asked of a file: its first records, fewer of them, and each alone as where a session may end."""
    yield Head(container, tuple(records))
    yield from (Head(container, tuple(records[:n])) for n in range(1, min(len(records), HEAD)))
    yield from (Head("jsonl", (record,)) for record in records[:200])


def inside(value: object) -> Iterator[object]:
    """A value and every one in it."""
    yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from inside(one)


def below(folder: Path) -> list[Path]:
    if not folder.is_dir():
        pytest.skip(f"the recorded sessions are not here ({folder})")
    return sorted(folder.rglob("*"))


def test_that_every_importer_has_signs_and_the_name_it_is_listed_under() -> None:
    assert [importer.name for importer in importers()] == list(SIGNS)
    for importer in importers():
        assert isinstance(importer, ImporterOnDemand)
        assert (importer.importer.name, importer.importer.label) == (importer.name, importer.label)
    for holder in holders():
        assert isinstance(holder, HolderOnDemand)
        assert holder.holder.name == holder.name


@pytest.mark.samples
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_that_the_table_overlooks_no_recorded_session(folder: Path) -> None:
    looked_at = 0
    for path in below(folder):
        try:
            records = read_records(open_path(path, Reporter(None, path.name)), Reporter(None, path.name))
            first = [record.value for record in records.peek(1_000)]
        except (SessionError, OSError):
            continue
        for head in heads(first, records.container):
            agrees(head)
        looked_at += bool(first)
    assert looked_at > 10


@pytest.mark.samples
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_that_a_holder_is_asked_of_everything_it_recognises(folder: Path) -> None:
    for path in [folder, *below(folder)]:
        for holder in holders():
            assert isinstance(holder, HolderOnDemand)
            assert holder.recognises(path) == holder.holder.recognises(path), (holder.name, path)


def test_that_the_table_does_not_overlook_the_demo(root: Path) -> None:
    for path in (root / "fixtures" / "demo").rglob("*.jsonl"):
        records = [json.loads(line) for line in path.read_bytes().split(b"\n") if line]
        for head in heads(records[:1_000], "jsonl"):
            agrees(head)


@pytest.mark.parametrize("name", WRITTEN)
@given(data=st.data(), container=st.sampled_from(("json", "jsonl")))
@settings(max_examples=examples(5), deadline=None, suppress_health_check=slowly)
def test_that_the_table_overlooks_no_written_session(name: str, data: st.DataObject, container: Container) -> None:
    talk: Any = data.draw(talks(most=2))
    records: list[object] = list(LINES[name](talk)) if name in LINES else [DOCUMENTS[name](talk)]
    if data.draw(st.booleans()):
        records = data.draw(mistyped(records))
    for head in heads(records, container):
        agrees(head)
    for value in list(inside(records))[:300]:
        agrees(Head(container, (value,)))


@given(records=st.lists(values, min_size=1, max_size=3), container=st.sampled_from(("json", "jsonl")))
@settings(max_examples=examples(300), deadline=None, suppress_health_check=slowly)
def test_that_the_table_overlooks_nothing_that_is_made_of_its_words(records: list[object], container: str) -> None:
    agrees(Head("json" if container == "json" else "jsonl", tuple(records)))


@pytest.mark.parametrize(("name", "record"), FEWEST)
def test_that_the_table_overlooks_nothing_that_shows_the_least(name: str, record: object) -> None:
    (importer,) = (one for one in importers() if one.name == name)
    containers: tuple[Container, ...] = ("json", "jsonl")
    taken = [head for container in containers if importer.sniff(head := Head(container, (record,))) > 0]
    assert taken
    for head in taken:
        assert importer in likely(head, importers())


def test_that_an_importer_without_signs_is_always_asked() -> None:
    class Other:
        name = "other"
        label = description = "Of somebody else."

        def sniff(self, head: Head) -> float:
            return 1.0 if head.records else 0.0

        def begin(self, records: Any) -> Any:
            return records

    assert [one.name for one in likely(Head("jsonl", ({"strange": 1},)), (*importers(), Other()))] == ["other"]


@pytest.mark.parametrize(
    ("record", "formats"),
    [
        ({"role": "user", "content": "Which files?"}, {"chat"}),
        ({"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "message": {"content": "x"}}, {"claude"}),
        ({"type": "session_meta", "payload": {"id": "s"}, "timestamp": "2026-01-01T00:00:00Z"}, {"codex"}),
    ],
)
def test_that_opening_a_file_imports_the_formats_it_may_be_of(
    tmp_path: Path, record: dict[str, object], formats: set[str]
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    code = (
        "import sys; from pathlib import Path; from ravenglass import open_session; open_session(Path(sys.argv[1]));"
        "print(*{name.split('.')[3] for name in sys.modules if name.startswith('ravenglass.sessions.formats.')})"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, encoding="utf-8", check=True)
    assert set(done.stdout.split()) == formats
