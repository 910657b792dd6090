"""Imports OpenAI chat messages in their usual containers (formats.md, section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ravenglass.sessions.importing.assembly import SessionDraft, assembled
from ravenglass.sessions.importing.build import model_of, title_of, warnings_of
from ravenglass.sessions.importing.chat.conversation import (
    ChatConversation,
    ChatConversations,
    is_conversation,
    is_message,
)
from ravenglass.sessions.importing.chat.requests import ChatRequests, is_exchange
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import located
from ravenglass.sessions.importing.threads import Thread, starter
from ravenglass.sessions.model.session import OtherRecord, Session
from ravenglass.sessions.model.structure import link
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import kind_of, mapping, sequence

_CERTAIN = 0.9
"""For a request with an answer that only this API gives."""


class OpenAIChat:
    """OpenAI chat completions and what writes like them."""

    name = "openai-chat"
    label = "OpenAI chat messages (JSON or JSON lines)"
    description = (
        "Maps a list of messages, an object with `messages` (also with `tools` and the logged `response`), "
        "one such object a line, one message a line, or logged pairs of request and response, also streamed; requests "
        "that repeat their history are one session with each call's usage; keeps unknown roles and values as other "
        "records."
    )

    def sniff(self, head: Head) -> float:
        """Sure for messages with chat roles; never as sure as a format with marks of its own."""
        if not head.records:
            return 0.0
        values = [inner for record in head.records for inner in (record[:20] if isinstance(record, list) else [record])]
        if any(is_exchange(value) for value in values):
            return _CERTAIN
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
        self._requests = ChatRequests()
        self._lines = records.container == "jsonl"

    def take(self, record: Record) -> None:
        value = record.value
        logged = is_exchange(value) or (self._lines and is_conversation(value))
        if logged and self._requests.take(located(self._records, record)):
            return
        if isinstance(value, list) and any(is_exchange(item) for item in value):
            for item in located(self._records, record).items():
                if not self._requests.take(item):
                    self._requests.other.append(OtherRecord(kind_of(item.value), item.span))
            return
        self._conversations.take(record)

    def session(self) -> Session:
        if self._requests.threads.found:
            return self._logged()
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

    def _logged(self) -> Session:
        """The conversations of requests: the longest where answers were logged, else the first, is the session."""
        threads, log = self._requests.threads.found, self._requests
        answered = any(message.usage is not None for thread in threads for message in thread.weave.messages)
        main = max(threads, key=lambda thread: len(thread.weave.messages)) if answered else threads[0]
        path = self._records.opened.path
        children = []
        for number, thread in enumerate((item for item in threads if item is not main), start=2):
            draft = _draft(thread, f"{_stem(path)}#{number}")
            draft.title = f"conversation {number}"
            draft.parent_call_id = starter(main.weave.messages, thread.weave.messages)
            children.append(assembled(draft, OpenAIChat.name, self._records, main=False))
        loose = [item for item in self._conversations.found if item.thread.messages]
        for number, item in enumerate(loose, start=len(threads) + 1):
            title = f"conversation {number}"
            children.append(_session(item, f"{_stem(path)}#{number}", self._records, title=title))
        draft = _draft(main, _stem(path))
        draft.other = [*log.other, *(o for item in self._conversations.found if item not in loose for o in item.other)]
        session = assembled(draft, OpenAIChat.name, self._records, children=children)
        return replace(session, warnings=(*_sentences(len(children), log.failed, answered), *session.warnings))


def _sentences(children: int, failed: int, answered: bool) -> Iterator[str]:
    if children:
        which = "longest" if answered else "first"
        yield f"The file holds {children + 1:,} conversations; the {which} is the session, the others are its children."
    if failed:
        yield f"{failed:,} of the logged requests have no answer that is a completion."


def _draft(thread: Thread, name: str) -> SessionDraft:
    weave = thread.weave
    return SessionDraft(name, weave.messages, weave.markers, model=thread.model, tools=thread.tools)


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
