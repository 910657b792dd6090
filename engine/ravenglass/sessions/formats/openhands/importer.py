"""Imports OpenHands' trajectories from single files: event lists, benchmark output, one event a line."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ravenglass.sessions.formats.openhands.session import NAME, EventConversation, is_any_event, session_of
from ravenglass.sessions.importing.build import warnings_of
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import Located, located
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import mapping, sequence, text

_LISTS = ("history", "trajectory", "events", "entries")
_NAMES = ("instance_id", "conversation_id", "id")
_LOOK = 20
"""Items of a list that tell what it is a list of."""


class OpenHands:
    """Trajectories of OpenHands as files."""

    name = NAME
    label = "OpenHands trajectory (JSON or JSON lines)"
    description = (
        "Maps a list of events, an object with `history`, `trajectory` or `events`, one such object a line (benchmark "
        "output) or one event a line: prompts, system prompt and tools, actions and their observations, parallel calls "
        "of one response, condensations, delegations (child sessions), usage; keeps state changes, recalls without a "
        "text, requests, logs and unknown events as other records."
    )

    def sniff(self, head: Head) -> float:
        """Sure where events are found in one of the containers."""
        if any(_is_conversation(record) for record in head.records):
            return 1.0
        events = sum(is_any_event(record) for record in head.records)
        return 0.95 if events * 2 > len(head.records) or (events and head.container == "json") else 0.0

    def begin(self, records: Records) -> _Reading:
        """The first conversation is the session, every further one a child."""
        return _Reading(records)


@dataclass(slots=True)
class _Reading:
    records: Records
    found: list[EventConversation] = field(default_factory=list)
    loose: EventConversation | None = None
    """The conversation of events that stand on lines of their own."""

    def take(self, record: Record) -> None:
        value = record.value
        if not _is_conversation(value):
            if self.loose is None:
                self.loose = EventConversation()
                self.found.append(self.loose)
            self.loose.take(value, record.span)
            return
        self.loose = None
        self.found.append(EventConversation())
        self._container(self.found[-1], located(self.records, record))

    def session(self) -> Session:
        path, source = self.records.opened.path, self.records.opened.source
        stem = path.name.split(".", 1)[0]
        made = [
            session_of(item.thread, item.name or (f"{stem}#{number}" if number > 1 else stem), path, source)
            for number, item in enumerate(self.found or [EventConversation()], start=1)
        ]
        main, further = made[0], tuple(made[1:])
        several = (
            (f"The file holds {len(made):,} conversations; the first is the session, the others are its children.",)
            if further
            else ()
        )
        return replace(
            main,
            children=(*main.children, *further),
            damage=self.records.damage,
            pending=self.records.pending,
            warnings=(*several, *warnings_of(self.records, main.messages)),
        )

    def _container(self, into: EventConversation, whole: Located) -> None:
        if isinstance(whole.value, list):
            for item in whole.items():
                # Before 2025 benchmarks kept pairs of an action and its observation.
                if isinstance(item.value, list):
                    self._container(into, item)
                else:
                    into.take(item.value, item.span)
            return
        found = whole.object
        into.name = next((name for key in _NAMES if (name := text(found.get(key)))), "")
        into.thread.title = text(found.get("instance_id"))
        into.thread.model = _model(found)
        lists = [key for key in _LISTS if _holds_events(found.get(key))]
        for key in lists:
            if (listed := whole.get(key)) is not None:
                self._container(into, listed)
        into.thread.other += whole.others(*lists)


def _model(found: dict[str, Any]) -> str | None:
    settings = mapping(mapping(found.get("metadata")).get("llm_config")) or mapping(found.get("llm_config"))
    return text(settings.get("model")) or None


def _is_conversation(value: object) -> bool:
    """Whether the value is a list of events, or an object that holds one."""
    if isinstance(value, list):
        return _holds_events(value)
    found = mapping(value)
    return not is_any_event(found) and any(_holds_events(found.get(key)) for key in _LISTS)


def _holds_events(value: object) -> bool:
    items = sequence(value)[:_LOOK]
    return any(is_any_event(inner) for item in items for inner in (item if isinstance(item, list) else [item]))
