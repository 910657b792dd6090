"""Session formats that are recognised but cannot be read yet, so that the message can name them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ravenglass.sessions.importer import Head
from ravenglass.sessions.values import mapping, sequence, text

_CODEX = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"})
_ITEMS = frozenset(
    {
        "function_call",
        "function_call_output",
        "reasoning",
        "message",
        "custom_tool_call",
        "custom_tool_call_output",
    }
)
_BLOCKS = frozenset({"tool_use", "tool_result"})


def recognise(head: Head) -> str | None:
    """Name of the format that the file looks like, with its article; None if it looks like none."""
    records = [mapping(record) for record in head.records]
    for name, matches in _LINES:
        if any(matches(record) for record in records if record):
            return name
    first = head.records[0] if head.records else None
    listed = first if isinstance(first, list) else mapping(first).get("entries")
    items = [mapping(item) for item in sequence(listed)[:20]]
    if any(item.get("type") in _ITEMS and "role" not in item for item in items):
        return "a list of OpenAI Responses items"
    if any("source" in item and ("action" in item or "observation" in item) for item in items):
        return "an OpenHands event list"
    if _has_blocks(items):
        return "an Anthropic Messages conversation"
    return None


def _codex(record: dict[str, Any]) -> bool:
    return "payload" in record and record.get("type") in _CODEX


def _codex_legacy(record: dict[str, Any]) -> bool:
    return "record_type" in record or ("instructions" in record and {"id", "timestamp"} <= record.keys())


def _pi(record: dict[str, Any]) -> bool:
    return record.get("type") == "session" and {"id", "timestamp"} <= record.keys()


def _archive(record: dict[str, Any]) -> bool:
    return record.get("_type") == "curator_archive"


def _trace(record: dict[str, Any]) -> bool:
    return {"ts", "event", "payload"} <= record.keys()


def _manifest(record: dict[str, Any]) -> bool:
    return {"session_key", "items"} <= record.keys()


def _gemini(record: dict[str, Any]) -> bool:
    return {"sessionId", "projectHash"} <= record.keys()


def _swe_agent(record: dict[str, Any]) -> bool:
    return isinstance(record.get("trajectory"), list) or isinstance(record.get("history"), list)


def _openhands(record: dict[str, Any]) -> bool:
    return text(record.get("kind")).endswith("Event") or ("llm_response_id" in record and "kind" in record)


def _opencode(record: dict[str, Any]) -> bool:
    marks = ({"sessionID", "role"}, {"messageID", "type"}, {"projectID", "directory"}, {"projectID", "title"})
    return "id" in record and any(mark <= record.keys() for mark in marks)


def _responses(record: dict[str, Any]) -> bool:
    lists = [*sequence(record.get("input"))[:20], *sequence(record.get("output"))[:20]]
    return any(text(mapping(item).get("type")) in _ITEMS or "role" in mapping(item) for item in lists)


def _anthropic(record: dict[str, Any]) -> bool:
    if not isinstance(record.get("messages"), list):
        return False
    return "system" in record or _has_blocks([mapping(item) for item in record["messages"]])


def _has_blocks(messages: list[dict[str, Any]]) -> bool:
    blocks = (mapping(block) for item in messages for block in sequence(item.get("content")))
    return any(block.get("type") in _BLOCKS for block in blocks)


def _otel(record: dict[str, Any]) -> bool:
    return "resourceSpans" in record


def _inspect(record: dict[str, Any]) -> bool:
    return {"eval", "status", "version"} <= record.keys()


def _journal(record: dict[str, Any]) -> bool:
    return {"key", "agentId"} <= record.keys() and record.get("type") in ("started", "result")


_LINES: tuple[tuple[str, Callable[[dict[str, Any]], bool]], ...] = (
    ("a Codex rollout", _codex),
    ("an old Codex rollout", _codex_legacy),
    ("a pi or OpenClaw session", _pi),
    ("an archive of Raven's curator", _archive),
    ("a trace log of Raven's curator", _trace),
    ("a manifest of Raven's curator", _manifest),
    ("a Gemini CLI session", _gemini),
    ("a SWE-agent trajectory", _swe_agent),
    ("an OpenHands event", _openhands),
    ("an opencode record", _opencode),
    ("an OpenAI Responses request", _responses),
    ("an Anthropic Messages request", _anthropic),
    ("an OpenTelemetry export", _otel),
    ("an Inspect log", _inspect),
    ("a Claude Code workflow journal", _journal),
)
