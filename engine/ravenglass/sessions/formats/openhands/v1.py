"""Events of OpenHands' software-agent-sdk ("V1"), told by their `kind` (formats.md, section 8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ravenglass.sessions.formats.openhands.thread import Event, EventThread, tokens_of
from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.model.session import Message, Part, Span, ToolCall
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, dump, mapping, sequence, text, text_or_none


def is_event(value: object) -> bool:
    """Whether the value is an event of this generation."""
    found = mapping(value)
    kind = text(found.get("kind"))
    return kind in _READERS or kind in _ASIDE or ("kind" in found and "llm_response_id" in found)


def take(thread: EventThread, value: dict[str, Any], span: Span) -> None:
    """Take in the next event."""
    kind = text(value.get("kind"))
    event = Event(text(value.get("id")) or f"event-{span.offset}", span, seconds(value.get("timestamp")))
    if kind == _STATE:
        about = mapping(value.get("value"))
        statistics(thread, about.get("stats") if value.get("key") == "full_state" else about)
    reader = _READERS.get(kind)
    if reader is None or not reader(thread, event, value):
        thread.aside(kind or "event of no kind", event)


def statistics(thread: EventThread, value: object) -> None:
    """Usage per response from a conversation's statistics, as the base state and updates of it hold them."""
    for metrics in mapping(mapping(value).get("usage_to_metrics")).values():
        for item in sequence(mapping(metrics).get("token_usages")):
            usage = tokens_of(item)
            if usage is not None and (response := text(mapping(item).get("response_id"))):
                thread.usages[response] = usage


def _system(thread: EventThread, event: Event, value: dict[str, Any]) -> bool:
    parts = parts_of(value.get("system_prompt")) + parts_of(value.get("dynamic_context"))
    if isinstance(value.get("tools"), list) and value["tools"]:
        thread.tools = dump(value["tools"])
    if parts:
        thread.system(event, parts)
    return bool(parts)


def _message(thread: EventThread, event: Event, value: dict[str, Any]) -> bool:
    inner = mapping(value.get("llm_message"))
    role = text(inner.get("role")) or ("assistant" if value.get("source") == "agent" else "user")
    parts = _thinking(inner) + _content(inner.get("content")) + _content(value.get("extended_content"))
    if role == "assistant":
        thread.respond(event, text(value.get("llm_response_id")), Message(0, "assistant", parts, model=thread.model))
    elif role == "system":
        thread.add(event, Message(0, "system", parts))
    else:
        thread.user(event, parts, "prompt" if value.get("source") == "user" else "meta")
    return True


def _action(thread: EventThread, event: Event, value: dict[str, Any]) -> bool:
    call = mapping(value.get("tool_call"))
    function = mapping(call.get("function")) or call
    given = function.get("arguments", value.get("action"))
    call_id = text(value.get("tool_call_id")) or text(call.get("id")) or event.id
    name = text(value.get("tool_name")) or text(function.get("name"))
    arguments = given if isinstance(given, str) else "" if given is None else dump(given)
    parts = _thinking(value) + _content(value.get("thought"))
    thread.respond(
        event,
        text(value.get("llm_response_id")),
        Message(0, "assistant", parts, tool_calls=(ToolCall(call_id, name, arguments),), model=thread.model),
    )
    return True


def _observation(thread: EventThread, event: Event, value: dict[str, Any]) -> bool:
    seen = mapping(value.get("observation"))
    parts = _content(seen.get("content")) or _content(seen.get("output")) or _content(seen.get("error"))
    _answer(thread, event, value, parts, is_error=seen.get("is_error") is True or bool(text(seen.get("error"))))
    return True


def _rejection(thread: EventThread, event: Event, value: dict[str, Any]) -> bool:
    reason = text(value.get("rejection_reason"))
    _answer(thread, event, value, (Part("text", f"Action rejected: {reason}"),), is_error=True)
    return True


def _error(thread: EventThread, event: Event, value: dict[str, Any]) -> bool:
    _answer(thread, event, value, parts_of(value.get("error")), is_error=True)
    return True


def _answer(
    thread: EventThread, event: Event, value: dict[str, Any], parts: tuple[Part, ...], *, is_error: bool
) -> None:
    action = text(value.get("action_id"))
    call = text(value.get("tool_call_id")) or thread.call_of(action) or action or event.id
    thread.result(event, call, parts, text_or_none(value.get("tool_name")), is_error=is_error)


def _condensation(thread: EventThread, event: Event, value: dict[str, Any]) -> bool:
    listed = value.get("forgotten_event_ids")
    # A set of ids; some writers keep it as the keys of an object.
    names = {item for item in (listed if isinstance(listed, list) else mapping(listed)) if isinstance(item, str)}
    offset = count(value.get("summary_offset"))
    thread.condense(event, names.__contains__, len(names), parts_of(text(value.get("summary"))), offset)
    return True


def _summary(thread: EventThread, event: Event, value: dict[str, Any]) -> bool:
    thread.user(event, parts_of(text(value.get("summary"))), "summary")
    return True


def _content(value: object) -> tuple[Part, ...]:
    """Parts of a content whose images stand as lists of addresses."""
    if not isinstance(value, list):
        return parts_of(value)
    found: list[Part] = []
    for block in value:
        addresses = sequence(mapping(block).get("image_urls"))
        if addresses:
            found += parts_of([{"type": "image_url", "image_url": address} for address in addresses])
        else:
            found += parts_of([block])
    return tuple(found)


def _thinking(value: dict[str, Any]) -> tuple[Part, ...]:
    """Reasoning, once, although it may stand both as text and as blocks."""
    blocks = [block for block in sequence(value.get("thinking_blocks")) if isinstance(block, dict)]
    words = text(value.get("reasoning_content"))
    item = mapping(value.get("responses_reasoning_item"))
    if item and not words and not blocks:
        summary = "\n".join(line for line in sequence(item.get("summary")) if isinstance(line, str))
        return parts_of({**item, "type": "thinking", "thinking": summary})
    if blocks and not (words and not any(text(block.get("thinking")) for block in blocks)):
        return parts_of([{"type": "thinking", **block} for block in blocks])
    return (Part("thinking", words),) if words else ()


_STATE = "ConversationStateUpdateEvent"
_ASIDE = frozenset(
    {_STATE, "CondensationRequest", "PauseEvent", "LLMCompletionLogEvent", "ConversationErrorEvent", "TokenEvent"}
)
"""Kinds that never are messages; the statistics in a state update are the usage of the responses."""

_Reader = Callable[[EventThread, Event, dict[str, Any]], bool]
_READERS: dict[str, _Reader] = {
    "SystemPromptEvent": _system,
    "SystemPromptUpdateEvent": _system,
    "MessageEvent": _message,
    "ActionEvent": _action,
    "ObservationEvent": _observation,
    "UserRejectObservation": _rejection,
    "AgentErrorEvent": _error,
    "Condensation": _condensation,
    "CondensationSummaryEvent": _summary,
}
"""Each says whether it made a message of the event; else the event is an other record."""
