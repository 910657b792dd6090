"""Imports OpenAI chat messages in their usual containers (formats.md, section 3)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ravenglass.sessions.importing.build import model_of, title_of, warnings_of
from ravenglass.sessions.importing.chat.conversation import (
    ChatConversation,
    ChatConversations,
    is_conversation,
    is_message,
)
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.model.structure import link
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import mapping, sequence


class OpenAIChat:
    """OpenAI chat completions and what writes like them."""

    name = "openai-chat"
    label = "OpenAI chat messages (JSON or JSON lines)"
    description = (
        "Maps a list of messages, an object with `messages` (also with `tools` and the logged `response`), "
        "one such object a line, or one message a line; keeps unknown roles and values as other records."
    )

    def sniff(self, head: Head) -> float:
        """Sure for messages with chat roles; never as sure as a format with marks of its own."""
        if not head.records:
            return 0.0
        first = head.records[0]
        if isinstance(first, list) and any(is_message(item) or _holds_messages(item) for item in first[:20]):
            return 0.6
        if is_conversation(first):
            return 0.6 if _holds_messages(first) else 0.3
        messages = sum(is_message(record) or is_conversation(record) for record in head.records)
        # The objects of a damaged document are of all kinds; in lines every second is to be a message.
        enough = 1 if head.container == "json" else len(head.records) / 2
        return 0.5 if messages >= enough else 0.0

    def begin(self, records: Records) -> _Reading:
        """The first conversation is the session, every further one a child."""
        return _Reading(records)


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._conversations = ChatConversations(records)

    def take(self, record: Record) -> None:
        self._conversations.take(record)

    def session(self) -> Session:
        found = self._conversations.found or [ChatConversation()]
        other = []
        # Values before the first conversation are no conversation of their own.
        while len(found) > 1 and not found[0].thread.messages:
            other += found[0].other
            found = found[1:]
        path = self._records.opened.path
        children = tuple(
            _session(item, f"{_stem(path)}#{number}", self._records, title=f"conversation {number}")
            for number, item in enumerate(found[1:], start=2)
        )
        main = _session(found[0], _stem(path), self._records, children=children, main=True)
        if not children and not other:
            return main
        several = (
            f"The file holds {len(found):,} conversations; the first is the session, the others are its children.",
        )
        warnings = (*several, *main.warnings) if children else main.warnings
        return replace(main, other=(*other, *main.other), warnings=warnings)


def _holds_messages(value: object) -> bool:
    return any(is_message(item) for item in sequence(mapping(value).get("messages"))[:20])


def _stem(path: Path) -> str:
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    return name.removesuffix(".jsonl").removesuffix(".json") or path.name


def _session(
    conversation: ChatConversation,
    name: str,
    records: Records,
    *,
    title: str = "",
    children: tuple[Session, ...] = (),
    main: bool = False,
) -> Session:
    messages, structure = link(conversation.thread.messages)
    return Session(
        id=name,
        format=OpenAIChat.name,
        path=records.opened.path,
        messages=messages,
        structure=structure,
        source=records.opened.source,
        title=title or title_of(messages),
        model=conversation.model or model_of(messages),
        tools_text=conversation.tools,
        other=tuple(conversation.other),
        damage=records.damage if main else (),
        children=children,
        pending=records.pending if main else None,
        warnings=warnings_of(records, messages) if main else (),
    )
