"""The messages of a running conversation, as a Session that grows: one JSON line a message, as the file will have it.

Each line is read back by the reader of session files, so the session in memory is the one that the file opens as.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ravenglass.errors import MessageError, StoreError
from ravenglass.sessions.formats.chat.raven import Raven
from ravenglass.sessions.importing.chat.messages import ROLES, ChatThread
from ravenglass.sessions.model.session import Call, Message, Session, Span, Structure, ToolCall
from ravenglass.sessions.model.structure import link
from ravenglass.sessions.records.decode import decode_line, decode_value
from ravenglass.sessions.records.values import mapping, text
from ravenglass.trace import Json

_MARK = "_type"
"""In a session file the key of lines that are no messages."""


@dataclass(frozen=True, slots=True)
class GrowingSource:
    """Bytes in memory that are only ever added to, so that a span read once stays the same."""

    data: bytearray

    def read(self, span: Span) -> bytes:
        """The span's bytes."""
        return bytes(self.data[span.offset : span.offset + span.length])


class RunningConversation:
    """Takes in chat messages and gives snapshots. Not thread-safe: the engine that owns it holds a lock.

    `data` are the bytes of the session file: `head`, which is no message, then one line a message.
    """

    def __init__(self, key: str, path: Path, head: bytes, tools_text: str | None) -> None:
        self.key = key
        self.path = path
        self.data = bytearray(head)
        self._lines = head.count(b"\n")
        self._tools_text = tools_text
        self._thread = ChatThread()
        self._open: Counter[str] = Counter()
        self.answered = 0
        """Model calls whose response is there."""

    @classmethod
    def resumed(cls, key: str, path: Path, data: bytes, tools_text: str | None) -> RunningConversation:
        """The conversation that a session file holds, to go on with. Raises StoreError where a line is no message or
        the file is that of another session; it is left as it is."""
        lines = data.split(b"\n")[:-1]
        about = _decoded(lines[0], 1, 0)
        known = about.get("key")
        if about.get(_MARK) and isinstance(known, str) and known != key:
            raise StoreError(f"{path} is the session {known!r}, not {key!r}; it was left as it is.")
        head = lines[0] + b"\n" if about.get(_MARK) else b""
        found = cls(key, path, head, tools_text)
        for line in lines[1 if head else 0 :]:
            found._take_over(line)
        return found

    def _take_over(self, line: bytes) -> None:
        """A line of the file: a message, or something that is kept where it is."""
        span = Span(self._lines + 1, len(self.data), len(line))
        value = _decoded(line, span.line, span.offset)
        if line.strip() and not value.get(_MARK):
            try:
                self._append(value, span)
            except MessageError as error:
                said = str(error).removesuffix(" Nothing was added.")
                raise StoreError(
                    f"Line {span.line:,} of {self.path} cannot be gone on from. {said} The file was left as it is; give"
                    " the engine another session key."
                ) from None
        self.data += line + b"\n"
        self._lines += 1

    def given(self, message: int) -> Json:
        """A message as it stands in the session file."""
        span = self._thread.messages[message].spans[0]
        return mapping(decode_value(bytes(self.data[span.offset : span.offset + span.length])))

    def same_instruction(self, value: Mapping[str, object]) -> int | None:
        """The id of the latest system or developer message, if it says the same."""
        last = next((m for m in reversed(self._thread.messages) if m.role in ("system", "developer")), None)
        if last is None or _words(self.given(last.id)) != _words(dict(value)):
            return None
        return last.id

    def open_calls(self) -> list[ToolCall]:
        """Tool calls that no result answers yet, in order."""
        left = +self._open
        found = []
        for message in reversed(self._thread.messages):
            for call in reversed(message.tool_calls):
                if left[call.id] > 0:
                    left[call.id] -= 1
                    found.append(call)
        return found[::-1]

    def __len__(self) -> int:
        return len(self._thread.messages)

    @property
    def messages(self) -> Sequence[Message]:
        """The messages so far, as they were read."""
        return self._thread.messages

    @property
    def last(self) -> Message:
        """The message that came last. Raises IndexError where there is none."""
        return self._thread.messages[-1]

    def add(self, message: Mapping[str, object], now: float) -> int:
        """Take in a message in OpenAI chat form and return its id. It gets the time `now` where it has none.

        Raises MessageError for what is no message or answers no open tool call; then nothing was added.
        """
        value = dict(message)
        if not any(value.get(name) for name in ("timestamp", "created_at")):
            value["timestamp"] = datetime.fromtimestamp(now, UTC).isoformat()
        record = _record(value)
        span = Span(self._lines + 1, len(self.data), len(record))
        self._append(_decoded(record, span.line, span.offset), span)
        self.data += record + b"\n"
        self._lines += 1
        return len(self) - 1

    def _append(self, value: Json, span: Span) -> None:
        if value.get(_MARK):
            raise MessageError(f"The message has the key {_MARK!r}, which marks what is no message. Nothing was added.")
        if not self._thread.add(value, span):
            roles = ", ".join(dict.fromkeys(ROLES))
            raise MessageError(f"The message has the role {value.get('role')!r}; it can be {roles}. Nothing was added.")
        message = self.last
        self.answered += message.role == "assistant"
        self._open.update(call.id for call in message.tool_calls)
        if message.role == "tool":
            if self._open[message.tool_call_id or ""] <= 0:
                self._thread.messages.pop()
                raise MessageError(_answers_nothing(message.tool_call_id))
            self._open[message.tool_call_id or ""] -= 1

    def check_results(self, forms: Sequence[Mapping[str, object]]) -> None:
        """Raise MessageError where one of several results answers no open call: all are added, or none."""
        left = Counter(self._open)
        for form in forms if len(forms) > 1 else ():
            call = text(form.get("tool_call_id"))
            if form.get("role") == "tool" and left[call] <= 0:
                raise MessageError(_answers_nothing(call))
            left[call] -= 1

    def snapshot(self, *, next_call: bool) -> Session:
        """The session so far; with `next_call`, the call that is about to be made is its last one. That call's
        message is the id after the last, and is not there yet."""
        messages, structure = link(self._thread.messages)
        found = _with_next_call(structure, len(messages)) if next_call else structure
        return replace(self.pattern(), messages=messages, structure=found, derived={})

    def pattern(self) -> Session:
        """All of the session but its messages."""
        return Session(
            id=self.key,
            format=Raven.name,
            path=self.path,
            messages=(),
            structure=Structure((), (), (), ()),
            source=GrowingSource(self.data),
            title=self.key,
            tools_text=self._tools_text,
        )


def _answers_nothing(call: str | None) -> str:
    return (
        f"The tool result answers {call!r}, but no message before it holds an open call of that id; a provider would"
        " refuse it. Nothing was added."
    )


def _words(value: Json) -> Json:
    return {name: word for name, word in value.items() if name not in ("timestamp", "created_at")}


def _decoded(line: bytes, number: int, offset: int) -> Json:
    records = decode_line(line, number, offset).records
    return mapping(records[0].value) if len(records) == 1 else {}


def _record(value: Json) -> bytes:
    try:
        try:
            return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        except UnicodeEncodeError:
            return json.dumps(value, allow_nan=False).encode()  # lone surrogates, which only an escape can hold
    except (TypeError, ValueError, RecursionError) as error:
        raise MessageError(f"The message cannot be written as JSON ({error}). Nothing was added.") from error


def _with_next_call(structure: Structure, count: int) -> Structure:
    turn = structure.turns[-1].index if structure.turns else 0
    return replace(structure, calls=(*structure.calls, Call(len(structure.calls) + 1, count, turn)))
