"""Imports chats of VS Code with Copilot: the document, and the log of changes that later versions write."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ravenglass.sessions.formats.vscode.mutations import ChatState, is_entry
from ravenglass.sessions.formats.vscode.requests import ChatTurns, typed
from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import located
from ravenglass.sessions.model.session import OtherRecord, Session, Span
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import kind_of, mapping, sequence, text

_MARKS = frozenset({"responderUsername", "initialLocation", "requesterUsername", "inputState"})
_REQUEST = frozenset({"requestId", "message", "response"})
_TITLE = 80


class VSCodeChat:
    """VS Code: `<User>/workspaceStorage/<id>/chatSessions/`."""

    name = "vscode-chat"
    label = "VS Code Copilot Chat (JSON or its log of changes)"
    description = (
        "Maps prompts as sent, rounds of thinking, calls and results, answers, summaries that took the window's place, "
        "and the usage of each turn's last request; where no rounds are written, what the screen showed. It keeps the "
        "editor's state, entries that lead nowhere and unknown values as other records."
    )

    def sniff(self, head: Head) -> float:
        """1 for a chat's state or for entries of its log."""
        return max((_score(record) for record in head.records), default=0.0)

    def begin(self, records: Records) -> _Reading:
        """All entries together are one session."""
        return _Reading(records)


def _is_chat(value: object) -> bool:
    fields = mapping(value)
    requests = fields.get("requests")
    if not isinstance(requests, list):
        return False
    return bool(_MARKS & fields.keys()) or any(mapping(item).keys() >= _REQUEST for item in requests[:20])


def _score(record: object) -> float:
    if _is_chat(record):
        return 1.0
    if not is_entry(record):
        return 0.0
    return 1.0 if _is_chat(mapping(record).get("v")) else 0.6


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._state = ChatState()
        self._other: list[OtherRecord] = []
        self._lost = 0

    def take(self, record: Record) -> None:
        fields = mapping(record.value)
        if _is_chat(fields):
            found = located(self._records, record)
            self._state.value = fields
            self._state.spans = [[item.span] for item in found.elements("requests")]
            self._other += found.others("requests", "sessionId", "customTitle")
        elif is_entry(fields):
            if not self._state.take(fields, record.span):
                self._lost += 1
            if (sequence(fields.get("k")) or [""])[0] != "requests":
                self._other.append(OtherRecord("state", record.span))
        else:
            self._other.append(OtherRecord(kind_of(record.value), record.span))

    def session(self) -> Session:
        value = self._state.value
        chat = ChatTurns()
        requests = [mapping(item) for item in sequence(value.get("requests"))]
        for request, spans in zip(requests, self._state.spans, strict=False):
            chat.add(request, spans or [Span(1, 0, 0)])
        draft = SessionDraft(text(value.get("sessionId")) or stem(self._records.opened.path))
        draft.messages, draft.markers, draft.other = chat.turns.messages(), chat.markers, list(self._other)
        draft.title = text(value.get("customTitle")) or _title(requests)
        session = assembled(draft, VSCodeChat.name, self._records)
        if not self._lost:
            return session
        sentence = f"{self._lost:,} entries of the log change what is not there; they were left out."
        return replace(session, warnings=(*session.warnings, sentence))


def _title(requests: list[dict[str, Any]]) -> str:
    """What the person typed first; what was sent begins with the harness's context."""
    words = next((typed(request) for request in requests if typed(request)), "")
    return " ".join(words.split())[:_TITLE]
