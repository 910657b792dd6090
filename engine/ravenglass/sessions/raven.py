"""Imports Raven's sessions, and nanobot's, which have the same layout (formats.md, sections 9 and 10)."""

from __future__ import annotations

from dataclasses import dataclass, field

from ravenglass.sessions.build import model_of, title_of, warnings_of
from ravenglass.sessions.chat_conversation import is_message
from ravenglass.sessions.chat_messages import ChatThread
from ravenglass.sessions.importer import Head
from ravenglass.sessions.model import Marker, OtherRecord, Session
from ravenglass.sessions.reader import Record, Records
from ravenglass.sessions.structure import linked
from ravenglass.sessions.values import count, dump, kind_of, mapping, text


class Raven:
    """Raven and nanobot: `<workspace>/sessions/`."""

    name = "raven"
    label = "Raven or nanobot session (JSON lines)"
    description = (
        "Maps chat messages with their times, reasoning and tool calls, the metadata's title and count of "
        "consolidated messages; keeps metadata lines and unknown records as other records. Tool definitions in the "
        "metadata, as a running Ravenglass engine writes them, measure the system overhead."
    )

    def sniff(self, head: Head) -> float:
        """1 for a metadata line; likely where every message has its own time (a damaged first line)."""
        if any(mapping(record).get("_type") == "metadata" for record in head.records):
            return 1.0
        timed = [is_message(record) and isinstance(mapping(record).get("timestamp"), str) for record in head.records]
        return 0.7 if head.container == "jsonl" and timed and all(timed) else 0.0

    def begin(self, records: Records) -> _Reading:
        """Of several metadata lines the last one counts."""
        return _Reading(records)


@dataclass(slots=True)
class _Reading:
    records: Records
    thread: ChatThread = field(default_factory=ChatThread)
    other: list[OtherRecord] = field(default_factory=list)
    key: str = ""
    title: str = ""
    consolidated: int = 0
    tools: str | None = None

    def take(self, record: Record) -> None:
        value = mapping(record.value)
        kind = text(value.get("_type"))
        if kind == "metadata":
            self.key = text(value.get("key")) or self.key
            about = mapping(value.get("metadata"))
            self.title = text(about.get("title"))
            self.tools = dump(about["tools"]) if isinstance(about.get("tools"), list) else self.tools
            self.consolidated = count(value.get("last_consolidated")) or 0
        if kind or not self.thread.add(value, record.span):
            self.other.append(OtherRecord(kind or kind_of(record.value), record.span))

    def session(self) -> Session:
        messages = self.thread.messages
        found = linked(messages, _markers(self.consolidated, len(messages)))
        path = self.records.opened.path
        return Session(
            id=self.key or path.name.split(".jsonl", 1)[0],
            format=Raven.name,
            path=path,
            messages=found.messages,
            structure=found.structure,
            source=self.records.opened.source,
            title=self.title or title_of(found.messages),
            model=model_of(found.messages),
            tools_text=self.tools,
            other=tuple(self.other),
            damage=self.records.damage,
            markers=found.markers,
            pending=self.records.pending,
            warnings=warnings_of(self.records, found.messages),
        )


def _markers(consolidated: int, size: int) -> tuple[Marker, ...]:
    if consolidated == 0:
        return ()
    note = f"the {consolidated:,} messages before are summarised in the writer's memory and left its window"
    return (Marker("consolidated", min(consolidated, size), note),)
