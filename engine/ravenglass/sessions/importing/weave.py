"""One conversation out of requests that each repeat the whole history (captures, traces).

A message is taken in where it is first sent or answered; that a later request no longer sends it is a Marker. Knows
no format.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ravenglass.sessions.importing.content.user_kinds import without_reminders
from ravenglass.sessions.model.session import Marker, MarkerKind, Message


def key_of(message: Message) -> str:
    """What a message is known by when it is sent again: its call ids, else its text; its thinking only where it holds
    nothing else, since a copy may leave it out."""
    if message.role == "tool" and message.tool_call_id:
        return f"tool {message.tool_call_id}"
    if message.tool_calls:
        return " ".join((message.role, *(call.id for call in message.tool_calls)))
    return text_key(message.role, message.text or message.thinking)


def text_key(role: str, words: str) -> str:
    """What a message without calls is known by; blanks and reminders make no difference."""
    plain = " ".join(without_reminders(words).split())
    return f"{role} {hashlib.sha256(plain.encode('utf-8', 'replace')).hexdigest()}"


@dataclass(slots=True)
class Weave:
    """A conversation while it grows, request by request."""

    messages: list[Message] = field(default_factory=list)
    """Ids are positions."""
    markers: list[Marker] = field(default_factory=list)
    _keys: list[str] = field(default_factory=list)
    _window: list[int] = field(default_factory=list)
    """Ids of what the last request sent, and its answer."""
    _answered: bool = False
    """Whether the last of the window is an answer, not something sent."""
    _context: int | None = None

    def common(self, sent: Sequence[Message]) -> int:
        """How many messages at the beginning of a request are those at the beginning of the window."""
        count = 0
        for id_, message in zip(self._window, sent, strict=False):
            if self._keys[id_] != key_of(message):
                break
            count += 1
        return count

    @property
    def window(self) -> int:
        """How many messages the last request and its answer have."""
        return len(self._window)

    def append(self, message: Message) -> None:
        """Take in a message as it stands, whatever was before it."""
        self._window.append(self._add(message))
        self._answered = False

    def request(self, sent: Sequence[Message], context: int | None = None) -> int:
        """Take in what a request sends; returns how many messages were new.

        `context` is its size in tokens as the provider reports it: a request that grows although it sends nothing of
        what was before leaves the history to the provider, so nothing left the window.
        """
        matched = self._match(sent)
        kept = [id_ for id_ in matched if id_ is not None]
        gone = len(self._window) - len(kept)
        grown = context is not None and self._context is not None and context > self._context
        if gone and (kept or not grown):
            self._mark(kept, gone, repeated=len(kept) == len(sent) and gone == 1 and self._answered)
        elif gone:
            kept = list(self._window)
        new = [self._add(message) for message, id_ in zip(sent, matched, strict=True) if id_ is None]
        self._window = kept + new
        self._answered = False
        self._context = context if context is not None else self._context
        return len(new)

    def answer(self, message: Message) -> None:
        """Take in what the model answered to the last request. One that continues a sent beginning joins it."""
        last = self.messages[self._window[-1]] if self._window else None
        begun = last is not None and last.role == "assistant" and last.usage is None and not self._answered
        if last is not None and begun:
            self.messages[last.id] = joined(last, message)
            self._keys[last.id] = key_of(self.messages[last.id])
        elif last is not None and self._answered and key_of(last) == key_of(message):
            self.messages[last.id] = replace(last, usage=message.usage or last.usage, model=message.model or last.model)
        else:
            self._window.append(self._add(message))
        self._answered = True

    def _add(self, message: Message) -> int:
        self._keys.append(key_of(message))
        self.messages.append(replace(message, id=len(self.messages)))
        return len(self.messages) - 1

    def _match(self, sent: Sequence[Message]) -> list[int | None]:
        """For each message sent, the id in the window that it is, ascending."""
        found: list[int | None] = []
        keys = [key_of(message) for message in sent]
        for place, (id_, key) in enumerate(zip(self._window, keys, strict=False)):
            if self._keys[id_] != key:
                # Gateways reword their own answers (blanks, formats): what stands in its place is the answer.
                if not (self._answered and place == len(self._window) - 1 and sent[place].role == "assistant"):
                    break
                self._keys[id_] = key
            found.append(id_)
        places: dict[str, list[int]] = {}
        for place in range(len(self._window) - 1, len(found) - 1, -1):
            places.setdefault(self._keys[self._window[place]], []).append(place)
        last = len(found) - 1
        for key in keys[len(found) :]:
            later = places.get(key, [])
            while later and later[-1] <= last:
                later.pop()
            if not later:
                found.append(None)
                continue
            last = later.pop()
            found.append(self._window[last])
        return found

    def _mark(self, kept: list[int], gone: int, *, repeated: bool) -> None:
        """Note that the request lacks messages of before."""
        if repeated:
            note = "the request was sent again; the answer before is not in it"
        else:
            note = f"the request no longer sends {gone:,} of the messages before"
        kind: MarkerKind = "rollback" if repeated else "compaction"
        self.markers.append(Marker(kind, len(self.messages), note, tuple(kept)))


def joined(first: Message, second: Message) -> Message:
    """Two assistant messages in a row as the one that providers make of them; id and kind are the first's."""
    return replace(
        first,
        parts=first.parts + second.parts,
        tool_calls=first.tool_calls + second.tool_calls,
        spans=first.spans + second.spans,
        usage=second.usage or first.usage,
        model=second.model or first.model,
        ts=first.ts if first.ts is not None else second.ts,
        source_id=first.source_id or second.source_id,
    )
