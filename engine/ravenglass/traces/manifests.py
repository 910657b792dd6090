"""Reads the manifest that a curator was shown out of its logged request, also where the log has cut the text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.scan import Member, members
from ravenglass.sessions.records.values import count, mapping, sequence, text
from ravenglass.trace import Json
from ravenglass.traces.model import TraceRecord

REQUEST = "curator_llm_request"


def session_key(record: TraceRecord) -> str:
    """The session that a request names; empty if it names none."""
    return text(briefing(record).get("session_key"))


def history_tokens(record: TraceRecord) -> int | None:
    """History tokens of the manifest summary in a request; None where it has none."""
    return count(mapping(briefing(record).get("manifest_summary")).get("history_tokens"))


def current_request(record: TraceRecord) -> str:
    """The user message that the window was made for, as far as the log holds it."""
    found = briefing(record)
    return text(found.get("current_user_message")) or text(found.get("current_request"))


def listed(record: TraceRecord) -> Iterator[Json]:
    """Every manifest item in a request, whole or cut: objects in a list that carry an id."""
    for value in briefing(record).values():
        for item in map(mapping, sequence(value)):
            if count(item.get("id")) is not None or sequence(item.get("ids")):
                yield item


def briefing(record: TraceRecord) -> Json:
    """The JSON object in the request's first user message. Empty for any other record, and where there is none."""
    if record.event != REQUEST:
        return {}
    for message in map(mapping, sequence(record.payload.get("messages"))):
        content = text(message.get("content"))
        if message.get("role") == "user" and content.startswith("{"):
            return _object(content)
    return {}


@lru_cache(maxsize=64)
def _object(content: str) -> Json:
    """The object in a text that may be cut: complete members, and of the cut one what is complete in it."""
    data = content.encode("utf-8", "surrogatepass")
    value = _value(data, Member(None, 0, len(data), complete=False))
    return mapping(value)


def _value(data: bytes, where: Member) -> object:
    """The value of a member; of a cut container its complete members, None for any other cut value."""
    piece = data[where.start : where.stop]
    if where.complete:
        try:
            return decode_value(piece)
        except ValueError:
            return None
    inside = members(data, where.start, where.stop)
    if piece[:1] == b"[":
        return [value for item in inside if (value := _value(data, item)) is not None]
    if piece[:1] == b"{":
        found = ((item.key, _value(data, item)) for item in inside)
        return {key: value for key, value in found if key is not None and value is not None}
    return None
