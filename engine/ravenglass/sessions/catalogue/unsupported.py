"""Files that are recognised but are no session that can be read, so that the message can say what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.records.values import mapping, sequence


def recognise(head: Head) -> str | None:
    """What the file looks like, as the rest of a sentence, with what to do with it; None if it looks like nothing."""
    records = [
        mapping(value) for record in head.records for value in (record[:5] if isinstance(record, list) else [record])
    ]
    for name, matches in _LINES:
        if any(matches(record) for record in records if record):
            return name if ":" in name else f"{name}, which cannot be read yet"
    return None


def _objects(head: Head) -> list[dict[str, Any]]:
    """The first objects of a file, also those of a list."""
    values = (value for record in head.records for value in (record[:20] if isinstance(record, list) else [record]))
    return [mapping(value) for value in values]


def partly(head: Head) -> str | None:
    """A sentence where a store is read by a more general format than its own: what of it is not read."""
    values = _objects(head)
    values += [mapping(value) for record in head.records for value in sequence(mapping(record).get("messages"))[:20]]
    for name, lost, matches in _PARTLY:
        if any(matches(value) for value in values if value):
            return f"This looks like a file of {name}; {lost} is not read."
    return None


def _cline(record: dict[str, Any]) -> bool:
    named = {"agent", "sessionId", "messages", "version"} <= record.keys()
    return named or ("role" in record and "modelInfo" in record and "metrics" in record)


def _roo(record: dict[str, Any]) -> bool:
    marks = {"condenseParent", "truncationParent", "isTruncationMarker", "condenseId"}
    return "role" in record and bool(marks & record.keys())


def _cline_classic(record: dict[str, Any]) -> bool:
    return "role" in record and "content" in record and isinstance(record.get("ts"), int)


def _kimi(record: dict[str, Any]) -> bool:
    return record.get("role") in ("_system_prompt", "_checkpoint", "_usage")


def _vibe(record: dict[str, Any]) -> bool:
    return {"message", "turn_index"} <= record.keys() and "role" in mapping(record["message"])


_PARTLY: tuple[tuple[str, str, Callable[[dict[str, Any]], bool]], ...] = (
    ("Roo or Kilo Code", "usage, and which messages a condensing or truncation hid from the model,", _roo),
    ("Cline", "usage, and what a compaction took out of the window,", _cline),
    ("Cline or Roo Code", "usage, and what was taken out of the window,", _cline_classic),
    ("Kimi CLI", "usage, and what stood before a compaction (context_1.jsonl and so on),", _kimi),
    ("Mistral Vibe", "everything but this chunk", _vibe),
)


def _letta(record: dict[str, Any]) -> bool:
    shown = {"in_context_message_indices", "in_context_message_ids", "message_ids"}
    return ("agent_type" in record and bool(shown & record.keys())) or {"agents", "blocks", "tools"} <= record.keys()


def _langchain(record: dict[str, Any]) -> bool:
    typed = record.get("type") in ("human", "ai", "system", "tool", "function") and isinstance(record.get("data"), dict)
    return typed or (record.get("lc") == 1 and record.get("type") == "constructor")


def _archive(record: dict[str, Any]) -> bool:
    return record.get("_type") == "curator_archive"


def _trace(record: dict[str, Any]) -> bool:
    return {"ts", "event", "payload"} <= record.keys()


def _manifest(record: dict[str, Any]) -> bool:
    return {"session_key", "items"} <= record.keys()


def _state(record: dict[str, Any]) -> bool:
    return {"goals", "open_threads", "decisions"} <= record.keys()


def _run(record: dict[str, Any]) -> bool:
    return {"runId", "workflowName"} <= record.keys()


def _agent(record: dict[str, Any]) -> bool:
    return "agentType" in record and record.keys() <= {"agentType", "description", "toolUseId", "spawnDepth"}


def _opencode(record: dict[str, Any]) -> bool:
    marks = ({"sessionID", "role"}, {"messageID", "type"}, {"projectID", "directory"}, {"projectID", "title"})
    return "id" in record and any(mark <= record.keys() for mark in marks)


def _journal(record: dict[str, Any]) -> bool:
    return {"key", "agentId"} <= record.keys() and record.get("type") in ("started", "result")


_LINES: tuple[tuple[str, Callable[[dict[str, Any]], bool]], ...] = (
    ("an archive file, not a session: the desktop lists it with the session that it belongs to", _archive),
    ("a trace log, not a session: `ravenglass trace` reads it, and the desktop opens it by itself", _trace),
    ("a manifest of Raven's curator, not a session: it describes one of the workspace's `sessions`", _manifest),
    ("a working state of Raven's curator, not a session: it belongs to one of the workspace's `sessions`", _state),
    ("a single record of opencode's storage folder, not a session: open the storage folder", _opencode),
    ("a Claude Code workflow journal, not a session: it is read with the session it belongs to", _journal),
    ("the description of a workflow run, not a session: it is read with the session it belongs to", _run),
    ("a Letta agent file", _letta),
    ("a dump of LangChain messages", _langchain),
    ("the description of a sub-agent, not a session: it is read with the transcript beside it", _agent),
)
