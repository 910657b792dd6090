"""A conversation of OpenHands while its events come in, of either generation, and the Session of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ravenglass.sessions.formats.openhands import v1 as openhands_v1
from ravenglass.sessions.formats.openhands.thread import EventThread
from ravenglass.sessions.formats.openhands.v0 import V0, is_entry, is_event
from ravenglass.sessions.importing.build import model_of, title_of
from ravenglass.sessions.model.session import OtherRecord, Session, Source, Span
from ravenglass.sessions.model.structure import linked
from ravenglass.sessions.records.values import kind_of, mapping, text, text_or_none

NAME = "openhands"


def is_any_event(value: object) -> bool:
    """Whether the value is an event of either generation, or an entry of a viewer's timeline."""
    return openhands_v1.is_event(value) or is_event(value) or is_entry(value)


@dataclass(slots=True)
class EventConversation:
    """Takes events; what is none is an other record."""

    thread: EventThread = field(default_factory=EventThread)
    name: str = ""
    """The writer's own id of the conversation, where it has one."""
    _v0: V0 | None = None

    def take(self, value: object, span: Span) -> None:
        """Take in the next event."""
        if openhands_v1.is_event(value):
            openhands_v1.take(self.thread, mapping(value), span)
        elif is_event(value) or is_entry(value):
            self._v0 = self._v0 or V0(self.thread)
            self._v0.take(mapping(value), span)
        else:
            self.aside(text(mapping(value).get("kind")) or kind_of(value), span)

    def aside(self, label: str, span: Span) -> None:
        """Keep what is no event."""
        self.thread.other.append(OtherRecord(label, span))

    def state(self, value: object, span: Span) -> None:
        """The base state of a conversation folder: id, model, working directory and what each response cost."""
        state = mapping(value)
        agent = mapping(state.get("agent"))
        self.name = text(state.get("id")) or self.name
        self.thread.model = text_or_none(mapping(agent.get("llm")).get("model")) or self.thread.model
        self.thread.project = text(mapping(state.get("workspace")).get("working_dir"))
        openhands_v1.statistics(self.thread, state.get("stats"))
        self.aside("base state", span)

    def about(self, value: object, span: Span) -> None:
        """The metadata of a conversation of before: title, repository, model."""
        found = mapping(value)
        self.thread.title = text(found.get("title")) or self.thread.title
        self.thread.project = text(found.get("selected_repository")) or self.thread.project
        self.thread.model = text_or_none(found.get("llm_model")) or self.thread.model
        self.aside("metadata", span)


def session_of(thread: EventThread, name: str, path: Path, source: Source) -> Session:
    """The session of a thread, its delegates as children; damage and warnings are the caller's. Pure."""
    found = linked(thread.with_usages(), thread.markers)
    children = [
        session_of(child, f"{name}/{number}", path, source) for number, child in enumerate(thread.children, start=1)
    ]
    return Session(
        id=name,
        format=NAME,
        path=path,
        messages=found.messages,
        structure=found.structure,
        source=source,
        title=thread.title or title_of(found.messages),
        project=thread.project,
        model=model_of(found.messages) or thread.model,
        tools_text=thread.tools,
        other=tuple(thread.other),
        markers=found.markers,
        children=tuple(children),
        parent_call_id=thread.parent_call,
    )
