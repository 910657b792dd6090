"""What an endpoint sent back, read from its bytes: one JSON answer or a stream of pieces. Trusts nothing in it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from ravenglass.curator.loop import AnswerUsage
from ravenglass.errors import RavenglassError
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.values import clean, count, kind_of, mapping, sequence, text
from ravenglass.trace import Json

_SHOWN = 200
"""Characters of a garbled reply that its sentence quotes."""


class BadReplyError(RavenglassError):
    """The endpoint's reply is no chat completion."""


@dataclass(frozen=True, slots=True)
class CallReply:
    """One tool call. `arguments` is the text as sent, maybe no JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the model. `content` is its refusal where it refused."""

    content: str
    calls: tuple[CallReply, ...]
    finish_reason: str
    refused: bool = False
    usage: AnswerUsage | None = None
    requests: int = 1
    """How often the endpoint was asked for it."""


@dataclass
class _Draft:
    """A streamed answer so far."""

    content: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    calls: dict[int, list[str]] = field(default_factory=dict)
    """Index -> id, name, arguments."""
    finish_reason: str = ""
    usage: AnswerUsage | None = None
    closed: bool = False

    def add(self, chunk: Json) -> None:
        if "error" in chunk and not sequence(chunk.get("choices")):
            raise BadReplyError(f"the stream holds an error: {_error_text(chunk['error'])}")
        self.usage = _usage(chunk) or self.usage
        for choice in map(mapping, sequence(chunk.get("choices"))[:1]):
            delta = mapping(choice.get("delta")) or mapping(choice.get("message"))
            self.content.append(_content(delta.get("content")))
            self.refusal.append(text(delta.get("refusal")))
            for position, piece in enumerate(map(mapping, sequence(delta.get("tool_calls")))):
                self._call(piece, position)
            self.finish_reason = text(choice.get("finish_reason")) or self.finish_reason

    def _call(self, piece: Json, position: int) -> None:
        index, call_id = count(piece.get("index")), text(piece.get("id"))
        if index is None:
            # Some endpoints number nothing: a new id begins a call, a piece without one goes on with the last.
            last = max(self.calls, default=-1)
            begins = call_id and (last < 0 or self.calls[last][0] != call_id)
            index = last + 1 if begins or last < 0 else max(last, position)
        entry = self.calls.setdefault(index, ["", "", ""])
        function = mapping(piece.get("function"))
        entry[0] = entry[0] or call_id
        name = text(function.get("name"))
        entry[1] = entry[1] if entry[1] == name else entry[1] + name
        entry[2] += _arguments(function.get("arguments"))

    def reply(self) -> Reply:
        calls = tuple(CallReply(*self.calls[index]) for index in sorted(self.calls))
        return _reply("".join(self.content), "".join(self.refusal), calls, self.finish_reason, self.usage)


def read_reply(body: bytes) -> Reply:
    """The answer in a reply's body. Raises BadReplyError with a sentence on what is wrong with it."""
    head = body.lstrip()[:16]
    return _stream(body) if head.startswith((b"data:", b"event:", b":", b"id:", b"retry:")) else _whole(body)


END_CHARS = 64
"""How much of a body's end `ended` looks at."""


def ended(tail: bytes) -> bool:
    """Whether a stream's end mark is in its last bytes: some endpoints keep the connection open behind it."""
    return b"\ndata: [DONE]" in tail or b"\ndata:[DONE]" in tail


def _stream(body: bytes) -> Reply:
    draft = _Draft()
    pieces = 0
    for raw in body.split(b"\n"):
        line = raw.strip(b" \t\r")
        if not line.startswith(b"data:"):
            continue  # comments, event names and blank lines carry no answer
        data = line[5:].strip()
        if data == b"[DONE]":
            draft.closed = True
            break
        draft.add(_object(data, "a piece of the stream"))
        pieces += 1
    if not draft.closed and not draft.finish_reason:
        raise BadReplyError(f"the stream was cut after {pieces} pieces, before the answer was complete")
    return draft.reply()


def _whole(body: bytes) -> Reply:
    value = _object(body, "the reply")
    choices = sequence(value.get("choices"))
    if not choices:
        told = f": {_error_text(value['error'])}" if "error" in value else f", but {kind_of(value)}"
        raise BadReplyError(f"the reply holds no answer{told}")
    choice = mapping(choices[0])
    message = mapping(choice.get("message"))
    calls = []
    for item in map(mapping, sequence(message.get("tool_calls"))):
        function = mapping(item.get("function"))
        calls.append(CallReply(text(item.get("id")), text(function.get("name")), _arguments(function.get("arguments"))))
    return _reply(
        _content(message.get("content")),
        text(message.get("refusal")),
        tuple(calls),
        text(choice.get("finish_reason")),
        _usage(value),
    )


def _object(data: bytes, what: str) -> Json:
    try:
        value = decode_value(data)
    except ValueError:
        shown = data[:_SHOWN].decode("utf-8", "replace").strip()
        raise BadReplyError(f"{what} is no JSON: {shown!r}" if shown else f"{what} is empty") from None
    if not isinstance(value, dict):
        raise BadReplyError(f"{what} is {kind_of(value)}, not an object")
    return value


def _reply(
    content: str, refusal: str, calls: tuple[CallReply, ...], finish_reason: str, usage: AnswerUsage | None
) -> Reply:
    named = tuple(call for call in calls if call.name or call.arguments or call.id)
    refused = bool(refusal) or finish_reason == "content_filter"
    return Reply(str(clean(content or refusal)), named, finish_reason, refused, usage)


def _usage(value: Json) -> AnswerUsage | None:
    """The endpoint's own figures; None where it reports none, or only one of them."""
    told = mapping(value.get("usage"))
    asked, answered = count(told.get("prompt_tokens")), count(told.get("completion_tokens"))
    return None if asked is None or answered is None else AnswerUsage(asked, answered)


def _content(value: object) -> str:
    """Content as text: a string, or the text parts of a list."""
    if isinstance(value, list):
        return "".join(text(mapping(part).get("text")) for part in value)
    return text(value)


def _arguments(value: object) -> str:
    """Arguments as text; some endpoints send the object itself."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else text(value)


def _error_text(value: object) -> str:
    told = text(mapping(value).get("message")) or text(value) or "the endpoint did not say what"
    return told[:_SHOWN]
