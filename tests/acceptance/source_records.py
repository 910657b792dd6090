"""Reads session files on its own, for a check that shares no code with the program.

Understands what the recorded samples hold: Claude Code transcripts, OpenAI chat messages, Raven sessions, SWE-agent
histories, Anthropic requests, pi. Gives the messages of the main thread in order, each with the bytes it stands at.
"""

from __future__ import annotations

import gzip
import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

Json = dict[str, Any]
_DECODER = json.JSONDecoder(strict=False)
_SPACES = " \t\r\n\ufeff"


@dataclass(frozen=True)
class Recorded:
    """One message. `text` is None where it holds more than plain text; `typed` is None where that cannot be told."""

    role: str
    text: str | None
    spans: tuple[tuple[int, int], ...]
    calls: tuple[tuple[str, str], ...] = ()
    """(id, name)"""
    arguments: tuple[str, ...] = ()
    answers: str | None = None
    images: int = 0
    typed: bool | None = False
    """Whether a person typed it."""
    is_call: bool = False
    """Whether a model call produced it."""
    again: bool = False
    """Written a second time: it was never sent, and stands in no window."""


@dataclass
class Growing:
    """An API message whose blocks stand on several lines."""

    place: int
    uuids: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Value:
    """A JSON value and the bytes from `start` up to `stop`."""

    value: Any
    start: int
    stop: int


@dataclass(frozen=True)
class Source:
    """A file's main thread. `data` are its bytes, decompressed."""

    data: bytes
    messages: tuple[Recorded, ...]

    def raw(self, message: int) -> bytes:
        """The bytes of the record or records that hold a message."""
        return b"\n".join(self.data[start:stop] for start, stop in self.messages[message].spans)


