"""One message of pi or OpenClaw as the model sees it (formats.md, section 10)."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.importing.chat.messages import injected_kind
from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.model.session import Kind, Message, Part, ToolCall, Usage
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, dump, mapping, text, text_or_none

_CUT = frozenset({"aborted", "error"})
_SUMMARY = (
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n{}\n</summary>"
)
_BRANCH = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n{}</summary>"


def message_of(value: object, entry_id: str | None, ts: float | None, number: int) -> Message | None:
    """The message, without position and place; None where the record is none, or is kept from the model.

    `number` makes ids for calls that have none, `ts` is when the entry was written.
    """
    fields = mapping(value)
    role = text(fields.get("role"))
    ts = ts if ts is not None else seconds(fields.get("timestamp"))
    if role == "user":
        parts = _parts(fields.get("content"))
        return Message(0, "user", parts, injected_kind(parts), ts=ts, source_id=entry_id)
    if role == "assistant":
        return _assistant(fields, entry_id, ts, number)
    if role == "toolResult":
        return Message(
            0, "tool", _parts(fields.get("content")), tool_call_id=text_or_none(fields.get("toolCallId")),
            tool_name=text_or_none(fields.get("toolName")), is_error=fields.get("isError") is True, ts=ts,
            source_id=entry_id,
        )  # fmt: skip
    if role in ("system", "developer"):
        return Message(
            0, "system" if role == "system" else "developer", _parts(fields.get("content")), ts=ts, source_id=entry_id
        )
    if role == "bashExecution":
        return None if fields.get("excludeFromContext") is True else said(_shell(fields), "command", entry_id, ts)
    if role in ("custom", "hookMessage"):
        return Message(0, "user", _parts(fields.get("content")), "meta", ts=ts, source_id=entry_id)
    if role in ("compactionSummary", "branchSummary"):
        return summary_of(fields.get("summary"), entry_id, ts, branch=role == "branchSummary")
    return None


def custom_of(fields: dict[str, Any], entry_id: str | None, ts: float | None) -> Message:
    """What an extension put into the conversation."""
    return Message(0, "user", _parts(fields.get("content")), "meta", ts=ts, source_id=entry_id)


def summary_of(summary: object, entry_id: str | None, ts: float | None, *, branch: bool) -> Message | None:
    """A summary in the words that the writer wraps it in; None where there is none."""
    words = text(summary)
    return said((_BRANCH if branch else _SUMMARY).format(words), "summary", entry_id, ts) if words else None


def said(words: str, kind: Kind, entry_id: str | None, ts: float | None) -> Message:
    """A user message that no person typed."""
    return Message(0, "user", (Part("text", words),), kind, ts=ts, source_id=entry_id)


def _assistant(fields: dict[str, Any], entry_id: str | None, ts: float | None, number: int) -> Message:
    parts: list[Part] = []
    calls: list[ToolCall] = []
    content = fields.get("content")
    for block in content if isinstance(content, list) else [content]:
        call = mapping(block)
        if call.get("type") == "toolCall":
            calls.append(_call(call, f"call-{number}-{len(calls)}"))
        else:
            parts.extend(_parts(block))
    usage = _usage(fields.get("usage"))
    return Message(
        0, "assistant", tuple(parts), tool_calls=tuple(calls), ts=ts, model=text_or_none(fields.get("model")),
        usage=usage, source_id=entry_id, flags=_flags(fields, heard=usage is not None or bool(parts) or bool(calls)),
    )  # fmt: skip


def _flags(fields: dict[str, Any], *, heard: bool) -> frozenset[str]:
    """What a cut response is. Where the model was not heard at all, it is no call: the writer's note of a failure."""
    reason = text(fields.get("stopReason"))
    if reason not in _CUT:
        return frozenset()
    if heard:
        return frozenset({"interrupted"})
    return frozenset({"interrupted", "synthetic"} if reason == "aborted" else {"api_error"})


def _call(value: dict[str, Any], name: str) -> ToolCall:
    given = value.get("arguments", value.get("partialJson"))
    arguments = given if isinstance(given, str) else "" if given is None else dump(given)
    return ToolCall(text_or_none(value.get("id")) or name, text(value.get("name")), arguments)


def _usage(value: object) -> Usage | None:
    """`input` is what was neither read from nor written to the cache. All zeros: the provider told nothing."""
    usage = mapping(value)
    sent = [count(usage.get(key)) for key in ("input", "cacheRead", "cacheWrite")]
    output = count(usage.get("output"))
    if not any(sent) and not output:
        return None
    context = sum(figure or 0 for figure in sent) if any(figure is not None for figure in sent) else None
    return Usage(context, output, sent[1], sent[2])


def _parts(content: object) -> tuple[Part, ...]:
    return parts_of([_block(item) for item in content] if isinstance(content, list) else _block(content))


def _block(item: object) -> object:
    """Pictures in the form that the other writers use."""
    block = mapping(item)
    if block.get("type") != "image" or "data" not in block:
        return item
    return {"type": "image", "source": {"media_type": block.get("mimeType"), "data": block.get("data")}}


def _shell(fields: dict[str, Any]) -> str:
    """A command that the person ran, as the model reads it."""
    output, code = text(fields.get("output")), count(fields.get("exitCode"))
    words = f"Ran `{text(fields.get('command'))}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    if fields.get("cancelled") is True:
        words += "\n\n(command cancelled)"
    elif code:
        words += f"\n\nCommand exited with code {code}"
    if fields.get("truncated") is True and (full := text(fields.get("fullOutputPath"))):
        words += f"\n\n[Output truncated. Full output: {full}]"
    return words
