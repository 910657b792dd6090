"""Trace logs for tests: lines in the words of the reference implementation, and files of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ravenglass.traces import TraceCall, open_trace

BUDGET = {
    "context_length": 24_000, "reserved_output": 2_048, "reserved_tools": 200, "reserved_system": 400,
    "available_history": 21_352,
}  # fmt: skip


def line(event: str, payload: Any = None, ts: Any = "2026-07-24T09:00:00") -> bytes:
    return json.dumps({"ts": ts, "event": event, "payload": {} if payload is None else payload}).encode()


def start(messages: int = 10, max_steps: int = 12, **more: Any) -> bytes:
    return line("curator_start", {"budget": BUDGET, "message_count": messages, "max_steps": max_steps, **more})


def item(number: int, role: str, group: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": number, "role": role, "tokens": 10 + number, "group_id": group, "snippet": f"text {number}", **more}


def request(step: int, items: Sequence[dict[str, Any]] = (), history: int = 15_000, cut: int | None = None) -> bytes:
    """A request with a manifest, cut to that many characters as the reference implementation does."""
    content = json.dumps(
        {
            "session_key": "cli:1", "current_user_message": "Go on.", "budget": BUDGET,
            "manifest_summary": {"message_count": 10, "history_tokens": history, "archived_count": 0},
            "recent_messages": list(items),
        }
    )  # fmt: skip
    if cut is not None:
        content = content[:cut] + "..."
    messages = [{"role": "system", "content": "rules"}, {"role": "user", "content": content}]
    return line("curator_llm_request", {"step": step, "messages": messages, "tools": []})


def response(step: int, *calls: tuple[str, Any], content: str | None = None) -> bytes:
    made = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(calls)
    ]
    return line("curator_llm_response", {"step": step, "content": content, "finish_reason": "stop", "tool_calls": made})


def result(step: int, tool: str, arguments: Any, outcome: Any) -> bytes:
    return line("curator_tool_result", {"step": step, "tool": tool, "arguments": arguments, "result": outcome})


def plan(include: Sequence[int]) -> dict[str, Any]:
    return {"include_message_ids": list(include), "include_archive_refs": [], "notes": "n"}


def validation(
    included: Sequence[int], *, ok: bool = True, warnings: Sequence[str] = (), **more: Any
) -> dict[str, Any]:
    return {
        "ok": ok, "total_tokens": 100, "max_prompt_tokens": 21_952, "over_by": 0, "source": "tiktoken",
        "included_message_ids": list(included), "assembler_warnings": list(warnings), **more,
    }  # fmt: skip


def accepted(include: Sequence[int], **more: Any) -> bytes:
    return line("slow_path_accepted", {"plan": plan(include), "validation": validation(include, **more)})


def fallback(include: Sequence[int], included: Sequence[int], **more: Any) -> bytes:
    return line("fallback", {"plan": plan(include), "validation": validation(included, **more)})


def written(path: Path, *lines: bytes) -> Path:
    path.write_bytes(b"".join(one + b"\n" for one in lines))
    return path


def one_call(folder: Path, *lines: bytes) -> TraceCall:
    """The call that these lines make, read from a file."""
    (call,) = open_trace(written(folder / "log.jsonl", *lines)).turns[0].calls
    return call
