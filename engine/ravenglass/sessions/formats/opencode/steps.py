"""An opencode assistant message as the API calls it was made of.

One message may hold several calls: opencode opens each with a `step-start` part and closes it with a `step-finish`
that reports its usage. So a call is what stands from one step-start to the next; a message without any is one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ravenglass.sessions.formats.opencode.stored import Piece, StoredMessage
from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.model.session import Part, ToolCall, Usage
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, dump, mapping, sequence, text

_CONTENT = frozenset({"text", "reasoning", "tool"})
"""What opencode sends of an assistant message; everything else is for its own display."""
_OPEN = frozenset({"pending", "running"})


@dataclass(slots=True)
class OpencodeStep:
    """One API call: what it said, and where it began and ended."""

    content: list[Piece] = field(default_factory=list)
    bounds: list[Piece] = field(default_factory=list)
    """step-start and step-finish."""
    usage: Usage | None = None

    @property
    def tools(self) -> list[Piece]:
        return [piece for piece in self.content if piece.kind == "tool"]


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a tool gave back, of the part that also holds the call."""

    parts: tuple[Part, ...]
    is_error: bool
    ts: float | None
    cleared: float | None
    """When its text was taken out of the window, seconds; None if it was not."""


def steps_of(message: StoredMessage) -> tuple[list[OpencodeStep], list[Piece]]:
    """The message's calls in order, and the parts that were never sent to a model."""
    steps = [OpencodeStep()]
    aside: list[Piece] = []
    closed = False
    for part in message.parts:
        if part.kind == "step-start":
            if steps[-1].bounds:
                steps.append(OpencodeStep())
            steps[-1].bounds.append(part)
            closed = False
        elif part.kind == "step-finish":
            steps[-1].bounds.append(part)
            steps[-1].usage = usage_of(part.value.get("tokens"))
            closed = True
        elif part.kind in _CONTENT and part.value.get("ignored") is not True:
            if closed and part.kind != "tool":
                # Said after the end of a call without a new beginning: a call whose step-start is lost.
                steps.append(OpencodeStep())
                closed = False
            steps[-1].content.append(part)
        else:
            aside.append(part)
    if steps[-1].usage is None:
        # The message repeats what its last finished call reported, and holds it alone where no step is recorded.
        own = usage_of(message.info.get("tokens"))
        steps[-1].usage = own if len(steps) == 1 or own != steps[-2].usage else None
    return steps, aside


def usage_of(value: object) -> Usage | None:
    """Usage of one call. opencode's `input` excludes what the cache gave and took; all zero is not reported."""
    tokens = mapping(value)
    cache = mapping(tokens.get("cache"))
    given, read, write = (count(item) for item in (tokens.get("input"), cache.get("read"), cache.get("write")))
    output, reasoning = count(tokens.get("output")), count(tokens.get("reasoning")) or 0
    if not any((given, read, write, output, reasoning)):
        return None
    context = None if given is None and not read and not write else (given or 0) + (read or 0) + (write or 0)
    # Writers of 2026 count reasoning beside the output, earlier ones inside; only the total tells.
    if output is not None and reasoning and count(tokens.get("total")) == (context or 0) + output + reasoning:
        output += reasoning
    return Usage(context, output, read, write)


def said(step: OpencodeStep) -> tuple[Part, ...]:
    """Text and reasoning of a call."""
    return tuple(part for piece in step.content if piece.kind != "tool" for part in _said(piece.value))


def _said(value: dict[str, Any]) -> tuple[Part, ...]:
    words = text(value.get("text"))
    if not words:
        return ()
    return parts_of({"type": "reasoning" if value.get("type") == "reasoning" else "text", "text": words})


def calls_of(step: OpencodeStep) -> tuple[ToolCall, ...]:
    """Tool calls of a call; one that was never filled has its raw text as arguments."""
    return tuple(_call(piece) for piece in step.tools)


def _call(piece: Piece) -> ToolCall:
    state = mapping(piece.value.get("state"))
    given, raw = state.get("input"), text(state.get("raw"))
    arguments = raw if raw and not given else given if isinstance(given, str) else "" if given is None else dump(given)
    return ToolCall(call_id(piece), text(piece.value.get("tool")), arguments)


def call_id(piece: Piece) -> str:
    return text(piece.value.get("callID")) or piece.id


def child_of(piece: Piece) -> str:
    """Id of the session that a task call started; empty for other calls."""
    state = mapping(piece.value.get("state"))
    for about in (mapping(state.get("metadata")), mapping(piece.value.get("metadata"))):
        if found := text(about.get("sessionId")) or text(about.get("sessionID")):
            return found
    return ""


def result_of(piece: Piece) -> StepResult | None:
    """The answer that the part holds; None while the call is pending or running (or was when all ended)."""
    state = mapping(piece.value.get("state"))
    status = text(state.get("status"))
    if status in _OPEN or not status:
        return None
    times, about = mapping(state.get("time")), mapping(state.get("metadata"))
    ts = seconds(times.get("end")) or seconds(times.get("start"))
    if status == "error":
        # A call that was interrupted may have got as far as an output; that is what was sent then.
        partial = about.get("output") if about.get("interrupted") is True else None
        words = partial if isinstance(partial, str) else state.get("error", state.get("output"))
        return StepResult(parts_of(words), True, ts, None)
    attached = tuple(part for item in sequence(state.get("attachments")) for part in file_parts(mapping(item)))
    return StepResult(parts_of(state.get("output")) + attached, False, ts, seconds(times.get("compacted")))


def file_parts(value: dict[str, Any]) -> tuple[Part, ...]:
    """A file part as a description of an image or a document."""
    url, name, mime = text(value.get("url")), text(value.get("filename")), text(value.get("mime"))
    place = url if url.startswith("data:") else name or url
    if mime.startswith("image/"):
        return parts_of({"type": "image_url", "image_url": place})
    return parts_of({"type": "file", "file": {"file_id": place}})


def is_summary(message: StoredMessage, asked: Sequence[str]) -> bool:
    """Whether the message is the answer to a compaction; `asked` are the ids of messages that ask for one."""
    if message.info.get("summary") is True:
        return True
    return "compaction" in (message.info.get("mode"), message.info.get("agent")) and (
        text(message.info.get("parentID")) in asked
    )


def is_whole(message: StoredMessage) -> bool:
    """Whether the message was answered to its end and without an error."""
    done = message.info.get("finish") or mapping(message.info.get("time")).get("completed")
    return bool(done) and not message.info.get("error")
