"""Imports Raven's sessions, and nanobot's, which have the same layout (formats.md, sections 9 and 10)."""

from __future__ import annotations

from ravenglass.sessions.build import model_of, title_of, warnings_of
from ravenglass.sessions.chat_conversation import is_message
from ravenglass.sessions.chat_messages import ChatThread
from ravenglass.sessions.importer import Head
from ravenglass.sessions.model import Marker, OtherRecord, Session
from ravenglass.sessions.reader import Records
from ravenglass.sessions.structure import link
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

    def read(self, records: Records) -> Session:
        """The session; of several metadata lines the last one counts."""
        thread = ChatThread()
        other: list[OtherRecord] = []
        key, title, consolidated = "", "", 0
        tools: str | None = None
        for record in records:
            value = mapping(record.value)
            kind = text(value.get("_type"))
            if kind == "metadata":
                key = text(value.get("key")) or key
                about = mapping(value.get("metadata"))
                title = text(about.get("title"))
                tools = dump(about["tools"]) if isinstance(about.get("tools"), list) else tools
                consolidated = count(value.get("last_consolidated")) or 0
            if kind or not thread.add(value, record.span):
                other.append(OtherRecord(kind or kind_of(record.value), record.span))
        messages, structure = link(thread.messages)
        path = records.opened.path
        return Session(
            id=key or path.name.split(".jsonl", 1)[0],
            format=self.name,
            path=path,
            messages=messages,
            structure=structure,
            source=records.opened.source,
            title=title or title_of(messages),
            model=model_of(messages),
            tools_text=tools,
            other=tuple(other),
            damage=records.damage,
            markers=_markers(consolidated, len(messages)),
            pending=records.pending,
            warnings=warnings_of(records, messages),
        )


def _markers(consolidated: int, size: int) -> tuple[Marker, ...]:
    if consolidated == 0:
        return ()
    note = f"the {consolidated:,} messages before are summarised in the writer's memory and left its window"
    return (Marker("consolidated", min(consolidated, size), note),)
