"""Whether one file of a session holds all that another file of the same session id holds.

An earlier state or a compressed copy is a part of the later one; two agents that went on from one session are not.
Asked only where an id occurs twice, and remembered while the files stay as they are.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import lru_cache
from pathlib import Path

from ravenglass.errors import RavenglassError, SessionError
from ravenglass.sessions.catalogue.registry import open_session
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.model.session import Session, Span
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.source import open_path

_MOST = 64 << 20
"""Bytes of a file that are compared; of larger ones nothing is said, so both are listed."""
_REMEMBERED = 4_096


def holds(whole: HolderEntry, part: HolderEntry) -> bool:
    """Whether everything in `part` is in `whole` too. What cannot be read holds nothing, and nothing holds it."""
    try:
        marks = _mark(whole.path), _mark(part.path)
    except OSError:
        return False
    return _holds(whole.path, whole.key, part.path, part.key, marks)


def _mark(path: Path) -> tuple[int, int]:
    info = path.stat()
    return info.st_size, info.st_mtime_ns


@lru_cache(maxsize=_REMEMBERED)
def _holds(whole: Path, whole_key: str, part: Path, part_key: str, marks: tuple[tuple[int, int], ...]) -> bool:
    if max(size for size, _ in marks) > _MOST:
        return False
    try:
        if not whole_key and not part_key and _bytes(whole).startswith(_bytes(part)):
            return True
        return not _said(open_session(part, part_key)) - _said(open_session(whole, whole_key))
    except (RavenglassError, OSError):
        return False


def _bytes(path: Path) -> bytes:
    """The content as it is once decompressed."""
    if not path.is_file():
        return b"\x00"
    source = open_path(path, Reporter(None, path.name)).source
    if source.size > _MOST:
        raise SessionError(f"{path.name} is too large to be compared.", path=str(path))
    return source.read(Span(1, 0, source.size)).rstrip(b"\n")


def _said(session: Session) -> Counter[str]:
    """Every message by what it says, calls and brings; how often."""
    found: Counter[str] = Counter()
    for message in session.messages:
        calls = "\x00".join(f"{call.id} {call.name} {call.arguments}" for call in message.tool_calls)
        words = "\x00".join((message.role, message.text, message.thinking, calls, message.tool_call_id or ""))
        found[hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=16).hexdigest()] += 1
    return found
