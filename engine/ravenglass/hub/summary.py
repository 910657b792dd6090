"""A summary: the context item that stands in windows for messages that left them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Summary:
    """A text in place of messages. It is lossy; the messages stay retrievable."""

    call: int
    """The call at which it was made; it stands unchanged until a slow path makes another or drops it."""
    text: str
    tokens: int
    """Of the whole block, its frame included."""
    messages: int
    """How many messages it stands for."""
