"""What is recorded and counted about one message, as values for the structure tree and the header of its pane."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from ravenglass.errors import SessionError
from ravenglass.replay.frame import ManifestRow
from ravenglass.replay.run import Run
from ravenglass.sessions.model.attached import basis
from ravenglass.sessions.model.session import Message, Session
from ravenglass.tokens.pieces import PIECE, pieces

_PRETTY_LIMIT = 2_000_000
"""Bytes of a record over which it is shown as recorded only."""


def row_at(run: Run | None, call: int, message: int) -> ManifestRow | None:
    """The message's manifest row at the call, or at the last call if the call does not know it yet."""
    if run is None or not run.calls:
        return None
    for at in (call, run.calls):
        if 1 <= at <= run.calls and message < run.rows(at):
            return run.row(at, message)
    return None


def counted(run: Run | None, session: Session, row: ManifestRow | None, message: int) -> str:
    """`3,120 tokens exact`, or how else the number was got; empty while nothing is counted."""
    if run is None or row is None:
        return ""
    record = session.messages[message]
    said = f"{row.tokens:,} tokens {how_counted(record)}"
    beside = [f"{record.images} image{'s' * (record.images != 1)} at a flat {run.profile.image_tokens:,}"]
    beside = (beside if record.images else []) + [basis(payload, run.profile) for payload in record.payloads]
    return ", ".join([said, *beside])


def how_counted(record: Message) -> str:
    """`exact`, or `estimated`: a text runs on for so long that it was counted in pieces cut anywhere, or a document or
    a recording is among its parts."""
    texts = [part.text for part in record.parts] + [call.arguments for call in record.tool_calls]
    exact = all(safe for text in texts if len(text) > PIECE for _, safe in pieces(text))
    return "exact" if exact and not record.payloads else "estimated"


def structure(run: Run | None, session: Session, call: int, message: int) -> dict[str, object]:
    """Everything known of a message, in the order in which one asks. Keys are for reading, not for machines."""
    record = session.messages[message]
    row = row_at(run, call, message)
    group = session.structure.groups[session.structure.group_of[message]]
    facts: dict[str, object] = {
        "id": record.id,
        "role": record.role,
        "kind": record.kind,
        "address": row.address if row else None,
        "time": stamp(record.ts),
        "turn": group.turn,
        "seen from call": group.call,
        "group": {"index": group.index, "messages": list(group.messages), "unanswered calls": list(group.unanswered)},
        "tokens": _tokens(run, record, row),
        "tool calls": [_call(c.id, c.name, c.arguments) for c in record.tool_calls],
        "answers tool call": record.tool_call_id,
        "tool": record.tool_name,
        "error result": record.is_error,
        "flags in the record": sorted(record.flags),
        "flags at this call": sorted(row.flags) if row else [],
        "content": [{"kind": p.kind, "characters": len(p.text)} for p in record.parts],
        "model": record.model,
        "usage reported by the provider": _usage(record),
        "id in the record": record.source_id,
        "where it stands": [{"line": s.line, "offset": s.offset, "bytes": s.length} for s in record.spans],
        "sha256": _digest(session, message),
    }
    if row:
        facts["keywords"] = list(row.keywords)
    return {key: value for key, value in facts.items() if value not in (None, [], "")}


def _tokens(run: Run | None, record: Message, row: ManifestRow | None) -> dict[str, object] | None:
    if run is None or row is None:
        return None
    profile = run.profile
    return {
        "total": row.tokens,
        "how counted": how_counted(record),
        "counted with": f"{profile.tokenizer}, the table itself, offline",
        "frame of the message": profile.message_overhead,
        "images": record.images,
        "tokens an image": profile.image_tokens if record.images else None,
        "documents and recordings": [basis(payload, profile) for payload in record.payloads] or None,
    }


def _call(call_id: str, name: str, arguments: str) -> dict[str, object]:
    try:
        parsed: object = json.loads(arguments)
    except ValueError:
        return {"name": name, "id": call_id, "arguments (no valid JSON)": arguments}
    return {"name": name, "id": call_id, "arguments": parsed}


def _usage(record: Message) -> dict[str, object] | None:
    usage = record.usage
    if usage is None:
        return None
    known = {
        "context": usage.context,
        "output": usage.output,
        "cache read": usage.cache_read,
        "cache write": usage.cache_write,
    }
    return {name: "unknown" if value is None else value for name, value in known.items()}


def stamp(ts: float | None) -> str | None:
    """A recorded time in UTC, to the second; None where the record has none."""
    return None if ts is None else datetime.fromtimestamp(ts, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def raw_text(raw: bytes) -> str:
    """Record bytes as text; bytes that are no UTF-8 are shown as `\\xNN`."""
    return raw.decode("utf-8", "backslashreplace")


def pretty(raw: bytes) -> str | None:
    """The record's JSON indented, one record after the other; None where it is too large or no JSON."""
    if len(raw) > _PRETTY_LIMIT:
        return None
    try:
        values = [json.loads(line) for line in (raw.split(b"\n") if not _is_json(raw) else [raw])]
    except ValueError:
        return None
    return "\n".join(json.dumps(value, ensure_ascii=False, indent=2) for value in values)


def _is_json(raw: bytes) -> bool:
    try:
        json.loads(raw)
    except ValueError:
        return False
    return True


def readable_calls(record: Message) -> str:
    """Tool calls as text: the name, then each argument on its own lines, strings as they are."""
    return "\n\n".join(_readable(c.name, c.arguments) for c in record.tool_calls)


def _readable(name: str, arguments: str) -> str:
    try:
        parsed = json.loads(arguments)
    except ValueError:
        return f"{name}\n{arguments}"
    if not isinstance(parsed, dict):
        return f"{name}\n{json.dumps(parsed, ensure_ascii=False, indent=2)}"
    lines = [name]
    for key, value in parsed.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        lines.append(f"  {key}: {text}" if "\n" not in text else f"  {key}:\n" + _indented(text))
    return "\n".join(lines)


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))


def _digest(session: Session, message: int) -> str:
    try:
        return session.digest(message)
    except SessionError as error:
        return f"unknown: {error}"
