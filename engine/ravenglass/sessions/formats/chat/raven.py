"""Imports Raven's sessions, and nanobot's, which have the same layout (formats.md, sections 9 and 10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ravenglass.sessions.importing.build import model_of, title_of, warnings_of
from ravenglass.sessions.importing.chat.conversation import is_message
from ravenglass.sessions.importing.chat.messages import ChatThread
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.model.session import Marker, OtherRecord, Session
from ravenglass.sessions.model.structure import linked
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import count, dump, kind_of, mapping, text, text_or_none


class Raven:
    """Raven and nanobot: `<workspace>/sessions/`."""

    name = "raven"
    label = "Raven or nanobot session (JSON lines)"
    description = (
        "Maps chat messages with their times, reasoning and tool calls, the metadata's title, the session it was "
        "forked from, and each rise of the count of consolidated messages; it keeps metadata lines and unknown records "
        "as other records. Tool definitions in the metadata, as a running Ravenglass engine writes them, measure the "
        "system overhead."
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
    forked_from: str | None = None
    rises: list[tuple[int, int]] = field(default_factory=list)
    """Messages that stood before a metadata line, and how many of all are consolidated from then on; both rise."""
    tools: str | None = None

    def take(self, record: Record) -> None:
        value = mapping(record.value)
        kind = text(value.get("_type"))
        if kind == "metadata":
            self._metadata(value)
        if kind or not self.thread.add(value, record.span):
            self.other.append(OtherRecord(kind or kind_of(record.value), record.span))

    def _metadata(self, value: dict[str, Any]) -> None:
        about = mapping(value.get("metadata"))
        where = ":".join(word for word in (text(about.get("channel")), text(about.get("chat_id"))) if word)
        self.key = text(value.get("key")) or self.key or where
        self.title = text(about.get("title"))
        self.forked_from = text_or_none(about.get("parent_session_id")) or self.forked_from
        self.tools = dump(about["tools"]) if isinstance(about.get("tools"), list) else self.tools
        consolidated = count(value.get("last_consolidated")) or 0
        # What an earlier line said above the count of now was undone: the last line counts.
        self.rises = [rise for rise in self.rises if rise[1] <= consolidated]
        if consolidated and (not self.rises or self.rises[-1][1] < consolidated):
            self.rises.append((len(self.thread.messages), consolidated))

    def session(self) -> Session:
        messages = self.thread.messages
        found = linked(messages, tuple(_markers(self.rises, len(messages))))
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
            forked_from=self.forked_from,
            warnings=warnings_of(self.records, found.messages),
        )


def _markers(rises: list[tuple[int, int]], size: int) -> Iterator[Marker]:
    """Where the count of consolidated messages rose.

    A line that was written after the messages says when: what is not consolidated stays in the window then. One that
    stands before them (a file written anew, with its only line first) does not; they left at the latest there.
    """
    for known, consolidated in rises:
        consolidated = min(consolidated, size)
        before = max(known, consolidated)
        note = f"the {consolidated:,} messages before are summarised in the writer's memory and left its window"
        yield Marker("consolidated", before, note, tuple(range(consolidated, before)))