def read(path: Path) -> Source:
    """The main thread of a file; raises ValueError for a file that this reader does not understand."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    values = list(_values(data))
    if any("parentUuid" in v.value or "leafUuid" in v.value for v in values if isinstance(v.value, dict)):
        return Source(data, tuple(_claude(values)))
    if isinstance(values[0].value, dict) and values[0].value.get("type") == "session":
        return Source(data, tuple(_pi(values)))
    if any("_type" in v.value for v in values if isinstance(v.value, dict)):
        chat = [v for v in values if "_type" not in v.value]
    else:
        chat = _chat_values(data, values)
        if any(b.get("type") in ("tool_use", "tool_result") for v in chat for b in _blocks(v.value.get("content"))):
            return Source(data, tuple(_anthropic(chat)))
    return Source(data, tuple(_chat(v) for v in chat if v.value.get("role") in _ROLES))


def _values(data: bytes) -> Iterator[Value]:
    """The records of a file: one JSON document, or JSON lines, some of them glued together."""
    try:
        whole = json.loads(data)
    except ValueError:
        pass
    else:
        yield Value(whole, 0, len(data))
        return
    offset = 0
    for line in data.split(b"\n"):
        text = line.decode("utf-8", "surrogateescape")
        at = 0
        while (at := _skip(text, at)) < len(text):
            try:
                value, end = _DECODER.raw_decode(text, at)
            except ValueError:
                break
            yield Value(value, offset + _size(text[:at]), offset + _size(text[:end]))
            at = end
        offset += len(line) + 1


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACES:
        at += 1
    return at


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


# Claude Code


def _claude(values: list[Value]) -> Iterator[Recorded]:
    lines = [v for v in values if isinstance(v.value, dict) and isinstance(v.value.get("message"), dict)]
    lines = [v for v in lines if v.value.get("type") in ("user", "assistant")]
    main = [v for v in lines if v.value.get("isSidechain") is not True]
    found: list[Recorded] = []
    growing: dict[str, Growing] = {}
    seen: set[str] = set()
    produced: set[str] = set()
    nameless: deque[str] = deque()
    for line in main or lines:
        body, uuid = line.value["message"], line.value.get("uuid") or ""
        role = body.get("role") if body.get("role") in ("user", "assistant") else line.value["type"]
        if role == "assistant":
            message_id = body.get("id") or uuid
            # A record that was written twice is one response.
            repeated = uuid in seen and message_id in produced
            _assistant(line, body, found, growing, nameless, repeated=repeated)
            if found[-1].is_call:
                produced.add(message_id)
        else:
            _user(line, body, found, nameless)
        seen.add(uuid)
    return iter(found)


def _given(call_id: str | None, found: list[Recorded], nameless: deque[str], number: int) -> str:
    """The id of a call; an invented one, with a question mark, where the record has none."""
    if call_id:
        return call_id
    nameless.append(f"?{len(found)}-{number}")
    return nameless[-1]


def _assistant(
    line: Value, body: Json, found: list[Recorded], growing: dict[str, Growing], nameless: deque[str], *, repeated: bool
) -> None:
    span = ((line.start, line.stop),)
    uuid = line.value.get("uuid") or ""
    blocks = _blocks(body.get("content"))
    uses = [b for b in blocks if b.get("type") == "tool_use"]
    calls = tuple((_given(b.get("id"), found, nameless, n), b.get("name") or "") for n, b in enumerate(uses))
    arguments = tuple(_dumped(b.get("input")) for b in uses)
    text = _text([b for b in blocks if b.get("type") not in ("tool_use", "thinking")])
    known = growing.get(body.get("id") or "")
    if known is not None and uuid not in known.uuids:
        before = found[known.place]
        joined = None if before.text is None or text is None else "\n".join(t for t in (before.text, text) if t)
        found[known.place] = replace(
            before, text=joined, spans=before.spans + span, calls=before.calls + calls,
            arguments=before.arguments + arguments,
        )  # fmt: skip
        known.uuids.add(uuid)
        return
    real = body.get("model") != "<synthetic>" and line.value.get("isApiErrorMessage") is not True
    found.append(Recorded("assistant", text, span, calls, arguments, is_call=real and not repeated, again=repeated))
    if body.get("id"):
        growing[body["id"]] = Growing(len(found) - 1, {uuid})


def _user(line: Value, body: Json, found: list[Recorded], nameless: deque[str]) -> None:
    span = ((line.start, line.stop),)
    content = body.get("content")
    blocks = _blocks(content)
    results = [b for b in blocks if b.get("type") == "tool_result"]
    for block in results:
        inner = _blocks(block.get("content"))
        images = sum(b.get("type") == "image" for b in inner)
        answers = block.get("tool_use_id") or (nameless.popleft() if nameless else None)
        found.append(Recorded("tool", _text(inner), span, answers=answers, images=images))
    rest = [b for b in blocks if b.get("type") != "tool_result"]
    if results and not rest:
        return
    text, images = _text(rest), sum(b.get("type") == "image" for b in rest)
    found.append(Recorded("user", text, span, images=images, typed=_typed(line.value, text)))


def _typed(record: Json, text: str | None) -> bool | None:
    if record.get("isMeta") is True or record.get("isCompactSummary") is True:
        return False
    words = (text or "").strip()
    if words.startswith(("[Request interrupted by user", "Caveat: The messages below")):
        return False
    return None if text is None or words.startswith("<") else True


def _blocks(content: Any) -> list[Json]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [b if isinstance(b, dict) else {"type": "text", "text": b} for b in content or []]


def _text(blocks: list[Json]) -> str | None:
    """The blocks' text, None where some of them are no text."""
    if any(b.get("type") != "text" for b in blocks):
        return None
    return "\n".join(b["text"] for b in blocks if b.get("text"))


