"""Imports rollouts of the Codex CLI and desktop (formats.md, section 2)."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path

from ravenglass.sessions.formats.codex.assembly import Rollout, assemble
from ravenglass.sessions.formats.codex.children import RolloutChildren
from ravenglass.sessions.formats.codex.lines import Meta, RolloutLine, codex_line, is_codex, is_legacy
from ravenglass.sessions.formats.codex.siblings import Siblings, stem
from ravenglass.sessions.importing.build import model_of, title_of, warnings_of
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.responses.kinds import request_of
from ravenglass.sessions.importing.responses.thread import ResponsesDraft, messages_of
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.model.structure import linked
from ravenglass.sessions.model.texts import keeping
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import Record, Records, read_records
from ravenglass.sessions.records.source import open_path

_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")


class Codex:
    """Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`."""

    name = "codex"
    label = "Codex rollout (JSON lines)"
    description = (
        "Maps response items (and events where no item says the same), the items of one response as one message, "
        "usage from the increases of the token counter, compactions with what stayed, turns that were rolled back "
        "(as child sessions), sub-agents' rollouts beside the file; keeps session, turn and world descriptions, "
        "mirrored and other events, encrypted content's length and unknown records as other records."
    )

    def sniff(self, head: Head) -> float:
        """1 for what only Codex writes; nearly that for the bare records of old versions."""
        if any(is_codex(record) for record in head.records):
            return 1.0
        return 0.98 if head.container == "jsonl" and any(is_legacy(record) for record in head.records) else 0.0

    def begin(self, records: Records) -> _Reading:
        """The session comes with its sub-agents, which stand in files beside it."""
        return _Reading(records)


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._lines: list[RolloutLine] = []
        self._children = RolloutChildren(Siblings(records.opened.path), _read_file)

    def take(self, record: Record) -> None:
        self._lines.append(codex_line(record))

    def session(self) -> Session:
        session, rollout = _session(self._lines, self._records)
        children = self._children.of(session, rollout)
        return replace(
            session,
            children=(*session.children, *children),
            warnings=(*session.warnings, *self._children.warnings),
        )


def _read_file(path: Path, parent_turns: AbstractSet[str]) -> tuple[Session, Rollout]:
    reporter = Reporter(None, path.name)
    records = read_records(open_path(path, reporter), reporter)
    with keeping(records.opened.spool):
        lines = [codex_line(record) for record in records]
        return _session(lines, records, parent_turns)


def _session(
    lines: list[RolloutLine], records: Records, parent_turns: AbstractSet[str] = frozenset()
) -> tuple[Session, Rollout]:
    """The session without its sub-agents, and what was found in its lines."""
    path, source = records.opened.path, records.opened.source
    rollout = assemble(lines, source, parent_turns)
    found = linked(messages_of(rollout.drafts), rollout.markers())
    meta = rollout.meta or Meta(None, None, "", None, None, None, "", "", None, None)
    session = Session(
        id=meta.id or _name(path),
        format=Codex.name,
        path=path,
        messages=found.messages,
        structure=found.structure,
        source=source,
        title=rollout.title or _title(meta, rollout.drafts) or title_of(found.messages),
        project=rollout.cwd,
        model=model_of(found.messages),
        tools_text=meta.tools,
        system_prompt=meta.system_prompt,
        other=tuple(rollout.other),
        damage=records.damage,
        markers=found.markers,
        pending=records.pending,
        parent=meta.parent,
        warnings=(*warnings_of(records, found.messages), *_unplaced(rollout)),
    )
    taken_back = (_rolled_back(number, drafts, session) for number, drafts in enumerate(rollout.rolled, start=1))
    return replace(session, children=tuple(taken_back)), rollout


def _rolled_back(number: int, drafts: list[ResponsesDraft], session: Session) -> Session:
    """The turns that the user took back, as a session beside the one that went on without them."""
    found = linked(messages_of(drafts))
    return replace(
        session,
        id=f"{session.id}#rolled-back-{number}",
        messages=found.messages,
        structure=found.structure,
        title=f"rolled back: {_words(drafts) or title_of(found.messages)}",
        model=model_of(found.messages),
        other=(),
        damage=(),
        markers=(),
        children=(),
        parent=None,
        pending=None,
        warnings=(),
        derived={},
    )


def _title(meta: Meta, drafts: list[ResponsesDraft]) -> str:
    """A sub-agent is known by its name, any other session by what was asked first."""
    if meta.parent is not None and (meta.path or meta.nickname):
        return f"{meta.path} ({meta.nickname})" if meta.path and meta.nickname else meta.path or meta.nickname
    return _words(drafts)


def _words(drafts: list[ResponsesDraft]) -> str:
    """The beginning of the first request, without what an editor put before it."""
    for draft in drafts:
        if draft.role == "user" and draft.kind == "prompt":
            typed = request_of("\n".join(part.text for part in draft.parts if part.kind == "text"))
            if words := " ".join(typed[:640].split()):
                return words[:80]
    return ""


def _unplaced(rollout: Rollout) -> tuple[str, ...]:
    if not rollout.unplaced:
        return ()
    sentence = (
        f"{rollout.unplaced:,} of the {rollout.used:,} tokens that the session's counter shows belong to requests"
        " whose answer is not recorded (a compaction, a failed request)."
    )
    return (sentence,)


def _name(path: Path) -> str:
    """The id in the file's name, else the name."""
    name = stem(path)
    found = _ID.search(name)
    return found.group() if found else name or path.name
