"""What a label calls a message and a term by: hashes, so that no text of a session is kept beside its verdict."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ravenglass.sessions.model.session import Message

MESSAGE_DIGITS = 12
TERM_DIGITS = 16


def message_id(message: Message) -> str:
    """First 12 hex digits of the SHA-256 of what the message says; the same wherever it stands in its session.

    Each piece goes in with its length before it, so that no two messages share one by where a piece ends.
    """
    pieces = [message.role, message.text, message.thinking]
    for call in message.tool_calls:
        pieces += [call.name, call.arguments]
    pieces.append(message.tool_call_id or "")
    digest = hashlib.sha256()
    for piece in pieces:
        told = piece.encode("utf-8", "surrogatepass")
        digest.update(f"{len(told)}:".encode("ascii"))
        digest.update(told)
    return digest.hexdigest()[:MESSAGE_DIGITS]


def term_hash(term: str) -> str:
    """First 16 hex digits of the SHA-256 of the term's UTF-8 bytes, written exactly as the response writes it."""
    return hashlib.sha256(term.encode("utf-8", "surrogatepass")).hexdigest()[:TERM_DIGITS]
