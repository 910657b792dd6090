"""One recorded message of Gemini CLI as a draft: an assistant's draft brings the results of its calls with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ravenglass.sessions.importing.chat.messages import injected_kind
from ravenglass.sessions.importing.content.gemini import Content, GeminiResult, arguments_of, content_of, result_parts
from ravenglass.sessions.model.session import Kind, Part, ToolCall, Usage
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, mapping, sequence, text, text_or_none

USER = frozenset({"user"})
ASSISTANT = frozenset({"gemini", "model", "assistant"})
"""`gemini` in recordings; `model` in the history that the writer sends."""
NOTES = frozenset({"info", "error", "warning"})
"""What the writer shows to the person and not to the model."""

_PARTS = frozenset({"text", "functionCall", "functionResponse", "inlineData", "fileData"})
_FAILED = frozenset({"error", "cancelled"})
_COMMAND = re.compile(r"[/?][A-Za-z][\w:.-]*(\s|$)")
"""What begins like this the writer runs itself; it takes such messages out when it resumes a session."""
_META = ("System: Please continue.", "This is the Gemini CLI. We are setting up the context for our chat.")
_SHELL = "I ran the following shell command:"
_SNAPSHOT = ("<state_snapshot>", "<compressed_history>")


@dataclass(frozen=True, slots=True)
class GeminiDraft:
    """One message of the writer. `results` answer `calls`, or calls of an earlier draft."""

    assistant: bool
    parts: tuple[Part, ...]
    thoughts: tuple[Part, ...] = ()
    kind: Kind = "ordinary"
    calls: tuple[ToolCall, ...] = ()
    results: tuple[GeminiResult, ...] = ()
    agents: tuple[tuple[str, str], ...] = ()
    """Sub-agent's id, id of the call that started it."""
    ts: float | None = None
    model: str | None = None
    usage: Usage | None = None
    source_id: str | None = None
    sent: bool = True
    """False for a command that the writer runs itself and keeps from the model."""

    @property
    def only_calls(self) -> bool:
        """Whether it holds nothing but tool calls: the writer began a new message for the calls of the last one."""
        return self.assistant and bool(self.calls) and not self.parts and not self.thoughts and self.usage is None

    def fingerprint(self) -> object:
        """Equal for two records of one message under different ids."""
        calls = tuple((call.name, call.arguments) for call in self.calls)
        return self.assistant, self.parts, calls, tuple(result.call_id for result in self.results)


def type_of(value: object) -> str:
    """The record's type, or its role where it has the form of Gemini's own history."""
    fields = mapping(value)
    return text(fields.get("type")) or text(fields.get("role"))


def is_item(value: object) -> bool:
    """Whether the value looks like a message of this writer."""
    fields = mapping(value)
    if "message" in fields or not {"content", "parts", "toolCalls"} & fields.keys():
        return False
    kind = text(fields.get("type"))
    return (isinstance(fields.get("id"), str) and kind in USER | ASSISTANT | NOTES) or is_turn(value)


def is_turn(value: object) -> bool:
    """Whether the value is a message in the form of Gemini's API; other writers' parts have a type."""
    fields = mapping(value)
    parts = [mapping(part) for part in sequence(fields.get("parts"))]
    return text(fields.get("role")) in USER | ASSISTANT and any(
        _PARTS & part.keys() and "type" not in part for part in parts
    )


def draft_of(value: object, name: str) -> GeminiDraft | None:
    """The message, or None where the record is none. `name` makes ids for calls that have none."""
    fields, kind = mapping(value), type_of(value)
    if kind not in USER | ASSISTANT:
        return None
    content = content_of(fields["content"] if "content" in fields else fields.get("parts"))
    ts = seconds(fields.get("timestamp", fields.get("ts")))
    source_id = text_or_none(fields.get("id"))
    if kind in USER:
        parts = tuple(content.parts)
        own = _COMMAND.match(_words(parts)) is not None
        kind = "command" if own else _kind(parts)
        return GeminiDraft(
            False, parts, kind=kind, results=tuple(content.results), ts=ts, source_id=source_id, sent=not own
        )
    return _assistant(fields, content, name, ts, source_id)


def _assistant(
    fields: dict[str, Any], content: Content, name: str, ts: float | None, source_id: str | None
) -> GeminiDraft:
    calls, results, agents = _tools(fields, name)
    known = {call.id for call in calls}
    for number, call in enumerate(content.calls):
        if call.id not in known:
            calls.append(call if call.id else ToolCall(f"call-{name}-content-{number}", call.name, call.arguments))
    return GeminiDraft(
        assistant=True,
        parts=tuple(content.parts),
        thoughts=(*_thoughts(fields), *content.thoughts),
        calls=tuple(calls),
        results=tuple(results + content.results),
        agents=tuple(agents),
        ts=ts,
        model=text_or_none(fields.get("model")),
        usage=_usage(fields.get("tokens")),
        source_id=source_id,
    )


def _tools(fields: dict[str, Any], name: str) -> tuple[list[ToolCall], list[GeminiResult], list[tuple[str, str]]]:
    """The calls, the results there are, and the sub-agents that the calls started.

    What the writer shows of a call (`description`, `resultDisplay`) the model does not see.
    """
    calls: list[ToolCall] = []
    results: list[GeminiResult] = []
    agents: list[tuple[str, str]] = []
    for number, entry in enumerate(sequence(fields.get("toolCalls"))):
        call = mapping(entry)
        call_id = text_or_none(call.get("id")) or f"call-{name}-{number}"
        calls.append(ToolCall(call_id, text(call.get("name")), arguments_of(call.get("args"))))
        if (agent := text_or_none(call.get("agentId"))) is not None:
            agents.append((agent, call_id))
        if call.get("result") is not None:
            parts, failed = result_parts(call["result"], call_id)
            failed = failed or text(call.get("status")) in _FAILED
            results.append(GeminiResult(call_id, None, parts, failed, seconds(call.get("timestamp"))))
    return calls, results, agents


def _thoughts(fields: dict[str, Any]) -> tuple[Part, ...]:
    found = []
    for entry in sequence(fields.get("thoughts")):
        thought = mapping(entry)
        words = [text(thought.get("subject")), text(thought.get("description"))]
        said = "\n".join(word for word in words if word.strip()) or text(entry)
        if said:
            found.append(Part("thinking", said))
    return tuple(found)


def _usage(value: object) -> Usage | None:
    """`input` holds the cached tokens already; thoughts are output, and the tools' own prompt is sent as well.

    Zeros throughout mean that the writer never got the figures.
    """
    tokens = mapping(value)
    sent, out = count(tokens.get("input")), count(tokens.get("output"))
    tool, thoughts = count(tokens.get("tool")), count(tokens.get("thoughts"))
    if not any((sent, out, tool, thoughts)):
        return None
    return Usage(
        context=None if sent is None else sent + (tool or 0),
        output=None if out is None else out + (thoughts or 0),
        cache_read=count(tokens.get("cached")),
    )


def _words(parts: tuple[Part, ...]) -> str:
    return "\n".join(part.text for part in parts if part.kind == "text").strip()


def _kind(parts: tuple[Part, ...]) -> Kind:
    words = _words(parts)
    if words.startswith(_SNAPSHOT):
        return "summary"
    if words.startswith(_SHELL):
        return "command"
    return "meta" if words.startswith(_META) else injected_kind(parts)
