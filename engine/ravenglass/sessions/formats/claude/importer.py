"""Imports Claude Code transcripts (formats.md, section 1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.formats.claude.children import find_children, nest
from ravenglass.sessions.formats.claude.lines import claude_line
from ravenglass.sessions.formats.claude.reading import ClaudeReading
from ravenglass.sessions.formats.claude.thread import ClaudeThread, Stretch
from ravenglass.sessions.importing.build import model_of, title_of, warnings_of
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.model.session import OtherRecord, Session
from ravenglass.sessions.model.structure import linked
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import Record, Records, read_records
from ravenglass.sessions.records.source import open_path
from ravenglass.sessions.records.values import mapping

_TYPES = frozenset(
    {"file-history-snapshot", "queue-operation", "last-prompt", "custom-title", "ai-title", "permission-mode"}
)
_HEAD = 20


class ClaudeCode:
    """Claude Code: `~/.claude/projects/<project>/<session>.jsonl`."""

    name = "claude-code"
    label = "Claude Code transcript (JSON lines)"
    description = (
        "Maps user, assistant and tool result records, attachments whose text the model saw, compactions with what they"
        " kept, cleared results, resumes, rewound branches, sidechains, sub-agent and workflow files; keeps progress,"
        " snapshots, other attachments, system notes and unknown records as other records."
    )

    def sniff(self, head: Head) -> float:
        """1 if any of the first records has what only this writer writes."""
        if any(_is_foreign(record) for record in head.records):
            return 0.0
        return 1.0 if any(_is_claude(record) for record in head.records) else 0.0

    def begin(self, records: Records) -> _Reading:
        """The session comes with its sub-agents, also those in files beside it."""
        return _Reading(records)


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._transcript = ClaudeReading()

    def take(self, record: Record) -> None:
        self._transcript.take(record)

    def session(self) -> Session:
        path = self._records.opened.path
        session, reading = _session(self._transcript, self._records)
        return session if path.name.startswith("agent-") else _with_children(session, reading, path)


def _is_claude(record: object) -> bool:
    value = mapping(record)
    if "parentUuid" in value or ("sessionId" in value and "uuid" in value):
        return value.get("type") not in ("user", "assistant") or "content" in mapping(value.get("message"))
    kind = value.get("type")
    return (kind == "summary" and "leafUuid" in value) or (isinstance(kind, str) and kind in _TYPES)


def _is_foreign(record: object) -> bool:
    """Other writers chain their records in the same way; what a message holds is another API's there."""
    value = mapping(record)
    message = mapping(value.get("message"))
    return "systemPayload" in value or ("parts" in message and "content" not in message)


def _session(transcript: ClaudeReading, records: Records) -> tuple[Session, ClaudeReading]:
    reading = transcript.settled()
    path = records.opened.path
    base = Session(
        id="",
        format=ClaudeCode.name,
        path=path,
        messages=(),
        structure=linked(()).structure,
        source=records.opened.source,
    )
    session = _from_thread(reading.main, base)
    name = (reading.agent_id if reading.agent_file else reading.session_id) or path.name.split(".jsonl", 1)[0]
    alone = path.name.startswith("agent-")
    messages = [message for inner in (session, *session.children) for message in inner.messages]
    found = replace(
        session,
        id=name,
        title=reading.titles.best or session.title,
        # In a sub-agent's own file nobody else's records stand: what is marked as another's is kept beside.
        other=_other(reading.other, reading, reading.side_records if alone else ()),
        parent=reading.session_id if alone or reading.agent_file else None,
        damage=records.damage,
        pending=records.pending,
        warnings=warnings_of(records, messages),
        children=tuple(replace(child, id=f"{name}/{child.id}") for child in session.children),
    )
    return found, reading


def _from_thread(thread: ClaudeThread, base: Session) -> Session:
    """The session of a thread, with the branches that were rewound as children. `base` gives path and source."""
    main, branches = thread.stretches()
    session = _from_stretch(main, thread.name, thread.cwd, base)
    children = []
    for number, branch in enumerate(branches, 1):
        child = _from_stretch(branch, f"branch-{number}", thread.cwd, base)
        children.append(replace(child, title=f"branch: {child.title}"))
    return replace(session, parent_call_id=thread.started_by, children=tuple(children))


def _from_stretch(stretch: Stretch, name: str, cwd: str, base: Session) -> Session:
    found = linked(stretch.messages, stretch.markers)
    return Session(
        id=name,
        format=ClaudeCode.name,
        path=base.path,
        messages=found.messages,
        structure=found.structure,
        source=base.source,
        title=title_of(found.messages),
        project=cwd or base.project,
        model=model_of(found.messages),
        markers=found.markers,
    )


def _with_children(session: Session, reading: ClaudeReading, path: Path) -> Session:
    found = find_children(path, reading, _read_file, _peek_session, lambda thread: _from_thread(thread, session))
    return replace(
        session,
        children=(*nest(found, reading.main), *session.children),
        other=_other(session.other, reading, found.unused),
        warnings=(*session.warnings, *found.warnings),
    )


def _other(other: Sequence[OtherRecord], reading: ClaudeReading, sidechains: Iterable[str]) -> tuple[OtherRecord, ...]:
    """The other records, with those of sidechains that are used nowhere."""
    unused = [record for name in sidechains for record in reading.side_records.get(name, [])]
    return tuple(sorted([*other, *unused], key=lambda record: record.span.offset)) if unused else tuple(other)


def _read_file(path: Path) -> tuple[Session, ClaudeReading]:
    reporter = Reporter(None, path.name)
    records = read_records(open_path(path, reporter), reporter)
    transcript = ClaudeReading()
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
