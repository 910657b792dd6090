"""opencode's stored messages as Messages and Markers, in the way opencode itself makes requests of them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from ravenglass.sessions.formats.opencode.steps import (
    OpencodeStep,
    StepResult,
    call_id,
    calls_of,
    child_of,
    file_parts,
    is_summary,
    is_whole,
    result_of,
    said,
    steps_of,
)
from ravenglass.sessions.formats.opencode.stored import Piece, StoredMessage
from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.model.session import Kind, Marker, Message, OtherRecord, Part, Span
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import mapping, text, text_or_none

_ASKED = "What did we do so far?"
"""The text that opencode sends for a compaction part."""
_RAN = "The following tool was executed by the user"
"""The text that opencode sends for a subtask part."""
_AS_TEXT = frozenset({"text/plain", "application/x-directory"})
"""Files whose content opencode puts into a synthetic text part beside them, and sends only that."""
_ABORTED = "MessageAbortedError"


@dataclass(slots=True)
class OpencodeThread:
    """Takes stored messages in order; everything it does not make a message of is in `other`."""

    messages: list[Message] = field(default_factory=list)
    other: list[OtherRecord] = field(default_factory=list)
    started: dict[str, str] = field(default_factory=dict)
    """Session of a sub-agent -> id of the call that started it."""
    _times: list[float | None] = field(default_factory=list)
    """When the stored message of each message was made."""
    _first: dict[str, int] = field(default_factory=dict)
    """Stored message -> its first message."""
    _asked: dict[str, Piece] = field(default_factory=dict)
    """Stored user messages that ask for a compaction, with that part."""
    _compactions: list[Marker] = field(default_factory=list)
    _cleared: list[tuple[float, int]] = field(default_factory=list)

    def add(self, message: StoredMessage) -> None:
        """Take in the next message."""
        self._first[message.id] = len(self.messages)
        if message.role == "user":
            self._user(message)
        elif message.role == "assistant":
            self._assistant(message)
            if is_summary(message, tuple(self._asked)) and is_whole(message):
                self._compacted(message)
        else:
            self._aside(f"message of role {message.role or 'unknown'}", message.spans)
            self._all_aside(message.parts)

    def markers(self) -> tuple[Marker, ...]:
        """Compactions and cleared results, in the order they took effect."""
        at: dict[int, list[int]] = {}
        reached = list(accumulate((moment or 0.0 for moment in self._times), max))
        for moment, result in self._cleared:
            at.setdefault(bisect_right(reached, moment, result + 1), []).append(result)
        clearings = [
            Marker("clearing", before, "old tool results were cleared", keep=None, cleared=tuple(sorted(results)))
            for before, results in at.items()
        ]
        return tuple(sorted([*self._compactions, *clearings], key=lambda marker: marker.before))

    def _user(self, message: StoredMessage) -> None:
        parts: list[Part] = []
        spans: list[Span] = []
        kinds: set[Kind] = set()
        for piece in message.parts:
            kind, found = self._of_user(message, piece)
            if found:
                parts += found
                spans.append(piece.span)
                kinds.add(kind)
            else:
                self._aside(_label(piece), (piece.span,))
        if not parts:
            # Without parts, opencode's own title or body is all that is left of what was typed.
            about = mapping(message.info.get("summary"))
            parts += parts_of(text(about.get("body")) or text(about.get("title")))
            kinds.add("prompt")
        if not parts:
            self._aside("user message without content", message.spans)
            return
        order: tuple[Kind, ...] = ("summary", "prompt", "command", "meta")
        self._append(
            message,
            Message(
                len(self.messages),
                "user",
                tuple(parts),
                kind=next(kind for kind in order if kind in kinds),
                ts=message.time,
                source_id=message.id,
                spans=(*message.spans, *spans),
            ),
        )

    def _of_user(self, message: StoredMessage, piece: Piece) -> tuple[Kind, tuple[Part, ...]]:
        value = piece.value
        if piece.kind == "text" and value.get("ignored") is not True:
            return "meta" if value.get("synthetic") is True else "prompt", parts_of(text(value.get("text")))
        if piece.kind == "file" and text(value.get("mime")) not in _AS_TEXT:
            return "prompt", file_parts(value)
        if piece.kind == "compaction":
            self._asked[message.id] = piece
            return "summary", (Part("text", _ASKED),)
        if piece.kind == "subtask":
            return "command", (Part("text", _RAN),)
        return "meta", ()

    def _assistant(self, message: StoredMessage) -> None:
        steps, aside = steps_of(message)
        self._all_aside(aside)
        model = text_or_none(message.info.get("modelID")) or text_or_none(
            mapping(message.info.get("model")).get("modelID")
        )
        failed = mapping(message.info.get("error"))
        for number, step in enumerate(steps):
            error = failed if number == len(steps) - 1 else {}
            parts, calls, flags = said(step), calls_of(step), _flags(error, empty=not step.content)
            if not parts and not calls:
                if not error and step.usage is None:
                    own = message.spans if len(steps) == 1 else ()
                    self._aside("assistant message without content", (*own, *_spans(step)))
                    continue
                parts = (Part("other", _error_text(error)),) if error else ()
            self._append(
                message,
                Message(
                    len(self.messages),
                    "assistant",
                    parts,
                    tool_calls=calls,
                    ts=_begun(step) if number else message.time,
                    model=model,
                    usage=step.usage,
                    source_id=message.id,
                    spans=(*message.spans, *_spans(step)),
                    flags=flags,
                ),
            )
            for piece in step.tools:
                self._answer(message, piece)

    def _answer(self, message: StoredMessage, piece: Piece) -> None:
        if child := child_of(piece):
            self.started.setdefault(child, call_id(piece))
        result = result_of(piece)
        if result is None:
            return
        if result.cleared is not None:
            self._cleared.append((result.cleared, len(self.messages)))
        self._append(message, _result_message(len(self.messages), piece, result))

    def _compacted(self, message: StoredMessage) -> None:
        """The window restarts: the request to sum up and the summary stay, and the tail if one is named."""
        asked = self._asked.get(text(message.info.get("parentID")))
        begin = self._first[text(message.info.get("parentID")) if asked else message.id]
        tail = text(asked.value.get("tail_start_id")) if asked else ""
        first = self._first.get(tail, begin)
        how = "automatically" if asked and asked.value.get("auto") is True else "on request"
        note = f"compacted {how}" if asked else "compacted"
        if tail:
            found = tail in self._first
            note += f", with the messages from {tail} on" if found else f"; its tail ({tail}) is not in the record"
        keep = tuple(range(min(first, begin), len(self.messages)))
        self._compactions.append(Marker("compaction", len(self.messages), note, keep))

    def _append(self, message: StoredMessage, made: Message) -> None:
        self.messages.append(made)
        self._times.append(message.time)

    def _all_aside(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            self._aside(_label(piece), (piece.span,))

    def _aside(self, label: str, spans: tuple[Span, ...]) -> None:
        self.other.extend(OtherRecord(label, span) for span in spans)


def _result_message(number: int, piece: Piece, result: StepResult) -> Message:
    return Message(
        number,
        "tool",
        result.parts,
        tool_call_id=call_id(piece),
        tool_name=text_or_none(piece.value.get("tool")),
        is_error=result.is_error,
        ts=result.ts,
        source_id=piece.id,
        spans=(piece.span,),
    )


def _spans(step: OpencodeStep) -> list[Span]:
    return sorted((piece.span for piece in (*step.content, *step.bounds)), key=lambda span: span.offset)


def _begun(step: OpencodeStep) -> float | None:
    """When a later call of a message began: the earliest time among its parts."""
    found = [_part_time(piece.value) for piece in step.content]
    return min((moment for moment in found if moment is not None), default=None)


def _part_time(value: dict[str, Any]) -> float | None:
    times = mapping(value.get("time")) or mapping(mapping(value.get("state")).get("time"))
    return seconds(times.get("start"))


def _flags(error: dict[str, Any], *, empty: bool) -> frozenset[str]:
    """An aborted call that said something is a call; one that failed, or said nothing, gave the model no answer."""
    if not error:
        return frozenset()
    if error.get("name") != _ABORTED:
        return frozenset({"api_error"})
    return frozenset({"interrupted", "api_error"} if empty else {"interrupted"})


def _error_text(error: dict[str, Any]) -> str:
    words = text(mapping(error.get("data")).get("message"))
    return f"[{text(error.get('name')) or 'error'}{f': {words}' if words else ''}]"


def _label(piece: Piece) -> str:
    if piece.value.get("ignored") is True:
        return f"{piece.kind} part, not sent"
    return f"{piece.kind} part" if piece.kind else "part of no type"
