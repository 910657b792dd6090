"""Imports sessions of pi and OpenClaw: one line of entries, or a tree of them (formats.md, section 10)."""

from __future__ import annotations

from dataclasses import replace

from ravenglass.sessions.formats.pi.messages import custom_of, message_of, summary_of
from ravenglass.sessions.formats.pi.path import Path
from ravenglass.sessions.formats.pi.tree import EntryTree, TreeBranch, TreeCompaction, TreeEntry
from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.build import title_of
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.model.session import Message, OtherRecord, Session
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, kind_of, mapping, text, text_or_none

_ROLES = frozenset({"user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage"})
_LABEL = 80


class Pi:
    """pi: `~/.pi/agent/sessions/`; OpenClaw: `~/.openclaw/agents/<agent>/sessions/`."""

    name = "pi"
    label = "pi or OpenClaw session (JSON lines)"
    description = (
        "Maps the path from the first entry to the last: user, assistant and tool result messages, shell commands of "
        "the person, messages of extensions, compactions with what they kept, summaries of branches; branches that "
        "were left are children. It keeps headers, changes of model and thinking level, labels, extensions' own data, "
        "commands kept from the model and unknown entries as other records."
    )

    def sniff(self, head: Head) -> float:
        """1 for a header; nearly sure for an entry with a message of this writer's roles."""
        return max((_score(record) for record in head.records), default=0.0)

    def begin(self, records: Records) -> _Reading:
        """The last entry decides which path is the session."""
        return _Reading(records)


def _score(record: object) -> float:
    fields = mapping(record)
    kind = fields.get("type")
    if kind == "session" and isinstance(fields.get("id"), str) and {"timestamp", "version", "cwd"} & fields.keys():
        return 1.0
    message = mapping(fields.get("message"))
    return 0.9 if kind == "message" and text(message.get("role")) in _ROLES else 0.0


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._tree = EntryTree()
        self._models: list[str | None] = []
        """The model in use after each entry."""
        self._numbers: list[int] = []
        """Index of the latest entry at each record: the first version counts all records of the file."""
        self._other: list[OtherRecord] = []
        self._id = self._project = self._name = ""
        self._model: str | None = None
        self._forked: str | None = None
        self._roots: frozenset[str] = frozenset()

    def take(self, record: Record) -> None:
        fields = mapping(record.value)
        kind = text(fields.get("type"))
        if kind == "session":
            self._header(fields)
            self._other.append(OtherRecord("session", record.span))
        elif kind:
            self._entry(fields, kind, record)
        else:
            self._other.append(OtherRecord(kind_of(record.value), record.span))
        self._numbers.append(len(self._tree.entries) - 1 if kind and kind != "session" else -1)

    def _header(self, fields: dict[str, object]) -> None:
        if given := text(fields.get("id")):
            self._roots |= {given}
        if self._id:
            return
        self._id = given
        self._project = text(fields.get("cwd"))
        self._model = text_or_none(fields.get("modelId"))
        self._forked = text_or_none(fields.get("parentSession")) or text_or_none(fields.get("branchedFrom"))

    def _entry(self, fields: dict[str, object], kind: str, record: Record) -> None:
        entry_id = text_or_none(fields.get("id"))
        parent = self._tree.parent_of(fields.get("parentId"), known="parentId" in fields, roots=self._roots)
        model = self._models[parent] if parent >= 0 else self._model
        message = self._message(fields, kind, entry_id)
        if kind == "model_change":
            model = text_or_none(fields.get("modelId")) or model
        elif kind == "session_info":
            self._name = text(fields.get("name")) or self._name
        if message is None:
            role = text(mapping(fields.get("message")).get("role"))
            self._other.append(OtherRecord(f"{kind}/{role}"[:_LABEL] if role else kind[:_LABEL], record.span))
        elif message.role == "assistant":
            model = message.model or model
            message = replace(message, model=model)
        compaction = self._compaction(fields) if kind == "compaction" else None
        self._tree.add(TreeEntry(parent, record.span, message, compaction), entry_id)
        self._models.append(model)

    def _message(self, fields: dict[str, object], kind: str, entry_id: str | None) -> Message | None:
        ts = seconds(fields.get("timestamp"))
        if kind == "message":
            return message_of(fields.get("message"), entry_id, ts, len(self._tree.entries))
        if kind == "custom_message":
            return custom_of(fields, entry_id, ts)
        if kind in ("compaction", "branch_summary"):
            return summary_of(fields.get("summary"), entry_id, ts, branch=kind == "branch_summary")
        return None

    def _compaction(self, fields: dict[str, object]) -> TreeCompaction:
        kept = self._tree.index_of(fields.get("firstKeptEntryId"))
        number = count(fields.get("firstKeptEntryIndex"))
        if kept is None and number is not None and number < len(self._numbers):
            # An index that names no entry means the first one after it.
            kept = next((index for index in self._numbers[number:] if index >= 0), None)
        return TreeCompaction(kept, count(fields.get("tokensBefore")), fields.get("fromHook") is True)

    def session(self) -> Session:
        branches = self._tree.branches() or [TreeBranch((), -1, 0)]
        paths = [Path(self._tree, branch) for branch in branches]
        for path in paths[1:]:
            if path.messages:
                owner = paths[path.branch.owner]
                owner.markers.append(owner.left_at(path.branch.fork, len(path.messages)))
        name = self._id or stem(self._records.opened.path)
        children = [
            self._branch(path, f"{name}#{path.messages[-1].source_id or number}")
            for number, path in enumerate(paths)
            if number > 0 and path.messages
        ]
        draft = self._draft(paths[0], name)
        draft.title, draft.other = self._name, list(self._other)
        session = assembled(draft, Pi.name, self._records, children=children[::-1])
        return replace(session, forked_from=self._forked, warnings=(*session.warnings, *self._sentences()))

    def _branch(self, path: Path, name: str) -> Session:
        draft = self._draft(path, name)
        draft.title = f"branch: {title_of(path.messages)}".rstrip(": ")
        return assembled(draft, Pi.name, self._records, main=False)

    def _draft(self, path: Path, name: str) -> SessionDraft:
        markers = sorted(path.markers, key=lambda marker: marker.before)
        return SessionDraft(name, path.messages, markers, project=self._project)

    def _sentences(self) -> tuple[str, ...]:
        found = self._tree.dangling
        if not found:
            return ()
        if found == 1:
            return ("1 entry names a parent that is not in the file; it follows the entry before.",)
        return (f"{found:,} entries name parents that are not in the file; each follows the entry before.",)
