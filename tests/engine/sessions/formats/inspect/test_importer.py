"""Inspect AI logs (formats.md, section 11), written after its public models."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.sessions import counts, holder_of, open_session
from ravenglass.sessions.formats.inspect.archive import InspectArchive
from ravenglass.sessions.model.session import Usage
from tests.engine.sessions.damaged import mistyped, opened

HASH = "0123456789abcdef0123456789abcdef"
TOOL = {"name": "bash", "description": "run", "parameters": {"type": "object"}}


def output(ident: str | None, text: str, usage: dict[str, int], calls: list[Any] | None = None) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "source": "generate", "model": "m-1", "tool_calls": calls}
    if ident is not None:
        message["id"] = ident
    return {"model": "m-1", "choices": [{"message": message, "stop_reason": "stop"}], "usage": usage}


CALLS = [{"id": "bash_1", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}]
SAMPLE: dict[str, Any] = {
    "id": "task-1",
    "epoch": 1,
    "uuid": "uuid-1",
    "input": "Find the flag",
    "target": "flag",
    "messages": [
        {"id": "s", "role": "system", "content": "You are"},
        {"id": "u", "role": "user", "content": [{"type": "text", "text": "Find the flag"}], "source": "input"},
        {
            "id": "a1",
            "role": "assistant",
            "source": "generate",
            "content": [
                {"type": "reasoning", "reasoning": "secret", "redacted": True, "signature": "s"},
                {"type": "reasoning", "reasoning": "hm"},
                {"type": "text", "text": "I look"},
                {"type": "tool_use", "name": "search", "arguments": "{}", "result": "found", "tool_type": "web_search"},
            ],
            "tool_calls": CALLS,
        },
        {"id": "t1", "role": "tool", "content": f"attachment://{HASH}", "tool_call_id": "bash_1", "function": "bash"},
        {"id": "u2", "role": "user", "content": "Please proceed."},
        {"role": "assistant", "content": "no id"},
        {
            "role": "tool",
            "content": "",
            "tool_call_id": "gone",
            "function": "bash",
            "error": {"type": "timeout", "message": "too slow"},
        },
        {"role": "user", "content": [{"type": "image", "image": "data:image/png;base64,AAAA"}], "source": "operator"},
    ],
    "attachments": {HASH: "a very long result"},
    "events": [
        {"event": "sample_init", "timestamp": "2026-01-02T03:04:05+00:00"},
        {
            "event": "model",
            "model": "m-1",
            "tools": [TOOL],
            "completed": "2026-01-02T03:04:09+00:00",
            "output": output(
                "a1",
                "I look",
                {
                    "input_tokens": 10,
                    "output_tokens": 5,
                    "total_tokens": 115,
                    "input_tokens_cache_read": 80,
                    "input_tokens_cache_write": 20,
                },
                CALLS,
            ),
        },
        {
            "event": "model",
            "model": "m-1",
            "output": output(
                None,
                "no id",
                {"input_tokens": 120, "output_tokens": 6, "total_tokens": 126, "input_tokens_cache_read": 90},
            ),
        },
        {"event": "model", "model": "grader", "output": output("g", "C", {"input_tokens": 1, "output_tokens": 1})},
    ],
    "output": output(None, "no id", {"input_tokens": 120, "output_tokens": 6}),
    "scores": {"includes": {"value": "C"}},
}
SHORT = {
    "id": 2,
    "epoch": 1,
    "input": [{"role": "user", "content": "q1"}, {"role": "assistant", "content": "a1", "source": "input"}],
    "target": "t",
    "messages": [],
    "output": output("x", "answer", {"input_tokens": 7, "output_tokens": 2}),
}
LOG: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {"run_id": "r", "task_id": "tid", "task": "ctf", "model": "provider/m-1", "dataset": {}},
    "stats": {"model_usage": {}},
    "samples": [SAMPLE, SHORT],
}


def saved(folder: Path, value: object, indent: int | None = 2) -> Path:
    path = folder / "log.json"
    path.write_bytes(json.dumps(value, indent=indent).encode())
    return path


def packed(folder: Path, members: dict[str, object], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """An `.eval` archive; 93 is zstandard, which the standard library of this version cannot write."""
    path = folder / "log.eval"
    if method != 93:
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, value in members.items():
                archive.writestr(name, json.dumps(value))
        return path
    body, directory = b"", b""
    for name, value in members.items():
        raw = json.dumps(value).encode()
        data = zstandard.ZstdCompressor().compress(raw)
        sizes = (zlib.crc32(raw), len(data), len(raw), len(name))
        header = struct.pack("<HHHHHIIIH", 63, 0, 93, 0, 33, *sizes)
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + header
        directory += struct.pack("<HHHHII", 0, 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\x03\x04" + header + struct.pack("<H", 4) + name.encode() + b"\x99\x99\x00\x00" + data
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\x05\x06" + end)
    return path


HEADER = {key: value for key, value in LOG.items() if key != "samples"}
SUMMARIES = [
    {
        "id": "task-1",
        "epoch": 1,
        "uuid": "uuid-1",
        "input": "Find  the flag",
        "started_at": "2026-01-02T03:04:05+00:00",
    },
    {"id": 2, "epoch": 1, "input": [{"role": "user", "content": "q1"}]},
]
MEMBERS: dict[str, object] = {
    "_journal/start.json": HEADER,
    "samples/task-1_epoch_1.json": SAMPLE,
    "samples/2_epoch_1.json": SHORT,
    "header.json": HEADER,
    "summaries.json": SUMMARIES,
}


@pytest.mark.parametrize("indent", [None, 2])
def test_that_a_sample_is_a_session_with_the_usage_of_its_model_events(tmp_path: Path, indent: int | None) -> None:
    session = open_session(saved(tmp_path, LOG, indent))
    assert (session.format, session.id, session.project, session.title) == ("inspect", "uuid-1", "ctf", "Find the flag")
    assert [(m.role, m.kind) for m in session.messages] == [
        ("system", "ordinary"),
        ("user", "prompt"),
        ("assistant", "ordinary"),
        ("tool", "ordinary"),
        ("user", "meta"),
        ("assistant", "ordinary"),
        ("tool", "ordinary"),
        ("user", "prompt"),
    ]
    answer = session.messages[2]
    assert "secret" not in answer.thinking
    assert answer.thinking.endswith("\nhm")
    assert answer.text == "I look\n[search {}]\nfound"
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [("bash_1", "bash", '{"cmd": "ls"}')]
    # The total tells whether the input includes the cached tokens: the first does not, the second does.
    assert answer.usage == Usage(110, 5, 80, 20)
    assert (answer.model, answer.ts) == ("m-1", 1_767_323_049.0)
    assert session.messages[5].usage == Usage(120, 6, 90, None)
    assert (session.messages[3].text, session.messages[3].tool_name) == ("a very long result", "bash")
    assert (session.messages[6].text, session.messages[6].is_error) == ("Error: too slow", True)
    assert "orphan_result" in session.messages[6].flags
    assert session.messages[7].images == 1
    assert json.loads(session.raw(3)) == SAMPLE["messages"][3]
    assert session.tools_text is not None
    assert json.loads(session.tools_text) == [TOOL]
    labels = [record.label for record in session.other]
    assert "sample/events" in labels
    assert "sample/attachments" in labels
    assert "stats" in labels


def test_that_further_samples_are_children_and_input_and_output_stand_for_missing_messages(tmp_path: Path) -> None:
    session = open_session(saved(tmp_path, LOG))
    (child,) = session.children
    assert (child.id, child.model) == ("tid/2_epoch_1", "m-1")
    assert [(m.role, m.text) for m in child.messages] == [("user", "q1"), ("assistant", "a1"), ("assistant", "answer")]
    assert [call.message for call in child.structure.calls] == [2]
    assert child.messages[2].usage == Usage(7, 2, None, None)
    assert "2 samples" in session.warnings[0]


def with_inputs(pooled: bool) -> dict[str, Any]:
    """A sample whose events tell what was sent: two calls, an agent as a tool, a compaction, a grader."""
    system, task = {"role": "system", "content": "You are"}, {"role": "user", "content": "Find it", "source": "input"}
    call = [{"id": "c1", "function": "helper", "arguments": {"input": "look  around"}, "type": "function"}]
    first = {"role": "assistant", "content": "one", "id": "m1", "tool_calls": call}
    result = {"role": "tool", "content": "nothing", "tool_call_id": "c1", "function": "helper"}
    second = {"role": "assistant", "content": "two", "id": "m2"}
    more = {"role": "user", "content": "Go on."}
    summary = {"role": "user", "content": "so far", "metadata": {"summary": True}}
    third = {"role": "assistant", "content": "three", "id": "m3"}
    asked = {"role": "user", "content": "look around"}
    graded = {"role": "user", "content": "Is it right?"}
    pool = [system, task, first, result, second, more, summary, asked, graded]
    sent = [
        ([0, 1], first),
        ([7], {"role": "assistant", "content": "nothing here"}),
        ([0, 1, 2, 3], second),
        ([0, 1, 6, 5], third),
        ([8], {"role": "assistant", "content": "C"}),
    ]
    events = []
    for number, (places, answer) in enumerate(sent):
        event: dict[str, Any] = {"event": "model", "model": "m-1"}
        event["output"] = {"choices": [{"message": answer}], "usage": {"input_tokens": number, "output_tokens": 1}}
        if pooled:
            event["input"] = []
            event["input_refs"] = [[place, place + 1] for place in places]
        else:
            event["input"] = [pool[place] for place in places]
        events.append(event)
    events.append(
        {"event": "model", "model": "m-1", "input": [graded], "error": "overloaded", "output": {"choices": []}}
    )
    sample = {"id": 1, "epoch": 1, "input": "Find it", "target": "", "events": events, "uuid": "u"}
    if pooled:
        sample["events_data"] = {"messages": pool, "calls": []}
    return {**sample, "messages": [system, task, first, result, second, more, third, {**more, "content": "End."}]}


@pytest.mark.parametrize("pooled", [True, False])
def test_that_events_tell_what_each_call_was_sent(tmp_path: Path, pooled: bool) -> None:
    value = with_inputs(pooled)
    session = open_session(saved(tmp_path, value))
    assert [(m.role, m.kind, m.text) for m in session.messages] == [
        ("system", "ordinary", "You are"),
        ("user", "prompt", "Find it"),
        ("assistant", "ordinary", "one"),
        ("tool", "ordinary", "nothing"),
        ("assistant", "ordinary", "two"),
        ("user", "summary", "so far"),
        ("user", "meta", "Go on."),
        ("assistant", "ordinary", "three"),
        ("user", "meta", "End."),
    ]
    assert [(m.kind, m.before, m.keep) for m in session.markers] == [("compaction", 5, (0, 1))]
    assert [m.usage.context for m in session.messages if m.usage] == [None, 2, 3]
    assert [json.loads(session.raw(n)) for n in (0, 1, 2, 3, 4)] == value["messages"][:5]
    assert [([m.text for m in child.messages], child.parent_call_id) for child in session.children] == [
        (["look around", "nothing here"], "c1"),
        (["Is it right?", "C"], None),
    ]
    assert [child.messages[0].kind for child in session.children] == ["prompt", "prompt"]
    opened(saved(tmp_path, value))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.booleans().map(with_inputs).flatmap(mistyped))
def test_that_no_wrong_type_in_events_is_an_error(tmp_path: Path, value: object) -> None:
    opened(saved(tmp_path, value))


def test_that_a_single_sample_and_a_header_open_too(tmp_path: Path) -> None:
    assert len(open_session(saved(tmp_path, SAMPLE)).messages) == 8
    assert open_session(saved(tmp_path, HEADER)).messages == ()
    assert open_session(saved(tmp_path, {**LOG, "samples": [1, SHORT], "x": float("nan")})).id == "tid/2_epoch_1"


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93])
def test_that_an_archive_lists_and_opens_its_samples(tmp_path: Path, method: int) -> None:
    path = packed(tmp_path, MEMBERS, method)
    holder = holder_of(path)
    assert isinstance(holder, InspectArchive)
    first, second = holder.entries(path)
    assert (first.key, first.id, first.title, first.project, first.started) == (
        "task-1_epoch_1",
        "uuid-1",
        "Find the flag",
        "ctf",
        1_767_323_045.0,
    )
    assert (second.key, second.id, second.title) == ("2_epoch_1", "tid/2_epoch_1", "q1")
    for entry in (first, second):
        assert open_session(path, entry.key).id == entry.id
    session = open_session(path, "task-1_epoch_1")
    assert json.loads(session.raw(1)) == SAMPLE["messages"][1]
    assert (session.path, session.project, counts(session).messages) == (path, "ctf", 8)
    assert "holds 2 sessions" in open_session(path).warnings[0]
    with pytest.raises(SessionError, match=r"holds no sample nine; its samples are: task-1_epoch_1, 2_epoch_1\."):
        open_session(path, "nine")


def test_that_a_log_still_being_written_lists_from_its_journal(tmp_path: Path) -> None:
    members: dict[str, object] = {
        "_journal/start.json": HEADER,
        "samples/2_epoch_1.json": SHORT,
        "_journal/summaries/1.json": SUMMARIES,
    }
    path = packed(tmp_path, members)
    (entry,) = InspectArchive().entries(path)
    assert (entry.title, entry.project) == ("q1", "ctf")
    assert open_session(path).id == "tid/2_epoch_1"
