"""System records in which Claude Code says what it did to its own window. Ids are the writer's own here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ravenglass.sessions.model.session import MarkerKind
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, mapping, sequence, text, text_or_none


@dataclass(frozen=True, slots=True)
class Boundary:
    """One such record. Which messages the ids belong to is known only when the thread is made."""

    kind: MarkerKind
    note: str
    ts: float | None = None
    kept: tuple[str, ...] = ()
    """Records that stayed in the window."""
    segment: tuple[str, str] | None = None
    """First and last record of a stretch that stayed."""
    tools: tuple[str, ...] = ()
    """Calls whose results were cleared."""
    cleared: tuple[str, ...] = ()
    """Records of attachments that were cleared."""
    retracted: tuple[str, ...] = ()
    """Records of messages that were taken back."""
    tokens_before: int | None = None
    tokens_after: int | None = None


def boundary_of(value: dict[str, Any]) -> Boundary | None:
    """What a system record did to the window; None where nothing."""
    kind = value.get("subtype")
    if kind == "compact_boundary":
        return _compaction(mapping(value.get("compactMetadata")), seconds(value.get("timestamp")))
    if kind == "microcompact_boundary":
        return _clearing(mapping(value.get("microcompactMetadata")))
    retracted = _strings(value.get("retractedMessageUuids"))
    if retracted:
        what = f"{len(retracted):,} records taken back after {text(kind).replace('_', ' ')}"
        return Boundary("rollback", what, retracted=retracted)
    return None


def _compaction(meta: dict[str, Any], ts: float | None) -> Boundary:
    words = [text_or_none(meta.get("trigger")) or "unknown trigger"]
    before, after = count(meta.get("preTokens")), count(meta.get("postTokens"))
    if before is not None:
        words.append(f"{before:,} tokens before")
    if after is not None:
        words.append(f"{after:,} tokens after")
    messages = mapping(meta.get("preservedMessages"))
    kept = _strings(messages.get("uuids"))
    if kept:
        words.append(f"{len(kept):,} records kept")
    segment = mapping(meta.get("preservedSegment"))
    ends = text(segment.get("headUuid")), text(segment.get("tailUuid"))
    return Boundary(
        "compaction",
        ", ".join(words),
        ts,
        kept or _strings(messages.get("allUuids")),
        ends if all(ends) else None,
        tokens_before=before,
        tokens_after=after,
    )


def _clearing(meta: dict[str, Any]) -> Boundary:
    tools, records = _strings(meta.get("compactedToolIds")), _strings(meta.get("clearedAttachmentUUIDs"))
    words = [f"{len(tools):,} tool results cleared"]
    if records:
        words.append(f"{len(records):,} attachments cleared")
    before, saved = count(meta.get("preTokens")), count(meta.get("tokensSaved"))
    if saved is not None:
        words.append(f"{saved:,} tokens saved")
    after = None if before is None or saved is None else max(0, before - saved)
    return Boundary(
        "clearing", ", ".join(words), tools=tools, cleared=records, tokens_before=before, tokens_after=after
    )


def _strings(value: object) -> tuple[str, ...]:
    return tuple(item for item in sequence(value) if isinstance(item, str) and item)
