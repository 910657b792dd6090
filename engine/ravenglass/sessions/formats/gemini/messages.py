"""From the writer's entries to messages: an assistant message and each result of its calls on their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ravenglass.sessions.formats.gemini.history import HistoryEntry, HistoryMark
from ravenglass.sessions.formats.gemini.records import GeminiDraft
from ravenglass.sessions.importing.content.gemini import GeminiResult
from ravenglass.sessions.model.session import Marker, Message, OtherRecord, Span, ToolCall


@dataclass(slots=True)
class Built:
    """What entries became."""

    messages: list[Message] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    other: list[OtherRecord] = field(default_factory=list)
    agents: dict[str, str] = field(default_factory=dict)
    """Sub-agent's id -> id of the call that started it."""


def build(items: Iterable[HistoryEntry | HistoryMark]) -> Built:
    """Messages with positions as ids, and markers. `items` are left as they are."""
    return _Builder().run(items)


class _Builder:
    def __init__(self) -> None:
        self.built = Built()
        self._of: dict[HistoryEntry, list[int]] = {}
        self._open: list[ToolCall] = []
        self._answered: set[str] = set()
        self._asked: set[str] = set()
        self._last: tuple[HistoryEntry, int] | None = None
        """The latest entry that is a message, and the id of its first message."""
        self._noted = False
        """Whether a note to the person stands behind it."""

    def run(self, items: Iterable[HistoryEntry | HistoryMark]) -> Built:
        for item in items:
            if isinstance(item, HistoryMark):
                self._mark(item)
            elif item.draft is None:
                self.built.other.append(OtherRecord(item.label, item.span))
                self._noted = True
            else:
                self._entry(item, item.draft)
        return self.built

    def _entry(self, entry: HistoryEntry, draft: GeminiDraft) -> None:
        ids = self._of.setdefault(entry, [])
        start = len(self.built.messages)
        holder = self._continued(draft)
        if holder is not None:
            known = self.built.messages[holder]
            joined = (*known.tool_calls, *draft.calls)
            self.built.messages[holder] = replace(known, tool_calls=joined, spans=(*known.spans, entry.span))
        elif draft.assistant:
            self.built.messages.append(_assistant(start, draft, entry.span, self._after_injected()))
        if draft.assistant:
            self._open = list(draft.calls)
            self._asked.update(call.id for call in draft.calls)
            self.built.agents.update(draft.agents)
        used = [self._result(draft, result, entry.span) for result in draft.results]
        if not draft.assistant and (draft.parts or not draft.results):
            # What stands beside results (a picture that was read) no person typed.
            kind = "meta" if draft.results else draft.kind
            place = len(self.built.messages)
            self.built.messages.append(
                Message(place, "user", draft.parts, kind, ts=draft.ts, source_id=draft.source_id, spans=(entry.span,))
            )
        elif not draft.assistant and not any(used):
            self.built.other.append(OtherRecord("tool results repeated", entry.span))
        ids.extend(range(start, len(self.built.messages)))
        if holder is not None:
            ids.insert(0, holder)
        if ids:
            self._last, self._noted = (entry, ids[0]), False

    def _continued(self, draft: GeminiDraft) -> int | None:
        """The message whose calls these are: where a note to the person came between, the writer begins a new
        record for the calls of the response before the note."""
        if self._last is None or not self._noted or not draft.only_calls:
            return None
        entry, holder = self._last
        before = entry.draft
        return holder if before is not None and before.assistant and not before.calls else None

    def _after_injected(self) -> bool:
        if self._last is None:
            return False
        message = self.built.messages[self._last[1]]
        return message.role == "user" and message.kind in ("summary", "meta")

    def _result(self, draft: GeminiDraft, result: GeminiResult, span: Span) -> bool:
        """Add a result; False where it only repeats what is there."""
        call_id = result.call_id
        if call_id is None:
            named = [call for call in self._open if result.name in (None, call.name) and call.id not in self._answered]
            call_id = named[0].id if named else None
        if not draft.assistant and call_id is not None and call_id in self._answered and call_id in self._asked:
            return False
        if call_id is not None:
            self._answered.add(call_id)
        ts = result.ts if result.ts is not None else draft.ts
        self.built.messages.append(
            Message(
                len(self.built.messages), "tool", result.parts, tool_call_id=call_id, tool_name=result.name,
                is_error=result.is_error, ts=ts, source_id=draft.source_id, spans=(span,),
            )
        )  # fmt: skip
        return True

    def _mark(self, mark: HistoryMark) -> None:
        keep = None if mark.keep is None else self._ids(mark.keep)
        cleared = tuple(
            message
            for entry, call_id in mark.cleared
            for message in self._of.get(entry, ())
            if self.built.messages[message].tool_call_id == call_id
        )
        if mark.kind != "clearing" or cleared:
            self.built.markers.append(
                Marker(mark.kind, len(self.built.messages), mark.note, keep, cleared=tuple(sorted(cleared)))
            )

    def _ids(self, entries: Sequence[HistoryEntry]) -> tuple[int, ...]:
        return tuple(sorted({message for entry in entries for message in self._of.get(entry, ())}))


def _assistant(place: int, draft: GeminiDraft, span: Span, after_injected: bool) -> Message:
    # The writer answers its own summary and its own introduction with a sentence of its own.
    own = after_injected and draft.usage is None and draft.model is None and not draft.calls
    return Message(
        place, "assistant", (*draft.thoughts, *draft.parts), tool_calls=draft.calls, ts=draft.ts, model=draft.model,
        usage=draft.usage, source_id=draft.source_id, spans=(span,),
        flags=frozenset({"synthetic"}) if own else frozenset(),
    )  # fmt: skip