def _dumped(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _anthropic(messages: list[Value]) -> list[Recorded]:
    """A request of the Anthropic API: the same messages as in a transcript, without the records around them."""
    found: list[Recorded] = []
    nameless: deque[str] = deque()
    for message in messages:
        if message.value["role"] == "assistant":
            _assistant(message, message.value, found, {}, nameless, repeated=False)
        else:
            _user(message, message.value, found, nameless)
    return found


# pi and OpenClaw


def _pi(values: list[Value]) -> Iterator[Recorded]:
    """Messages of a session that was never branched, in file order; what is no plain message has no text here."""
    for line in values:
        kind, body, span = line.value.get("type"), line.value.get("message"), ((line.start, line.stop),)
        if kind in ("compaction", "custom_message"):
            # A summary stands between words of the harness, which are not in the file.
            yield Recorded("user", _text(_blocks(line.value["content"])) if kind == "custom_message" else None, span)
        if kind != "message" or not isinstance(body, dict):
            continue
        blocks = _blocks(body.get("content"))
        images = sum(b.get("type") == "image" for b in blocks)
        if body["role"] == "assistant":
            uses = [b for b in blocks if b.get("type") == "toolCall"]
            yield Recorded(
                "assistant",
                _text([b for b in blocks if b.get("type") not in ("toolCall", "thinking")]),
                span,
                tuple((b["id"], b["name"]) for b in uses),
                tuple(_dumped(b.get("arguments")) for b in uses),
                is_call=bool(blocks) or body.get("stopReason") != "aborted",
            )
        elif body["role"] == "toolResult":
            yield Recorded("tool", _text(blocks), span, answers=body["toolCallId"], images=images)
        elif body["role"] == "user":
            yield Recorded("user", _text(blocks), span, images=images, typed=_typed({}, _text(blocks)))
        else:
            yield Recorded("user", None, span, typed=None)


# Chat messages

_ROLES = {
    "system": "system", "developer": "developer", "user": "user", "assistant": "assistant", "tool": "tool",
    "function": "tool",
}  # fmt: skip
_HARNESS = ("<returncode>", "<system-reminder>", "<environment_context>", "<task-notification>", "<user_", "<session_",
            "EXECUTION RESULT")  # fmt: skip
"""How harnesses begin the user messages that nobody typed."""


def _chat_values(data: bytes, values: list[Value]) -> list[Value]:
    """The messages of the file's first conversation."""
    first = values[0]
    key = "history" if isinstance(first.value, dict) and "history" in first.value else "messages"
    if isinstance(first.value, dict) and key not in first.value:
        return [v for v in values if isinstance(v.value, dict)]
    text = data.decode("utf-8")
    start = len(data[: first.start].decode("utf-8"))
    if isinstance(first.value, list):
        found = [at for _, at in _members(text, start)]
    else:
        members = dict(_members(text, start))
        found = [at for _, at in _members(text, members[key][0])]
        if (first.value.get("response") or {}).get("choices"):
            response = dict(_members(text, members["response"][0]))
            choice = dict(_members(text, next(_members(text, response["choices"][0]))[1][0]))
            found.append(choice["message"])
    return [Value(json.loads(text[a:b]), _size(text[:a]), _size(text[:b])) for a, b in found]


def _members(text: str, at: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Key (or index) and place, in characters, of every member of the container that starts at `at`."""
    at = _skip(text, at)
    closing, keyed = ("}", True) if text[at] == "{" else ("]", False)
    at, number = _skip(text, at + 1), 0
    while text[at] != closing:
        key = str(number)
        if keyed:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield key, (at, end)
        at, number = _skip(text, end), number + 1
        at = _skip(text, at + 1) if text[at] == "," else at


def _chat(message: Value) -> Recorded:
    value = message.value
    role = _ROLES[value["role"]]
    blocks = _blocks(value.get("content"))
    calls = [c for c in value.get("tool_calls") or [] if c] if role == "assistant" else []
    text = None if value.get("refusal") or value.get("audio") else _text(blocks)
    words = (text or "").strip()
    # SWE-agent shows what its environment answers as the words of a user.
    typed = None if text is None or words.startswith(_HARNESS) or "agent" in value else True
    return Recorded(
        role, text, ((message.start, message.stop),),
        tuple((c["id"], c["function"]["name"]) for c in calls),
        tuple(_dumped(c["function"]["arguments"]) for c in calls),
        value.get("tool_call_id", (value.get("tool_call_ids") or [None])[0]) if role == "tool" else None,
        sum(b.get("type") == "image_url" for b in blocks),
        typed if role == "user" else False,
        role == "assistant",
    )  # fmt: skip
