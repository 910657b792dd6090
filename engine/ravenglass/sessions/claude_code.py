"""Imports Claude Code transcripts (formats.md, section 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.build import model_of, title_of, warnings_of
from ravenglass.sessions.claude_children import Found, find_children, nest
from ravenglass.sessions.claude_lines import claude_line
from ravenglass.sessions.claude_reading import Reading
from ravenglass.sessions.claude_thread import Thread
from ravenglass.sessions.importer import Head
from ravenglass.sessions.model import OtherRecord, Session
from ravenglass.sessions.progress import Reporter
from ravenglass.sessions.reader import Record, Records, read_records
from ravenglass.sessions.source import open_path
from ravenglass.sessions.structure import linked
from ravenglass.sessions.values import mapping

_TYPES = frozenset(
    {"file-history-snapshot", "queue-operation", "last-prompt", "custom-title", "ai-title", "permission-mode"}
)
_HEAD = 20


class ClaudeCode:
    """Claude Code: `~/.claude/projects/<project>/<session>.jsonl`."""

    name = "claude-code"
    label = "Claude Code transcript (JSON lines)"
    description = (
        "Maps user, assistant and tool result records, compactions, sidechains and sub-agent files; "
        "keeps progress, snapshots, attachments, system notes and unknown records as other records."
    )

    def sniff(self, head: Head) -> float:
        """1 if any of the first records has what only this writer writes."""
        return 1.0 if any(_is_claude(record) for record in head.records) else 0.0

    def begin(self, records: Records) -> _Reading:
        """The session comes with its sub-agents, also those in files beside it."""
        return _Reading(records)


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._transcript = Reading()

    def take(self, record: Record) -> None:
        self._transcript.take(record)

    def session(self) -> Session:
        path = self._records.opened.path
        session, reading = _session(self._transcript, self._records)
        return session if path.name.startswith("agent-") else _with_children(session, reading, path)


def _is_claude(record: object) -> bool:
    value = mapping(record)
    if "parentUuid" in value or ("sessionId" in value and "uuid" in value):
        return True
    kind = value.get("type")
    return (kind == "summary" and "leafUuid" in value) or (isinstance(kind, str) and kind in _TYPES)


def _session(transcript: Reading, records: Records) -> tuple[Session, Reading]:
    reading = transcript.settled()
    path = records.opened.path
    session = _from_thread(reading.main, path, records)
    name = reading.agent_id if reading.agent_file else reading.session_id
    found = replace(
        session,
        id=name or path.name.split(".jsonl", 1)[0],
        title=reading.titles.best or session.title,
        other=tuple(reading.other),
        damage=records.damage,
        pending=records.pending,
        warnings=warnings_of(records, session.messages),
    )
    return found, reading


def _from_thread(thread: Thread, path: Path, records: Records) -> Session:
    found = linked(thread.messages(), thread.markers)
    messages = found.messages
    return Session(
        id=thread.name,
        format=ClaudeCode.name,
        path=path,
        messages=messages,
        structure=found.structure,
        source=records.opened.source,
        title=title_of(messages),
        project=thread.cwd,
        model=model_of(messages),
        markers=found.markers,
        parent_call_id=thread.started_by,
    )


def _with_children(session: Session, reading: Reading, path: Path) -> Session:
    def from_thread(thread: Thread) -> Session:
        found = linked(thread.messages(), thread.markers)
        messages = found.messages
        return replace(
            session,
            id=thread.name,
            messages=messages,
            structure=found.structure,
            title=title_of(messages),
            project=thread.cwd or session.project,
            model=model_of(messages),
            markers=found.markers,
            parent_call_id=thread.started_by,
            other=(),
            damage=(),
            pending=None,
            warnings=(),
        )

    found = find_children(path, reading, _read_file, _peek_session, from_thread)
    return replace(
        session,
        children=nest(found, reading.main),
        other=_other(session.other, reading, found),
        warnings=(*session.warnings, *found.warnings),
    )


def _other(other: Sequence[OtherRecord], reading: Reading, found: Found) -> tuple[OtherRecord, ...]:
    unused = [record for name in found.unused for record in reading.side_records.get(name, [])]
    return tuple(sorted([*other, *unused], key=lambda record: record.span.offset)) if unused else tuple(other)


def _read_file(path: Path) -> tuple[Session, Reading]:
    reporter = Reporter(None, path.name)
    records = read_records(open_path(path, reporter), reporter)
    transcript = Reading()
    for record in records:
        transcript.take(record)
    return _session(transcript, records)


def _peek_session(path: Path) -> str | None:
    try:
        reporter = Reporter(None, path.name)
        head = read_records(open_path(path, reporter), reporter).peek(_HEAD)
    except SessionError:
        return None  # it belongs to no session that can be told; opening it by hand says why
    return next((line.session for record in head if (line := claude_line(record)).session), None)
