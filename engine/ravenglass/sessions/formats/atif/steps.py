"""One step of an ATIF trajectory as Messages: what was said, and every result of its observation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.importing.content.user_kinds import user_kind
from ravenglass.sessions.importing.located import Located
from ravenglass.sessions.model.session import Message, OtherRecord, Part, Role, Span, ToolCall, Usage
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, dump, kind_of, mapping, sequence, text, text_or_none

_ROLES: dict[str, Role] = {"system": "system", "user": "user", "agent": "assistant"}


@dataclass(slots=True)
class Steps:
    """The messages of one trajectory, step by step."""

    model: str | None = None
    """What steps without a model name ran on."""
    messages: list[Message] = field(default_factory=list)
    other: list[OtherRecord] = field(default_factory=list)
    started: dict[str, str] = field(default_factory=dict)
    """Sub-agent's trajectory id, path or session id -> id of the tool call whose result refers to it."""
    files: list[str] = field(default_factory=list)
    """Paths of sub-agents' files that results refer to, as written."""

    def take(self, step: Located) -> None:
        """A step; what has no known source is kept as another record."""
        value = step.object
        role = _ROLES.get(text(value.get("source")))
        if role is None:
            self.other.append(OtherRecord(f"step/{text(value.get('source')) or kind_of(step.value)}", step.span))
            return
        message = self._said(value, role, step.span)
        observation = step.get("observation")
        results = observation.elements("results") if observation is not None else []
        # A step of the system that only reports an event has no words of its own.
        if message.parts or message.tool_calls or role != "system" or not results:
            self.messages.append(message)
        calls = [call.id for call in message.tool_calls]
        for number, result in enumerate(results):
            in_order = calls[number] if len(calls) == len(results) else None
            self._result(result, in_order, message.ts)

    def _said(self, value: dict[str, Any], role: Role, span: Span) -> Message:
        agent = role == "assistant"
        calls = [mapping(call) for call in sequence(value.get("tool_calls"))] if agent else []
        position = len(self.messages)
        parts = tuple(_thinking(value)) + _content(value.get("message"))
        flags = _flags(value) if agent else frozenset[str]()
        return Message(
            id=position,
            role=role,
            parts=parts,
            kind=user_kind(parts, meta=False, summary=False, origin="")[0] if role == "user" else "ordinary",
            tool_calls=tuple(_call(call, f"call-{position}-{number}") for number, call in enumerate(calls)),
            ts=seconds(value.get("timestamp")),
            model=(text_or_none(value.get("model_name")) or self.model) if agent and not flags else None,
            usage=_usage(mapping(value.get("metrics"))) if agent else None,
            spans=(span,),
            flags=flags,
        )

    def _result(self, result: Located, in_order: str | None, ts: float | None) -> None:
        value = result.object
        call = text_or_none(value.get("source_call_id")) or in_order
        for reference in sequence(value.get("subagent_trajectory_ref")):
            self._refer(mapping(reference), call)
        # A result of no call is what the environment told the model, which nobody typed.
        message = Message(
            id=len(self.messages),
            role="tool" if call else "user",
            parts=_content(value.get("content")),
            kind="ordinary" if call else "meta",
            tool_call_id=call,
            is_error=mapping(value.get("extra")).get("is_error") is True,
            ts=ts,
            spans=(result.span,),
        )
        if message.parts or call:
            self.messages.append(message)
        else:
            self.other.append(OtherRecord("observation without content", result.span))

    def _refer(self, reference: dict[str, Any], call: str | None) -> None:
        path = text_or_none(reference.get("trajectory_path"))
        if path is not None:
            self.files.append(path)
        for key in ("trajectory_id", "trajectory_path", "session_id"):
            name = text_or_none(reference.get(key))
            if name is not None and call is not None:
                self.started.setdefault(name, call)


def _flags(value: dict[str, Any]) -> frozenset[str]:
    """No model call: dispatched by the harness itself, or copied from the trajectory that this one goes on with."""
    silent = value.get("llm_call_count") == 0 and value.get("llm_call_count") is not False
    return frozenset({"synthetic"}) if silent or value.get("is_copied_context") is True else frozenset()


def _thinking(value: dict[str, Any]) -> Iterator[Part]:
    words = text(value.get("reasoning_content"))
    if words:
        yield Part("thinking", words)


def _content(value: object) -> tuple[Part, ...]:
    """A text, or text and image parts; an image stands in a file beside and is named by its path."""
    blocks = value if isinstance(value, list) else [value]
    return tuple(part for block in blocks for part in parts_of(_block(block)))


def _block(block: object) -> object:
    found = mapping(block)
    source = mapping(found.get("source"))
    if found.get("type") == "image" and isinstance(source.get("path"), str):
        return {"type": "image", "source": {"media_type": source.get("media_type"), "url": source["path"]}}
    return block


def _call(call: dict[str, Any], invented: str) -> ToolCall:
    given = call.get("arguments")
    arguments = given if isinstance(given, str) else dump(given)
    return ToolCall(text_or_none(call.get("tool_call_id")) or invented, text(call.get("function_name")), arguments)


def _usage(metrics: dict[str, Any]) -> Usage | None:
    """Prompt tokens include the cached ones in this format."""
    context, output = count(metrics.get("prompt_tokens")), count(metrics.get("completion_tokens"))
    if context is None and output is None:
        return None
    written = count(mapping(metrics.get("extra")).get("cache_creation_input_tokens"))
    return Usage(context, output, count(metrics.get("cached_tokens")), written)
