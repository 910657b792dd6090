"""Imports bodies of OpenAI's Responses API in their usual containers (formats.md, section 3)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ravenglass.sessions.importing.build import model_of, title_of, warnings_of
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.responses.conversation import (
    ResponsesConversation,
    ResponsesConversations,
    request_of,
    response_of,
)
from ravenglass.sessions.importing.responses.items import is_item
from ravenglass.sessions.importing.responses.thread import messages_of
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.model.structure import linked
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import sequence


class OpenAIResponses:
    """OpenAI's Responses API."""

    name = "openai-responses"
    label = "OpenAI Responses items (JSON or JSON lines)"
    description = (
        "Maps a request with `input` (also with `instructions`, `tools` and the logged response), a response with "
        "`output` and `usage`, a list of items, or one of these a line; a request that repeats the one before goes on "
        "with its conversation; keeps repeated items, references to them and unknown items as other records."
    )

    def sniff(self, head: Head) -> float:
        """Sure for what only this API has; not as sure as a rollout, which consists of the same items."""
        if not head.records:
            return 0.0
        found = sum(_holds(record) for record in head.records)
        # The objects of a damaged document are of all kinds; in lines every second is to be one.
        enough = 1 if head.container == "json" else len(head.records) / 2
        return 0.95 if found >= enough else 0.0

    def begin(self, records: Records) -> _Reading:
        """The first conversation is the session, every further one a child."""
        return _Reading(records)


def _holds(value: object) -> bool:
    if is_item(value) or request_of(value) or response_of(value):
        return True
    return any(is_item(item) or request_of(item) or response_of(item) for item in sequence(value)[:20])


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._conversations = ResponsesConversations(records)

    def take(self, record: Record) -> None:
        self._conversations.take(record)

    def session(self) -> Session:
        found = self._conversations.found or [ResponsesConversation()]
        other = []
        # Values before the first conversation are no conversation of their own.
        while len(found) > 1 and not found[0].thread.drafts:
            other += found[0].other
            found = found[1:]
        name = _stem(self._records.opened.path)
        children = tuple(
            replace(_session(item, f"{name}#{number}", self._records), title=f"conversation {number}")
            for number, item in enumerate(found[1:], start=2)
        )
        main = _session(found[0], name, self._records)
        warnings = list(warnings_of(self._records, main.messages))
        if children:
            sentence = (
                f"The file holds {len(found):,} conversations; the first is the session, the others its children."
            )
            warnings.insert(0, sentence)
        return replace(
            main,
            other=(*other, *main.other),
            damage=self._records.damage,
            children=children,
            pending=self._records.pending,
            warnings=tuple(warnings),
        )


def _stem(path: Path) -> str:
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    return name.removesuffix(".jsonl").removesuffix(".json") or path.name


def _session(conversation: ResponsesConversation, name: str, records: Records) -> Session:
    found = linked(messages_of(conversation.thread.drafts))
    return Session(
        id=name,
        format=OpenAIResponses.name,
        path=records.opened.path,
        messages=found.messages,
        structure=found.structure,
        source=records.opened.source,
        title=title_of(found.messages),
        model=conversation.model or model_of(found.messages),
        tools_text=conversation.tools,
        system_prompt=conversation.instructions,
        other=tuple(conversation.other),
    )
