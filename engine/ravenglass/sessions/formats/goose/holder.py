"""Lists and reads the sessions in goose's database `sessions.db`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.formats.goose.blocks import add_message
from ravenglass.sessions.importing.assembly import SessionDraft
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.importing.rows import Row, columns, placed, rows
from ravenglass.sessions.importing.stored import stored_session
from ravenglass.sessions.importing.turns import Turns
from ravenglass.sessions.model.session import Damage, Marker, OtherRecord, Session
from ravenglass.sessions.records.joined import JoinedSource
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import mapping, text

_ORDER = "SELECT * FROM messages WHERE session_id = ? ORDER BY created_timestamp, id"
_UTC = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?")


class GooseDatabase:
    """goose since version 1.10: `~/.local/share/goose/sessions/sessions.db`."""

    name = "goose"
    label = "a database of goose (sessions.db)"
    description = (
        "Reads sessions.db with its write-ahead log and never writes to it. Maps messages as the files have them; what "
        "a compaction took out of the agent's sight is before a marker; keeps session rows as other records."
    )

    def recognises(self, path: Path) -> bool:
        """A database whose messages hold `content_json`."""
        tables = columns(path) if path.is_file() else {}
        return "sessions" in tables and "content_json" in tables.get("messages", ())

    def entries(self, path: Path) -> Iterator[HolderEntry]:
        """Its sessions from their rows; messages are not read."""
        for row in rows(path, "SELECT * FROM sessions"):
            yield HolderEntry(
                format=self.name,
                path=path,
                key=text(row.get("id")),
                id=text(row.get("id")),
                title=_title(row),
                project=text(row.get("working_dir")),
                started=_time(row.get("created_at")),
                updated=_time(row.get("updated_at")),
            )

    def open(self, path: Path, key: str, reporter: Reporter) -> Session:
        """The session of that id."""
        found = rows(path, "SELECT * FROM sessions WHERE id = ?", key)
        if not found:
            raise SessionError(f"{path} has no session {key!r}.", path=str(path), tried=(self.name,))
        source, turns = JoinedSource(), Turns()
        about, _ = placed(source, f"sessions/{key}", found[0])
        draft = SessionDraft(key, other=[OtherRecord("session", about.span)], title=_title(found[0]))
        draft.project = text(found[0].get("working_dir"))
        damage: list[Damage] = []
        gone: list[int] = []
        messages = rows(path, _ORDER, key)
        for number, row in enumerate(messages, start=1):
            reporter.report(number, len(messages))
            at, broken = placed(source, f"messages/{row.get('id')}", row, ("content_json", "metadata_json"))
            damage += broken
            seen = mapping(at.value.get("metadata_json"))
            before = len(turns.drafts)
            value = {
                "role": at.value.get("role"), "content": at.value.get("content_json"),
                "created": at.value.get("created_timestamp"), "id": at.value.get("message_id"),
            }  # fmt: skip
            hidden = seen.get("userVisible") is False
            add_message(turns, value, at.span, summary=hidden and value["role"] == "user")
            if hidden and value["role"] == "assistant":
                turns.drafts[-1].flags |= {"synthetic"}
            if seen.get("agentVisible") is False:
                gone.extend(range(before, len(turns.drafts)))
        draft.messages = turns.messages()
        draft.markers = list(_compaction(gone, len(draft.messages)))
        return stored_session(draft, self.name, path, source, tuple(damage))


def _compaction(gone: list[int], size: int) -> Iterator[Marker]:
    """The last compaction: everything that the agent no longer sees left there."""
    if not gone:
        return
    before = gone[-1] + 1
    hidden = set(gone)
    keep = tuple(m for m in range(before) if m not in hidden)
    yield Marker("compaction", min(before, size), f"{len(gone):,} messages are no longer shown to the agent", keep)


def _title(row: Row) -> str:
    return text(row.get("name")) or text(row.get("description"))


def _time(value: object) -> float | None:
    """The database writes UTC without saying so."""
    words = text(value)
    return seconds(f"{words}+00:00" if _UTC.fullmatch(words) else value)
