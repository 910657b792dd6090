"""One record of a Claude Code transcript with names instead of JSON keys. No decision is taken here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ravenglass.sessions.formats.claude.attachments import attached
from ravenglass.sessions.formats.claude.boundaries import Boundary, boundary_of
from ravenglass.sessions.importing.lifetimes import cache_written, written_for_an_hour
from ravenglass.sessions.model.session import Kind, Part, Span, Usage
from ravenglass.sessions.records.decode import Record
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, listed, mapping, text, text_or_none

_ABOUT = frozenset({"id", "role", "model", "usage", "type", "stop_reason", "stop_sequence"})
"""Fields of a message body that are no content."""


@dataclass(frozen=True, slots=True)
class ApiMessage:
    """The `message` of a user or assistant record."""

    role: Literal["user", "assistant"]
    id: str | None
    model: str | None
    content: object
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class ClaudeLine:
    """What importing needs of a record; `message` is None for every record that is no message."""

    span: Span
    type: str
    label: str
    """Type and subtype, the label of an `OtherRecord`."""
    message: ApiMessage | None
    uuid: str | None
    parent: str | None
    session: str | None
    agent: str | None
    sidechain: bool
    meta: bool
    summary: bool
    """A compaction summary that the harness wrote."""
    api_error: bool
    origin: str
    ts: float | None
    cwd: str
    spawned: str | None
    """Id of the sub-agent whose result this user record brings."""
    workflow: str | None = None
    """Id of the workflow run that this result says was started."""
    attached: tuple[tuple[Part, ...], Kind] | None = None
    """What an attachment put into the window."""
    boundary: Boundary | None = None
    """What the writer did to its window here."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A message of a sub-agent that a progress record of the parent embeds."""

    line: ClaudeLine
    agent: str
    call: str | None


def claude_line(record: Record) -> ClaudeLine:
    """Name what the record holds; a record that is no object has only its label."""
    value = mapping(record.value)
    kind = text(value.get("type"))
    return _line(value, record.span, kind)


def progress_message(record: Record, line: ClaudeLine) -> Progress | None:
    """The sub-agent message inside an `agent_progress` record, if there is one."""
    if line.type != "progress":
        return None
    value = mapping(record.value)
    data = mapping(value.get("data"))
    agent, inner = text_or_none(data.get("agentId")), mapping(data.get("message"))
    if data.get("type") != "agent_progress" or agent is None or not inner:
        return None
    named = {"sessionId": value.get("sessionId"), "cwd": value.get("cwd"), **inner}
    child = _line(named, record.span, text(inner.get("type")))
    return Progress(child, agent, text_or_none(value.get("parentToolUseID")))


def _line(value: dict[str, Any], span: Span, kind: str) -> ClaudeLine:
    result = mapping(value.get("toolUseResult"))
    return ClaudeLine(
        span=span,
        type=kind,
        label=_label(value, kind),
        message=_message(value, kind),
        uuid=text_or_none(value.get("uuid")),
        parent=text_or_none(value.get("parentUuid")) or text_or_none(value.get("logicalParentUuid")),
        session=text_or_none(value.get("sessionId")),
        agent=text_or_none(value.get("agentId")),
        sidechain=value.get("isSidechain") is True,
        meta=value.get("isMeta") is True,
        summary=value.get("isCompactSummary") is True,
        api_error=value.get("isApiErrorMessage") is True,
        origin=text(mapping(value.get("origin")).get("kind")),
        ts=seconds(value.get("timestamp")),
        cwd=text(value.get("cwd")),
        spawned=text_or_none(result.get("agentId")),
        workflow=text_or_none(result.get("runId")),
        attached=attached(value.get("attachment")) if kind == "attachment" else None,
        boundary=boundary_of(value) if kind == "system" else None,
    )


def _label(value: dict[str, Any], kind: str) -> str:
    inner = {"system": value.get("subtype"), "progress": mapping(value.get("data")).get("type")}
    inner["attachment"] = mapping(value.get("attachment")).get("type")
    detail = text(inner.get(kind))
    return f"{kind}/{detail}" if detail else kind or "record without a type"


def _message(value: dict[str, Any], kind: str) -> ApiMessage | None:
    if kind not in ("user", "assistant") or not isinstance(value.get("message"), dict):
        return None
    body = value["message"]
    role = body.get("role") if body.get("role") in ("user", "assistant") else kind
    return ApiMessage(
        role="assistant" if role == "assistant" else "user",
        id=text_or_none(body.get("id")),
        model=text_or_none(body.get("model")),
        content=_content(body),
        usage=_usage(mapping(body.get("usage"))),
    )


def _content(body: dict[str, Any]) -> object:
    """The content; of a body without one what it says elsewhere, as a block of a kind that nothing knows."""
    if "content" in body:
        return body["content"]
    rest = {key: value for key, value in body.items() if key not in _ABOUT}
    return {"type": "message without content", "message": rest} if rest else None


def _usage(usage: dict[str, Any]) -> Usage | None:
    fresh = count(usage.get("input_tokens"))
    read, write = count(usage.get("cache_read_input_tokens")), cache_written(usage)
    output = count(usage.get("output_tokens"))
    if fresh is None and output is None and read is None and write is None:
        return None
    context = None if fresh is None else fresh + (read or 0) + (write or 0)
    return Usage(context, output, read, write, written_for_an_hour(usage))


def tool_results(content: object) -> list[dict[str, Any]]:
    """The tool_result blocks of a user message's content."""
    return [block for block in listed(content) if mapping(block).get("type") == "tool_result"]
