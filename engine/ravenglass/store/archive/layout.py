"""The lines of an archive file: a header, then one record a line, each sealed.

    {"_type": "curator_archive", "session_key", "reason", "tags", "summary", "created_at",
     "format_version", "ids", "sha256", "tokens", "seal"}
    {"id": 4, "message": {chat form}, "raw" or "raw_base64", "sha256", "tokens", "seal"}

The fields up to `created_at`, `id` and `message` are those of the reference implementation, which reads these
lines and skips the rest. `raw` is the verbatim source record, `sha256` its digest; where it is no clean text,
`raw_base64` holds it. `seal` is the SHA-256 of the line before it, so that no byte can change unnoticed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from typing import Final, Self

from ravenglass.sessions.model.session import Message, Session
from ravenglass.store.archive.text import to_chat
from ravenglass.trace import Json

FORMAT_VERSION: Final = 1
HEADER_TYPE: Final = "curator_archive"

_SEAL = re.compile(rb', "seal": "([0-9a-f]{64})"\}\Z')
_SEAL_LENGTH = len(b', "seal": "') + 64 + len(b'"}')
_NO_CLEAN_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Lone surrogates cannot be encoded; readers that split lines as Python does would split at the others."""


@dataclass(frozen=True, slots=True)
class ArchiveRecord:
    """A message to archive, with the bytes it was read from, whatever they are."""

    message: Message
    raw: bytes
    tokens: int | None = None
    """What the message cost in the window; None is unknown."""

    @classmethod
    def of(cls, session: Session, message: int, tokens: int | None = None) -> Self:
        """The record of a message of a session that was read from a file."""
        return cls(session.messages[message], session.raw(message), tokens)

    @property
    def id(self) -> int:
        return self.message.id

    @property
    def digest(self) -> str:
        """SHA-256 of the verbatim bytes, hexadecimal."""
        return hashlib.sha256(self.raw).hexdigest()


@dataclass(frozen=True, slots=True)
class Header:
    """First line of an archive file."""

    session_key: str
    reason: str = ""
    tags: tuple[str, ...] = ()
    summary: str = ""
    created_at: str = ""
    """ISO 8601; the reference implementation writes local time without an offset."""
    ids: tuple[int, ...] = ()
    digests: tuple[str, ...] = ()
    """SHA-256 of the records, in the order of `ids`. Both are empty in archives of the reference implementation."""
    tokens: int | None = None
    version: int | None = None
    """None: written by the reference implementation."""


def header_line(header: Header) -> bytes:
    """The header with its line ending."""
    return _sealed(
        {
            "_type": HEADER_TYPE,
            "session_key": header.session_key,
            "reason": header.reason,
            "tags": list(header.tags),
            "summary": header.summary,
            "created_at": header.created_at,
            "format_version": FORMAT_VERSION,
            "ids": list(header.ids),
            "sha256": list(header.digests),
            "tokens": header.tokens,
        }
    )


def record_line(record: ArchiveRecord) -> bytes:
    """A record with its line ending."""
    text = _clean_text(record.raw)
    verbatim = {"raw_base64": base64.b64encode(record.raw).decode()} if text is None else {"raw": text}
    return _sealed(
        {
            "id": record.id,
            "message": to_chat(record.message),
            **verbatim,
            "sha256": record.digest,
            "tokens": record.tokens,
        }
    )


def seal_holds(line: bytes) -> bool | None:
    """Whether a line, without its ending, is as it was sealed; None where it bears no seal."""
    found = _SEAL.search(line[-_SEAL_LENGTH:])
    if found is None:
        return None
    return hashlib.sha256(line[:-_SEAL_LENGTH]).hexdigest().encode() == found[1]


def _clean_text(raw: bytes) -> str | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if _NO_CLEAN_TEXT.search(text) else text


def _sealed(value: Json) -> bytes:
    text = json.dumps(value, ensure_ascii=False)
    line = _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()[:-1]
    return b'%s, "seal": "%s"}\n' % (line, hashlib.sha256(line).hexdigest().encode())
