"""What documents and recordings cost: an estimate by pages or seconds where their bytes tell them, else a flat one."""

from __future__ import annotations

import math
from typing import Protocol

from ravenglass.sessions.model.session import Message, PartPayload


class Rates(Protocol):
    """The profile's costs, in tokens."""

    @property
    def image_tokens(self) -> int: ...
    @property
    def page_tokens(self) -> int: ...
    @property
    def document_tokens(self) -> int: ...
    @property
    def audio_second_tokens(self) -> int: ...
    @property
    def audio_tokens(self) -> int: ...


def attached_tokens(message: Message, rates: Rates) -> int:
    """Tokens of everything in a message that is no text: images, documents, recordings."""
    payloads = sum(payload_tokens(payload, rates) for payload in message.payloads)
    return message.images * rates.image_tokens + payloads


def payload_tokens(payload: PartPayload, rates: Rates) -> int:
    """Tokens of one document or recording."""
    if payload.media == "audio":
        if payload.seconds is None:
            return rates.audio_tokens
        return math.ceil(payload.seconds * rates.audio_second_tokens)
    return rates.document_tokens if payload.pages is None else payload.pages * rates.page_tokens


def basis(payload: PartPayload, rates: Rates) -> str:
    """What such a figure is made of, for a person."""
    if payload.media == "audio":
        if payload.seconds is None:
            return f"recording at a flat {rates.audio_tokens:,}"
        return f"recording, {payload.seconds:,.1f} s at {rates.audio_second_tokens:,} a second"
    if payload.pages is None:
        return f"document at a flat {rates.document_tokens:,}"
    return f"document, {payload.pages:,} page{'s' * (payload.pages != 1)} at {rates.page_tokens:,} each"
