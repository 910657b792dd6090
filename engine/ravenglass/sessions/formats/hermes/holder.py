"""Lists and reads the sessions in Hermes Agent's database `state.db`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ravenglass.errors import SessionError
from ravenglass.sessions.formats.hermes.importer import chat_of
from ravenglass.sessions.importing.assembly import SessionDraft
from ravenglass.sessions.importing.chat.messages import ChatThread
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.importing.rows import Row, columns, placed, rows
from ravenglass.sessions.importing.stored import stored_session
from ravenglass.sessions.model.session import Damage, Marker, OtherRecord, Session
from ravenglass.sessions.records.joined import JoinedSource
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import text, text_or_none

_SUMMARY = "[CONTEXT COMPACTION"
_JSON = ("tool_calls", "reasoning_details", "codex_reasoning_items", "codex_message_items")


class HermesDatabase:
    """Hermes Agent: `~/.hermes/state.db`."""

    name = "hermes"
    label = "a database of Hermes Agent (state.db)"
    description = (
        "Reads state.db with its write-ahead log and never writes to it. Maps messages, what a compaction archived "
        "(before a marker), and what the person rewound (a child session); keeps session rows as other records."
    )

    def recognises(self, path: Path) -> bool:
        """A database whose messages are active or not."""
        tables = columns(path) if path.is_file() else {}
        messages = tables.get("messages", frozenset())
        return (
            "sessions" in tables
            and {"session_id", "tool_calls"} <= messages
            and bool({"active", "compacted"} & messages)
        )

    def entries(self, path: Path) -> Iterator[HolderEntry]:
        """Its sessions from their rows; messages are not read."""
        for row in rows(path, "SELECT * FROM sessions"):
            yield HolderEntry(
                format=self.name,
                path=path,
                key=text(row.get("id")),
                id=text(row.get("id")),
                title=text(row.get("title")),
                project=text(row.get("cwd")),
                started=seconds(row.get("started_at")),
                updated=seconds(row.get("ended_at")) or seconds(row.get("started_at")),
                model=text_or_none(row.get("model")),
            )

    def open(self, path: Path, key: str, reporter: Reporter) -> Session:
        """The session of that id."""
        found = rows(path, "SELECT * FROM sessions WHERE id = ?", key)
        if not found:
            raise SessionError(f"{path} has no session {key!r}.", path=str(path), tried=(self.name,))
        source = JoinedSource()
        about, _ = placed(source, f"sessions/{key}", found[0])
        damage: list[Damage] = []
        main, rewound = ChatThread(), ChatThread()
        gone: list[int] = []
        other = [OtherRecord("session", about.span)]
        listed = rows(path, "SELECT * FROM messages WHERE session_id = ? ORDER BY id", key)
        for number, row in enumerate(listed, start=1):
            reporter.report(number, len(listed))
            at, broken = placed(source, f"messages/{row.get('id')}", row, _JSON)
            damage += broken
            archived, live = row.get("compacted") == 1, row.get("active", 1) != 0
            thread = main if live or archived else rewound
            if not thread.add(_chat(at.value), at.span):
                other.append(OtherRecord(f"role {text(row.get('role'))}", at.span))
                continue
            if archived and not live:
                gone.append(len(main.messages) - 1)
        draft = _draft(key, found[0], main)
        draft.other = other
        draft.markers = list(_compaction(gone))
        session = stored_session(draft, self.name, path, source, tuple(damage))
        if not rewound.messages:
            return session
        child = _draft(f"{key}#rewound", found[0], rewound)
        child.title = "rewound"
        return replace(session, children=(stored_session(child, self.name, path, source),))


def _draft(key: str, row: Row, thread: ChatThread) -> SessionDraft:
    messages = [
        replace(message, kind="summary") if message.role == "user" and message.text.startswith(_SUMMARY) else message
        for message in thread.messages
    ]
    return SessionDraft(
        key, messages, title=text(row.get("title")), project=text(row.get("cwd")),
        model=text_or_none(row.get("model")), system=text_or_none(row.get("system_prompt")),
    )  # fmt: skip


def _compaction(gone: list[int]) -> Iterator[Marker]:
    if gone:
        before, hidden = gone[-1] + 1, set(gone)
        keep = tuple(m for m in range(before) if m not in hidden)
        yield Marker("compaction", before, f"{len(gone):,} messages were archived by a compaction", keep)


def _chat(row: dict[str, Any]) -> dict[str, Any]:
    """A row in the names of chat completions; its number in the table is no id of a message."""
    return chat_of({key: value for key, value in row.items() if key != "id"})
