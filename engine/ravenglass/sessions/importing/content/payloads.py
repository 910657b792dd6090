"""What documents and recordings inside a message tell about their size: pages of a PDF, seconds of a WAV.

Read from the bytes themselves, as far as that is cheap; nothing is rendered or played.
"""

from __future__ import annotations

import binascii
import re
import struct
import zlib

from ravenglass.sessions.model.session import PartPayload

_MOST = 48 << 20
"""Characters of base64 that are decoded for it; longer ones are told by nothing."""
_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_COUNT = re.compile(rb"/Count\s+(\d{1,6})")
_OBJECTS = re.compile(rb"/ObjStm\b.{0,400}?stream\r?\n(.*?)endstream", re.DOTALL)
_MOST_OBJECTS = 2_000
"""Compressed object streams of a PDF that are looked into."""
_MOST_UNPACKED = 4 << 20
"""Bytes of one of them."""
_MOST_PAGES = 100_000


def payload_of(media: str, data: object) -> PartPayload:
    """The payload of a media type (`application/pdf`, `audio/wav`, `wav`) and its base64, where there is any."""
    recording = media.startswith("audio") or media in ("wav", "mp3", "flac", "opus", "pcm16", "m4a", "ogg", "aac")
    content = _decoded(data)
    if recording:
        return PartPayload("audio", seconds=_seconds(content))
    return PartPayload("document", pages=_pages(content))


def _decoded(data: object) -> bytes:
    if not isinstance(data, str) or len(data) > _MOST:
        return b""
    try:
        return binascii.a2b_base64(data.encode("ascii", "ignore"))
    except (binascii.Error, ValueError):
        return b""  # cut or damaged: its size is not told by it


def _pages(content: bytes) -> int | None:
    """Pages of a PDF; None where its objects do not tell."""
    if content.lstrip()[:5] != b"%PDF-":
        return None
    pages = len(_PAGE.findall(content))
    counts = [int(found) for found in _COUNT.findall(content)]
    for number, packed in enumerate(_OBJECTS.finditer(content)):
        if number >= _MOST_OBJECTS:
            break
        try:
            objects = zlib.decompressobj().decompress(packed[1], _MOST_UNPACKED)
        except zlib.error:
            continue
        pages += len(_PAGE.findall(objects))
        counts += [int(found) for found in _COUNT.findall(objects)]
    found = pages or max(counts, default=0)
    return found if 0 < found <= _MOST_PAGES else None


def _seconds(content: bytes) -> float | None:
    """Length of a WAV by its header; None for anything else."""
    if content[:4] != b"RIFF" or content[8:12] != b"WAVE":
        return None
    at, rate = 12, 0
    while at + 8 <= len(content):
        name, size = content[at : at + 4], int(struct.unpack_from("<I", content, at + 4)[0])
        if name == b"fmt " and at + 20 <= len(content):
            rate = int(struct.unpack_from("<I", content, at + 16)[0])
        elif name == b"data":
            # Streamed recordings do not know their size when the header is written.
            return min(size, len(content) - at - 8) / rate if rate else None
        at += 8 + size + size % 2
    return None
