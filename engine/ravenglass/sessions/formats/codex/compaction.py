"""What a compaction of Codex leaves in the window: which messages stay, and which the replacement brings anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ravenglass.sessions.formats.codex.lines import Compacted
from ravenglass.sessions.importing.place import RecordPlace
from ravenglass.sessions.importing.responses.items import ResponsesItem, read_item
from ravenglass.sessions.importing.responses.thread import ResponsesDraft
from ravenglass.sessions.model.session import Part, Source, Span
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.scan import Member, member, members
from ravenglass.sessions.records.values import mapping

_USER_BYTES = 80_000
"""Where Codex lists no replacement it keeps the latest user messages: 20,000 tokens, 4 bytes each by its count."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """The new window."""

    keep: list[ResponsesDraft] = field(default_factory=list)
    new: list[tuple[ResponsesItem, Span]] = field(default_factory=list)
    known: bool = True
    """False where the record does not say what stayed."""


def replacement(what: Compacted, span: Span, source: Source, drafts: Sequence[ResponsesDraft]) -> Replacement:
    """The window after the compaction that the record at `span` tells of, `drafts` being the messages before it."""
    if what.listed:
        return _listed(_items(source.read(span), span), drafts)
    if not what.message:
        return Replacement(known=False)
    summary = ResponsesItem(
        "message", "user", (Part("text", what.message),), kind="summary", key=f"summary:{span.offset}"
    )
    return Replacement(_by_rule(drafts), [(summary, span)])


def _items(data: bytes, span: Span) -> list[tuple[ResponsesItem, Span]]:
    """The listed items with the bytes that each stands at."""
    place = RecordPlace(data, span)
    listed: Member | None = Member(None, 0, len(data))
    for key in ("payload", "replacement_history"):
        listed = member(data, key, listed.start, listed.stop) if listed is not None else None
    found: list[tuple[ResponsesItem, Span]] = []
    for part in members(data, listed.start, listed.stop) if listed is not None else ():
        try:
            value = mapping(decode_value(data[part.start : part.stop]))
        except ValueError:
            continue  # only in a record that the reader had to mend
        where = place.span(part)
        item = read_item(value, str(where.offset))
        if item is not None:
            found.append((item, where))
    return found


def _listed(items: list[tuple[ResponsesItem, Span]], drafts: Sequence[ResponsesDraft]) -> Replacement:
    keys = {item.key for item, _ in items}
    ready: dict[str, list[int]] = defaultdict(list)
    for position, draft in enumerate(drafts):
        # A message of which only a piece is listed (its text, not its calls) did not stay as it was.
        if draft.keys and draft.keys <= keys:
            for key in draft.keys:
                ready[key].append(position)
    keep: set[int] = set()
    new: list[tuple[ResponsesItem, Span]] = []
    last = -1
    for item, span in items:
        places = ready.get(item.key, [])
        found = next((p for p in places if p > last), next((p for p in places if p not in keep), None))
        if found is None and not any(p in keep for p in places):
            new.append((_brought(item), span))
        elif found is not None:
            keep.add(found)
            last = max(found, last)
            places.remove(found)
    return Replacement([drafts[p] for p in sorted(keep)], new)


def _brought(item: ResponsesItem) -> ResponsesItem:
    """An item of the replacement that is no earlier message: nobody typed it here."""
    return replace(item, kind="summary" if item.kind == "summary" else "meta") if item.role == "user" else item


def _by_rule(drafts: Sequence[ResponsesDraft]) -> list[ResponsesDraft]:
    """Older versions keep what they injected at the start and the latest user messages, and list neither."""
    first = next((p for p, draft in enumerate(drafts) if draft.kind == "prompt"), len(drafts))
    keep = [draft for draft in drafts[:first] if draft.role in ("system", "developer", "user")]
    prompts: list[ResponsesDraft] = []
    left = _USER_BYTES
    for draft in reversed(drafts[first:]):
        if draft.role == "user" and draft.kind == "prompt" and left > 0:
            left -= sum(len(part.text.encode("utf-8", "surrogatepass")) for part in draft.parts)
            prompts.append(draft)
    return keep + prompts[::-1]
