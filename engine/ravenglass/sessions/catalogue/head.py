"""What a session file says of itself in its first records: read with its importer, but not further."""

from __future__ import annotations

import zlib
from io import BytesIO
from pathlib import Path

import zstandard

from ravenglass.errors import SessionError
from ravenglass.sessions.catalogue.claims import checked
from ravenglass.sessions.catalogue.registry import choose
from ravenglass.sessions.importing.importer import read
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.decompress import compression
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.source import MemorySource, Opened

_HEAD = 48 << 10
"""Bytes of a file that tell what it is and what it is called."""
_PACKED = 24 << 10
"""Bytes of a compressed file that are unpacked for it."""
_WHOLE = 8 << 20
"""A document is not told by its first bytes; one of this size is read whole."""


def head_of(path: Path) -> Session | None:
    """The session of a file's first records, with the file's name but without sub-agents; None if it is no session.

    Raises OSError where the file cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(_HEAD)
        packed = compression(data)
        whole = len(data) < _HEAD
        if packed is not None:
            data = _unpacked(data[:_PACKED], packed)
        elif not whole:
            data = data[: data.rfind(b"\n") + 1] or data
    found = _session(path, data, whole=whole and packed is None)
    if found is None and packed is None and not whole and path.stat().st_size <= _WHOLE:
        found = _session(path, path.read_bytes(), whole=True)
    return found


def _session(path: Path, data: bytes, *, whole: bool) -> Session | None:
    # In a folder that is not there nothing stands beside the file, so no further files are read.
    opened = Opened(path.parent / ".no-such-folder" / path.name, MemorySource(data))
    try:
        importer, records = choose(opened, Reporter(None, path.name))
        session = read(importer, records)
        return checked(session, importer, forced=not whole)
    except SessionError:
        return None


def _unpacked(data: bytes, name: str) -> bytes:
    try:
        if name == "gzip":
            return zlib.decompressobj(wbits=31).decompress(data, _HEAD)
        with zstandard.ZstdDecompressor().stream_reader(BytesIO(data)) as stream:
            return stream.read(_HEAD)
    except (zlib.error, zstandard.ZstdError):
        return b""
