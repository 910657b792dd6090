"""Imports sessions of Gemini CLI, one JSON document or JSON lines (formats.md, section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.formats.gemini.about import KNOWN, About, parent_of, project_of, twin_of
from ravenglass.sessions.formats.gemini.children import ChatChildren
from ravenglass.sessions.formats.gemini.history import ChatHistory, HistoryEntry
from ravenglass.sessions.formats.gemini.messages import Built, build
from ravenglass.sessions.formats.gemini.records import draft_of, is_item, is_turn, type_of
from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.build import title_of
from ravenglass.sessions.importing.importer import Head, read
from ravenglass.sessions.importing.located import Located, located
from ravenglass.sessions.model.session import OtherRecord, Session, Span
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import Record, Records, read_records
from ravenglass.sessions.records.source import open_path
from ravenglass.sessions.records.values import kind_of, mapping, sequence

_LISTS = ("messages", "history")
_LOOKED_AT = 20
"""Messages of a document that are enough to tell the format."""
_LABEL = 80


class GeminiCLI:
    """Gemini CLI: `~/.gemini/tmp/<project>/chats/`."""

    name = "gemini-cli"
    label = "Gemini CLI session (JSON or JSON lines)"
    description = (
        "Maps user and gemini messages with thoughts, tool calls and their results, token counts, replaced and rewound "
        "histories, and the files of sub-agents; keeps notes to the person (info, warning, error), headers, changes of "
        "metadata, earlier versions of rewritten messages and unknown records as other records."
    )

    def __init__(self, reading: frozenset[Path] = frozenset()) -> None:
        self._reading = reading

    def sniff(self, head: Head) -> float:
        """1 for a header or a message of type `gemini`; likely for messages in the form of Gemini's API."""
        return max((_score(record) for record in head.records), default=0.0)

    def begin(self, records: Records) -> _Reading:
        """Of messages written again the last version counts, at the place of the first."""
        return _Reading(records, self._reading)


def _score(record: object) -> float:
    fields = mapping(record)
    if {"sessionId", "projectHash"} <= fields.keys() or isinstance(fields.get("$rewindTo"), str):
        return 1.0
    listed = record if isinstance(record, list) else [item for key in _LISTS for item in sequence(fields.get(key))]
    return max(_score_of_item(item) for item in [record, *listed[:_LOOKED_AT]])


def _score_of_item(value: object) -> float:
    if not is_item(value):
        return 0.0
    return 1.0 if type_of(value) == "gemini" else 0.97 if is_turn(value) else 0.85


class _Reading:
    def __init__(self, records: Records, reading: frozenset[Path]) -> None:
        self._records = records
        self._history = ChatHistory()
        self._about = About()
        self._other: list[OtherRecord] = []
        self._children = ChatChildren(_read_file, reading | {records.opened.path.resolve()})

    def take(self, record: Record) -> None:
        value, fields = record.value, mapping(record.value)
        target, patch = fields.get("$rewindTo"), fields.get("$set")
        if isinstance(target, str):
            self._other.append(OtherRecord("$rewindTo", record.span))
            self._history.rewind(target)
        elif isinstance(fields.get("id"), str) or (is_item(value) and patch is None):
            self._history.put(*self._entry(value, record.span))
        elif isinstance(patch, dict):
            self._other.append(OtherRecord(f"$set {', '.join(patch)}"[:_LABEL], record.span))
            self._about.note(patch)
            if isinstance(patch.get("messages"), list):
                inner = located(self._records, record).get("$set")
                items = inner.elements("messages") if inner is not None else []
                self._history.replace(self._entries(items), whole=True)
        elif isinstance(value, list) and any(is_item(item) for item in value):
            self._history.replace(self._entries(located(self._records, record).items()))
        elif "sessionId" in fields or any(isinstance(fields.get(key), list) for key in _LISTS):
            self._header(record)
        else:
            self._other.append(OtherRecord(kind_of(value), record.span))

    def session(self) -> Session:
        self._about.complete(self._records)
        built = build(self._history.items)
        branches = [build(branch) for branch in self._history.branches]
        draft = self._draft(built, self._about.id or stem(self._records.opened.path))
        draft.title = self._about.title
        loose = (item for branch in branches for item in branch.other)
        draft.other = sorted([*self._other, *self._history.other, *built.other, *loose], key=lambda o: o.span.offset)
        inside = [
            self._taken_back(branch, f"{draft.id}#rolled-back-{number}")
            for number, branch in enumerate(branches, start=1)
            if branch.messages
        ]
        agents = {agent: call for part in (*branches, built) for agent, call in part.agents.items()}
        path = self._records.opened.path
        beside = self._children.of(path, draft.id, agents)
        session = assembled(draft, GeminiCLI.name, self._records, children=(*inside, *beside))
        twin = twin_of(path)
        more = (*([twin] if twin else []), *self._children.warnings)
        parent = parent_of(path) if self._about.kind == "subagent" else None
        return replace(session, parent=parent, warnings=(*session.warnings, *more))

    def _draft(self, built: Built, name: str) -> SessionDraft:
        project = self._about.directory or project_of(self._records.opened.path)
        model = next((m.model for m in built.messages if m.model), None)
        # The header's model is only the one that was chosen at the start.
        chosen = self._about.model if model is None else None
        return SessionDraft(name, built.messages, built.markers, project=project, model=chosen)

    def _taken_back(self, built: Built, name: str) -> Session:
        draft = self._draft(built, name)
        draft.title = f"rolled back: {title_of(built.messages)}".rstrip(": ")
        return assembled(draft, GeminiCLI.name, self._records, main=False)

    def _header(self, record: Record) -> None:
        """A header line, or a whole document: its list takes the place of the messages so far."""
        found = located(self._records, record)
        self._about.note(found.object)
        key = next((key for key in _LISTS if sequence(found.object.get(key))), None)
        if key is None:
            self._other.append(OtherRecord("header", record.span))
            return
        self._other.extend(found.others(*KNOWN, prefix="key "))
        self._history.replace(self._entries(found.elements(key)))

    def _entries(self, items: list[Located]) -> Iterator[tuple[str, HistoryEntry]]:
        return (self._entry(item.value, item.span) for item in items)

    def _entry(self, value: object, span: Span) -> tuple[str, HistoryEntry]:
        given = mapping(value).get("id")
        key = given if isinstance(given, str) else self._history.name()
        return key, HistoryEntry(draft_of(value, key), (type_of(value) or kind_of(value))[:_LABEL], span)


def _read_file(path: Path, reading: frozenset[Path]) -> Session:
    """A sub-agent's session. Raises SessionError for what is no file of this writer."""
    importer = GeminiCLI(reading)
    reporter = Reporter(None, path.name)
    records = read_records(open_path(path, reporter), reporter)
    if importer.sniff(Head(records.container, tuple(record.value for record in records.peek(_LOOKED_AT)))) == 0:
        raise SessionError(f"{path} is no session of Gemini CLI.", path=str(path), tried=(importer.name,))
    return read(importer, records)
