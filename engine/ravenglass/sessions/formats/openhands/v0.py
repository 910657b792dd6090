"""Events of OpenHands before its software-agent-sdk ("V0"), told by their `action` or `observation` (formats.md, 8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ravenglass.sessions.formats.openhands.thread import Event, EventThread, tokens_of
from ravenglass.sessions.importing.chat.messages import ChatThread
from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.model.session import Message, Part, Span, ToolCall, Usage
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, dump, mapping, sequence, text, text_or_none

_NOISE = frozenset({"change_agent_state", "agent_state_changed", "null", "recall", "condensation_request", "pause"})
"""Actions and observations that never are messages; what a recall brought is an observation with a text."""
_SPOKEN = frozenset({"message", "finish"})
"""Actions that are no tool calls where the model has no tools."""
_NO_ARGUMENTS = frozenset({"thought", "blocking", "hidden", "confirmation_state", "security_risk", "is_input"})
"""Arguments of an action that the program, not the model, has set."""
_TYPES = frozenset({"message", "thought", "command", "error", "edit", "search", "read"})
"""Entries of a timeline, the plain form that a viewer writes."""


def is_event(value: object) -> bool:
    """Whether the value is an event of this generation."""
    found = mapping(value)
    # Steps of other formats have a source and an observation too, but are numbered as steps.
    return "source" in found and ("action" in found or "observation" in found) and "step_id" not in found


def is_entry(value: object) -> bool:
    """Whether the value is an entry of a viewer's timeline."""
    found = mapping(value)
    return "actorType" in found and text(found.get("type")) in _TYPES


_DIGITS = 20
"""Digits of an event's number; longer ones are none."""


@dataclass(slots=True)
class V0:
    """Takes events in order. Events between a delegation and its return are the thread of the sub-agent."""

    thread: EventThread
    _stack: list[EventThread] = field(default_factory=list)
    _delegations: list[str] = field(default_factory=list)
    _reached: Usage | None = None
    """What the accumulated usage was at the last event that told it."""

    def take(self, value: dict[str, Any], span: Span) -> None:
        event = Event(_id(value.get("id"), span), span, seconds(value.get("timestamp")))
        if is_entry(value):
            self._entry(event, value)
        elif "observation" in value:
            self._observation(event, value, text(value.get("observation")))
        else:
            self._action(event, value, text(value.get("action")))

    @property
    def _now(self) -> EventThread:
        return self._stack[-1] if self._stack else self.thread

    def _action(self, event: Event, value: dict[str, Any], kind: str) -> None:
        arguments, source = mapping(value.get("args")), text(value.get("source"))
        thread = self._now
        if kind == "condensation":
            self._condensation(event, arguments)
        elif kind == "system":
            if isinstance(arguments.get("tools"), list) and arguments["tools"]:
                thread.tools = dump(arguments["tools"])
            thread.add(event, Message(0, "system", parts_of(arguments.get("content"))))
        elif kind in _NOISE or not kind:
            thread.aside(kind or "event of no kind", event)
        elif source != "agent":
            if kind == "message":
                parts = parts_of(text(arguments.get("content")) or text(value.get("message"))) + _images(arguments)
                thread.user(event, parts, "prompt" if source == "user" else "meta")
            else:
                thread.user(event, (Part("text", f"{kind}: {_given(arguments)}"),), "command")
        else:
            self._response(event, value, kind, arguments)

    def _response(self, event: Event, value: dict[str, Any], kind: str, arguments: dict[str, Any]) -> None:
        about = mapping(value.get("tool_call_metadata"))
        answer = mapping(about.get("model_response"))
        increase = self._increase(value)
        usage = _usage(answer.get("usage")) or increase
        model = text_or_none(answer.get("model")) or self.thread.model
        thread = self._now
        said = _said(answer)
        parts = said.parts if said else parts_of(text(arguments.get("thought")))
        if kind in _SPOKEN and not about:
            words = (text(arguments.get(name)) for name in ("content", "final_thought", "thought"))
            parts = parts_of(next(filter(None, words), "") or text(value.get("message"))) + _images(arguments)
            thread.respond(event, "", Message(0, "assistant", parts, model=model, usage=usage))
            return
        listed = said.tool_calls if said else ()
        own = text(about.get("tool_call_id"))
        call = next((item for item in listed if item.id == own), None) or ToolCall(
            own or f"event-{event.id}", text(about.get("function_name")) or kind, _given(arguments)
        )
        thread.respond(
            event, text(answer.get("id")), Message(0, "assistant", parts, tool_calls=(call,), model=model, usage=usage)
        )
        # The response as it came names every call, also those that no action was made of.
        thread.called(event, listed, call.id)
        if kind == "delegate":
            child = EventThread(title=text(arguments.get("agent")), parent_call=call.id, model=self.thread.model)
            thread.children.append(child)
            self._stack.append(child)
            self._delegations.append(event.id)

    def _observation(self, event: Event, value: dict[str, Any], kind: str) -> None:
        cause = value.get("cause")
        action = _id(cause, event.span) if cause is not None else ""
        if kind == "delegate" and self._stack:
            # Back to the thread that waits for it, also over delegations that never returned.
            level = self._delegations.index(action) if action in self._delegations else len(self._stack) - 1
            del self._stack[level:], self._delegations[level:]
        thread = self._now
        about, extras = mapping(value.get("tool_call_metadata")), mapping(value.get("extras"))
        parts = parts_of(value.get("content")) + _images(extras)
        failed = kind == "error" or value.get("success") is False
        call = text(about.get("tool_call_id")) or thread.call_of(action)
        if kind == "recall":
            parts = parts + _recalled(extras)
            thread.user(event, parts, "meta")
        elif call and kind not in _NOISE:
            if kind == "delegate" and not parts:
                parts = parts_of(dump(extras.get("outputs")) if extras.get("outputs") else None)
            thread.result(event, call, parts, text_or_none(about.get("function_name")), is_error=failed)
        elif kind in _NOISE or not kind:
            thread.aside(kind or "event of no kind", event)
        else:
            # The outcome of what a person ran, or an error that answers no call.
            thread.user(event, parts or parts_of(text(value.get("message"))), "meta" if kind == "error" else "command")

    def _condensation(self, event: Event, arguments: dict[str, Any]) -> None:
        listed = arguments.get("forgotten_event_ids")
        first, last = count(arguments.get("forgotten_events_start_id")), count(arguments.get("forgotten_events_end_id"))
        summary, offset = parts_of(text(arguments.get("summary"))), count(arguments.get("summary_offset"))
        if not isinstance(listed, list) and first is not None and last is not None:
            number = max(0, last - first + 1)
            self._now.condense(event, lambda name: _between(name, first, last), number, summary, offset)
            return
        names = {_id(item, event.span) for item in sequence(listed)}
        self._now.condense(event, names.__contains__, len(names), summary, offset)

    def _increase(self, value: dict[str, Any]) -> Usage | None:
        """What this call added to the accumulated usage; None where it added nothing or began anew."""
        total = tokens_of(mapping(value.get("llm_metrics")).get("accumulated_token_usage"))
        if total is None:
            return None
        before, self._reached = self._reached, total
        if before is None:
            # The first figure is of one call only where no call came before it.
            return total if not any(message.role == "assistant" for message in self._now.messages) else None
        return _difference(before, total)

    def _entry(self, event: Event, value: dict[str, Any]) -> None:
        """An entry of a timeline has no calls, only what was said, thought and run."""
        parts, kind = parts_of(text(value.get("content"))), text(value.get("type"))
        if text(value.get("actorType")).lower() == "user":
            self.thread.user(event, parts, "prompt")
        elif kind == "thought":
            self.thread.respond(
                event, "", Message(0, "assistant", tuple(Part("thinking", part.text) for part in parts))
            )
        elif command := text(value.get("command")):
            call = ToolCall(f"event-{event.id}", kind, dump({"command": command}))
            self.thread.respond(event, "", Message(0, "assistant", parts, tool_calls=(call,)))
        else:
            self.thread.respond(event, "", Message(0, "assistant", parts))


