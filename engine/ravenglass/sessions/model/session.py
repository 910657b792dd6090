"""What every importer produces: a Session of normalized Messages, each tied to its verbatim source record.

Nothing here knows which agent wrote the file. Objects are immutable; ids are positions in file order and
are what every other layer refers to (`message 17` is always `session.messages[17]`).
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol

from ravenglass.sessions.model.texts import held

Role = Literal["system", "developer", "user", "assistant", "tool"]
"""`tool` is the result of a tool call; `developer` is kept apart from `system` because providers do."""

Kind = Literal["ordinary", "prompt", "command", "meta", "summary"]
"""What a user message is: `prompt` a person typed (or the harness's task statement), `command` a slash
command or shell escape and its output, `meta` text the harness injected, `summary` the harness's own
compaction summary. Everything that is no user message is `ordinary`. Only a `prompt` starts a turn."""

PartKind = Literal["text", "thinking", "image", "document", "other"]


@dataclass(frozen=True, slots=True)
class Span:
    """Where a record stood: 1-based line, byte offset and byte length in the (decompressed) file."""

    line: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class PartPayload:
    """A document or a recording, which a provider counts in its own way; what is neither counts as a document.

    None is what its bytes do not tell.
    """

    media: Literal["document", "audio"]
    pages: int | None = None
    seconds: float | None = None


class Part:
    """One block of a message's content, without tool calls (they are `Message.tool_calls`). Immutable.

    `text` is the readable text for text and thinking; for images, documents and other blobs it is a short
    description such as `[image image/png, 48,112 bytes]`, never the payload. Of a large file it is fetched when asked.
    """

    __slots__ = ("_text", "kind", "payload", "unknown")
    kind: PartKind
    unknown: str
    """Name of the block's kind where no importer knows it: `text` is then what could be told of it; else empty."""
    payload: PartPayload | None
    """Of a document or a recording: what its size in tokens is told by."""

    def __init__(self, kind: PartKind, text: str, *, unknown: str = "", payload: PartPayload | None = None) -> None:
        self.kind = kind
        self.unknown = unknown
        self.payload = payload
        self._text = held(text)

    @property
    def text(self) -> str:
        return self._text if isinstance(self._text, str) else self._text.read()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and self.kind == other.kind and self.text == other.text

    def __hash__(self) -> int:
        return hash((self.kind, self.text))

    def __repr__(self) -> str:
        return f"Part({self.kind!r}, {self.text!r})"


_FLAGS: dict[frozenset[str], frozenset[str]] = {}
"""Every set of flags that a message has; they are few."""


def once(name: str) -> str:
    """A name that comes again and again, as the one string that all of its holders share."""
    return sys.intern(name) if type(name) is str else name


class ToolCall:
    """A tool call of an assistant message. `arguments` is JSON text, as recorded (maybe invalid JSON). Immutable."""

    __slots__ = ("_arguments", "id", "name")
    id: str
    name: str

    def __init__(self, id: str, name: str, arguments: str) -> None:  # noqa: A002 - the writers' word
        self.id = id
        self.name = once(name)
        self._arguments = held(arguments)

    @property
    def arguments(self) -> str:
        return self._arguments if isinstance(self._arguments, str) else self._arguments.read()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolCall) and (self.id, self.name, self.arguments) == (
            other.id, other.name, other.arguments,
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash((self.id, self.name, self.arguments))

    def __repr__(self) -> str:
        return f"ToolCall({self.id!r}, {self.name!r}, {self.arguments!r})"


@dataclass(frozen=True, slots=True)
class Usage:
    """What the provider reported for the request that produced an assistant message; None is unknown, not 0.

    `context` = everything the request sent (input + cache read + cache write), output excluded.
    """

    context: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    """All that was written to the cache, for however long."""
    cache_write_1h: int | None = None
    """The part of `cache_write` that was written for an hour; None where the provider does not say for how long."""

    def known(self) -> Usage | None:
        """Without zeros that say nothing: no request has none, and zeros throughout were never reported."""
        if not any((self.context, self.output, self.cache_read, self.cache_write)):
            return None
        return self if self.context != 0 else replace(self, context=None)


@dataclass(frozen=True, slots=True)
class Message:
    """One normalized message. A tool result is a message of its own even where one record holds several."""

    id: int
    role: Role
    parts: tuple[Part, ...]
    kind: Kind = "ordinary"
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool = False
    ts: float | None = None
    """Seconds since the epoch, UTC; None where the record has no readable time."""
    model: str | None = None
    usage: Usage | None = None
    source_id: str | None = None
    """The writer's own id of the message (uuid, API message id), where it has one."""
    spans: tuple[Span, ...] = ()
    """Records that hold this message, in file order; several for an API message written over several lines."""
    flags: frozenset[str] = frozenset()
    """`orphan_result` (its call is not in the file), `synthetic` (written by the harness, no model call),
    `api_error`, `interrupted`, `duplicate_id`, `duplicate_result` (the same call answered again), `inherited` (an
    answer that was copied from the session this one was forked from: no call of its own)."""
    hidden: int = 0
    """Characters of thinking that the window held and the text does not show: shortened or withheld by the provider."""
    unsent: int = 0
    """Characters of the calls' arguments that the record shows, but no later request sends."""

    def __post_init__(self) -> None:
        """What many messages say alike is held once: of a hundred thousand, empty sets of flags alone take 20 MB."""
        object.__setattr__(self, "flags", _FLAGS.setdefault(self.flags, self.flags))
        if self.model is not None:
            object.__setattr__(self, "model", once(self.model))

    @property
    def text(self) -> str:
        """Text parts joined by newlines: what the model reads, without thinking and blobs' payload."""
        if len(self.parts) == 1 and self.parts[0].kind != "thinking":
            return self.parts[0].text
        return "\n".join(part.text for part in self.parts if part.kind != "thinking")

    @property
    def thinking(self) -> str:
        return "\n".join(part.text for part in self.parts if part.kind == "thinking")

    @property
    def images(self) -> int:
        return sum(part.kind == "image" for part in self.parts)

    @property
    def payloads(self) -> tuple[PartPayload, ...]:
        """Documents and recordings among the parts, in their order."""
        return tuple(part.payload for part in self.parts if part.payload is not None)


@dataclass(frozen=True, slots=True)
class OtherRecord:
    """A record that is no message (unknown type, snapshot, progress); kept so that nothing is lost."""

    label: str
    span: Span


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes that could not be decoded. `kept` says what of the line was still read."""

    span: Span
    reason: str
    kept: str


MarkerKind = Literal["compaction", "clearing", "rollback", "consolidated", "resume", "new_chain", "fall", "rise"]


@dataclass(frozen=True, slots=True)
class Marker:
    """Something that happened to the writer's window: what the recorded run is made from.

    `compaction`, `consolidated`, `rollback`: from here on the window holds `keep` and the messages from `before` on.
    `clearing`: the results `cleared` stay in the window, but only as a short note in place of their text.
    `resume`: the writer read its own transcript back and found only `keep` of it.
    `new_chain`: the context was cleared; the window holds what comes from `before` on.
    `fall`, `rise`: told by the provider's figures alone (`replay.measures.shifts`). The window got smaller, or larger,
    and the record does not say by what; `keep` is None.
    """

    kind: MarkerKind
    before: int
    """Id of the first message after it."""
    note: str = ""
    keep: tuple[int, ...] | None = ()
    """Ids below `before` that stayed in the window, ascending; None where the kind takes no message out."""
    cleared: tuple[int, ...] = ()
    """Ids of messages, tool results as a rule, whose text was cleared from the window."""
    tokens_before: int | None = None
    """Size of the window before, as the writer reports it; None where it does not."""
    tokens_after: int | None = None


class Source(Protocol):
    """Random access to the bytes a session came from."""

    def read(self, span: Span) -> bytes:
        """The record's bytes exactly as they stand in the (decompressed) file, without the line ending."""
        ...


@dataclass(frozen=True, slots=True)
class Group:
    """The unit that is kept or evicted whole. `messages` are ids in file order: an assistant message with
    tool calls and every result of those calls, or one message outside any of these."""

    index: int
    messages: tuple[int, ...]
    turn: int
    """0-based turn the group belongs to; groups before the first prompt belong to turn 0."""
    call: int
    """Number of the first call that can see the group's first message (1-based; calls + 1 if none can)."""
    unanswered: tuple[str, ...] = ()
    """Ids of tool calls that the record never answers."""
    orphan: bool = False
    """A tool result whose call is not in the record."""
    unsent: bool = False
    """No window may hold it: it is one message that was never sent (`Structure.never_sent`)."""


@dataclass(frozen=True, slots=True)
class Call:
    """One model call, the replay step. `number` is 1-based; it sees every message with an id < `message`."""

    number: int
    message: int
    """Id of the assistant message that the call produced."""
    turn: int


@dataclass(frozen=True, slots=True)
class Turn:
    """From one prompt up to the next. `prompt` is None for what stands before the first prompt."""

    index: int
    prompt: int | None
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Structure:
    """Groups, turns and calls of a session, computed once by `sessions.structure.analyse`."""

    groups: Sequence[Group]
    turns: Sequence[Turn]
    calls: Sequence[Call]
    group_of: Sequence[int]
    """Message id -> index of its group."""
    never_sent: dict[int, str] = field(default_factory=dict)
    """Messages that were in no window of the writer and may be in none of ours, with the reason."""


@dataclass(frozen=True, eq=False)
class Session:
    """One recorded conversation in file order, with what surrounds it. Compared and hashed by identity."""

    id: str
    format: str
    """Name of the importer that read it: `claude-code`, `openai-chat`, `raven`."""
    path: Path
    messages: Sequence[Message]
    structure: Structure
    source: Source = field(repr=False, compare=False)
    title: str = ""
    project: str = ""
    """Working directory or project name as recorded; empty if unknown."""
    model: str | None = None
    tools_text: str | None = None
    """Tool definitions as JSON text where the record has them."""
    system_prompt: str | None = None
    """A system prompt that is no message of the record (top-level `system` field)."""
    other: tuple[OtherRecord, ...] = ()
    damage: tuple[Damage, ...] = ()
    markers: tuple[Marker, ...] = ()
    children: tuple[Session, ...] = ()
    """Sub-agent sessions."""
    parent_call_id: str | None = None
    """For a sub-agent: id of the parent's tool call that started it."""
    forked_from: str | None = None
    """Id or file of the session that this one began as a copy of, as recorded."""
    forced: bool = False
    """Whether it was read as this format because that was asked for, and not for its content."""
    key: str = ""
    """Which session of `path`, where that is a database or a folder that holds several."""
    parent: str | None = None
    """For a sub-agent that stands in a file of its own: id of the session that started it, where the file says so."""
    pending: Span | None = None
    """A cut last line: not damage, the writer may still finish it."""
    warnings: tuple[str, ...] = ()
    """Complete sentences for the user, in the order found."""
    derived: dict[Hashable, object] = field(default_factory=dict, repr=False, compare=False)
    """What other layers made of the session (token sizes, entities) and share between replays, by `derived.Slot`."""

    @property
    def place(self) -> Path:
        """What opens this session again: its path, with `#key` where the path holds several."""
        return Path(f"{self.path}#{self.key}") if self.key else self.path

    @cached_property
    def not_understood(self) -> dict[str, int]:
        """Kinds of content blocks that the importer does not know, and how many of each its messages have; without
        sub-agents. What such a block says stands in its message all the same."""
        return dict(Counter(part.unknown for message in self.messages for part in message.parts if part.unknown))

    def raw(self, message: int) -> bytes:
        """The verbatim source record(s) of a message; several are joined by a newline."""
        return b"\n".join(self.source.read(span) for span in self.messages[message].spans)

    def digest(self, message: int) -> str:
        """SHA-256 of `raw(message)`, hexadecimal."""
        return hashlib.sha256(self.raw(message)).hexdigest()

    @cached_property
    def started(self) -> float | None:
        """Earliest recorded time, or None."""
        return min((m.ts for m in self.messages if m.ts is not None), default=None)

    @cached_property
    def ended(self) -> float | None:
        return max((m.ts for m in self.messages if m.ts is not None), default=None)
