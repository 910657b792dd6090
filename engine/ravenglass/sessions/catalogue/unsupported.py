"""Files that are recognised but are no session that can be read, so that the message can say what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.records.values import mapping


def recognise(head: Head) -> str | None:
    """What the file looks like, as the rest of a sentence, with what to do with it; None if it looks like nothing."""
    records = [mapping(record) for record in head.records]
    for name, matches in _LINES:
        if any(matches(record) for record in records if record):
            return name if ":" in name else f"{name}, which cannot be read yet"
    return None


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
    ("the description of a sub-agent, not a session: it is read with the transcript beside it", _agent),
)