def _id(value: object, span: Span) -> str:
    if isinstance(value, (int, str)) and not isinstance(value, bool):
        return str(value)
    return f"at-{span.offset}"


def _between(name: str, first: int, last: int) -> bool:
    return name.isdecimal() and len(name) < _DIGITS and first <= int(name) <= last


def _said(answer: dict[str, Any]) -> Message | None:
    """What the model said, from the response as it came."""
    choice = mapping(next(iter(sequence(answer.get("choices"))), None))
    probe = ChatThread()
    probe.add({"content": None, **mapping(choice.get("message")), "role": "assistant"}, Span(1, 0, 0))
    return probe.messages[0] if probe.messages and mapping(choice.get("message")) else None


def _usage(value: object) -> Usage | None:
    found = mapping(value)
    context, output = count(found.get("prompt_tokens")), count(found.get("completion_tokens"))
    if not context and not output:
        return None
    cached = count(found.get("cache_read_input_tokens"))
    if cached is None:
        cached = count(mapping(found.get("prompt_tokens_details")).get("cached_tokens"))
    return Usage(context, output, cached, count(found.get("cache_creation_input_tokens")))


def _difference(before: Usage, total: Usage) -> Usage | None:
    steps = [
        None if new is None else new - (old or 0)
        for old, new in (
            (before.context, total.context),
            (before.output, total.output),
            (before.cache_read, total.cache_read),
            (before.cache_write, total.cache_write),
        )
    ]
    if any(step is not None and step < 0 for step in steps) or not steps[0]:
        return None
    return Usage(*steps)


def _images(found: dict[str, Any]) -> tuple[Part, ...]:
    addresses = [item for item in sequence(found.get("image_urls")) if isinstance(item, str)]
    return parts_of([{"type": "image_url", "image_url": item} for item in addresses])


def _given(arguments: dict[str, Any]) -> str:
    return dump({key: value for key, value in arguments.items() if key not in _NO_ARGUMENTS})


def _recalled(extras: dict[str, Any]) -> tuple[Part, ...]:
    """What a recall put into the prompt: instructions of the repository, and texts of microagents."""
    texts = [text(extras.get(name)) for name in ("repo_instructions", "additional_agent_instructions")]
    texts += [text(mapping(item).get("content")) for item in sequence(extras.get("microagent_knowledge"))]
    return tuple(Part("text", words) for words in texts if words)
