"""What a dialect needs of one block of a window, and names that hold for every provider."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ravenglass.sessions.records.decode import decode_value
from ravenglass.trace import Json

Dialect = Literal["openai-chat", "openai-responses", "anthropic", "gemini"]

NO_TEXT = "[no text]"
"""Stands in where a provider demands a text and the message has none."""
_EMBEDDED = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,([A-Za-z0-9+/=\s]+)")
_ODD = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Caching:
    """Cache breakpoints of a request: `after` are numbers of blocks of the window that stand before one, `automatic`
    whether the provider sets one at the end by itself, `long` whether what is cached is kept for an hour."""

    after: frozenset[int] = frozenset()
    automatic: bool = False
    long: bool = False


class DialectBlock(Protocol):
    """One message of a window. The replay's WindowMessage is one."""

    @property
    def id(self) -> int | None: ...
    @property
    def role(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def thinking(self) -> str: ...
    @property
    def tool_calls(self) -> tuple[tuple[str, str, str], ...]:
        """(id, name, arguments) of each call."""
        ...

    @property
    def tool_call_id(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Sent:
    """A block that goes to a provider, and not only to a reader.

    Providers refuse thinking that they did not sign, so without a signature it stays out. `proofs` are Anthropic's
    thinking blocks as given, `signatures` those of Gemini, one a call, empty for none.
    """

    id: int | None
    role: str
    text: str
    thinking: str
    tool_calls: tuple[tuple[str, str, str], ...]
    tool_call_id: str | None
    proofs: tuple[Json, ...]
    signatures: tuple[str, ...]
    images: tuple[str, ...] = ()
    """Addresses of a user's pictures: `data:` with the picture itself, or where it lies."""


def images_of(block: DialectBlock) -> tuple[str, ...]:
    """The pictures that go out with a block; a window that is only read has none."""
    return block.images if isinstance(block, Sent) else ()


def embedded(image: str) -> tuple[str, str] | None:
    """(media type, base64) of a `data:` address; None for one that only says where the picture lies."""
    found = _EMBEDDED.fullmatch(image)
    return (found[1], found[2]) if found else None


@dataclass(frozen=True, slots=True)
class Spoken:
    """A call with an id that is the window's only one and a name that every provider takes."""

    id: str
    name: str
    arguments: str

    @property
    def object(self) -> Json:
        """The arguments as an object; what is none stands as a text inside one."""
        try:
            value = decode_value(self.arguments.encode("utf-8", "surrogatepass")) if self.arguments.strip() else {}
        except ValueError:
            return {"text": self.arguments}
        return value if isinstance(value, dict) else {"value": value}


@dataclass(frozen=True, slots=True)
class Turned:
    """A block with its calls renamed; `answers` is the call that a result belongs to."""

    block: DialectBlock
    calls: tuple[Spoken, ...] = ()
    answers: Spoken | None = None


def turned(blocks: Sequence[DialectBlock]) -> Iterator[Turned]:
    """The blocks with ids that differ throughout the window: records reuse them, providers refuse that.

    A result answers the oldest call of its id that is still open, as windows are built.
    """
    taken: set[str] = set()
    waiting: dict[str, deque[Spoken]] = {}
    for block in blocks:
        if block.role == "tool":
            queue = waiting.get(block.tool_call_id or "")
            yield Turned(block, answers=queue.popleft() if queue else None)
            continue
        calls = []
        for call_id, name, arguments in block.tool_calls:
            spoken = Spoken(_unique(call_id, taken), _ODD.sub("_", name)[:64] or "unnamed", arguments)
            waiting.setdefault(call_id, deque()).append(spoken)
            calls.append(spoken)
        yield Turned(block, tuple(calls))


def _unique(call_id: str, taken: set[str]) -> str:
    base = _ODD.sub("_", call_id)[:40] or "call"
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return name


def systems(blocks: Iterable[DialectBlock]) -> list[str]:
    """Texts of all system and developer blocks in order, for providers that have one place for them."""
    return [block.text for block in blocks if block.role in ("system", "developer") and block.text.strip()]
