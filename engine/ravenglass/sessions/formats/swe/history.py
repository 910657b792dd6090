"""SWE-agent's history as Messages: one element, or one step where a file has no history (formats.md, section 7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ravenglass.sessions.importing.chat.messages import ChatThread
from ravenglass.sessions.importing.located import Located
from ravenglass.sessions.model.session import Kind, Message, OtherRecord, Span
from ravenglass.sessions.records.values import kind_of, mapping, sequence, text, text_or_none


@dataclass(slots=True)
class SweHistory:
    """The messages of one agent. The first version writes observations as user messages."""

    thread: ChatThread = field(default_factory=ChatThread)
    other: list[OtherRecord] = field(default_factory=list)
    _asked: bool = False
    """Whether the task was given: what comes after it as a user message nobody typed."""

    @property
    def messages(self) -> list[Message]:
        return self.thread.messages

    def add(self, value: object, span: Span) -> None:
        """One element of a history."""
        found = mapping(value)
        ids = [call for call in sequence(found.get("tool_call_ids")) if isinstance(call, str) and call]
        first = text_or_none(found.get("tool_call_id")) or (ids[0] if ids else None)
        if not self.thread.add({**found, "tool_call_id": first}, span):
            self.other.append(OtherRecord(f"role {text(found.get('role'))}" if found else kind_of(value), span))
            return
        demo = found.get("is_demo") is True or found.get("message_type") == "demonstration"
        self._settle(demo=demo)
        # One observation that answers several calls is told once.
        for other in ids[1:] if self.messages[-1].role == "tool" else []:
            self.thread.add({"role": "tool", "content": None, "tool_call_id": other}, span)

    def step(self, step: Located) -> None:
        """One step of a trajectory without history: what the model said and what the environment answered."""
        parts = step.fields()
        prompt = ("query", "messages") if self._opening(parts) else ()
        self.other += step.others(*prompt, "response", "thought", "action", "observation", prefix="step/")
        said = text(step.object.get("response")) or "\n".join(
            text(step.object.get(key)) for key in ("thought", "action") if text(step.object.get(key))
        )
        spoken = [parts[key].span for key in ("response", "thought", "action") if key in parts]
        if spoken:
            self.thread.add({"role": "assistant", "content": said}, spoken[0])
            self.messages[-1] = replace(self.messages[-1], spans=tuple(sorted(spoken, key=lambda span: span.offset)))
        if "observation" in parts:
            self.add({"role": "user", "content": step.object.get("observation")}, parts["observation"].span)

    def _opening(self, parts: dict[str, Located]) -> bool:
        """The first step's prompt holds what was said before it."""
        prompt = parts.get("query") or parts.get("messages")
        if self.messages or prompt is None or not prompt.items():
            return False
        for item in prompt.items():
            self.add(item.value, item.span)
        return True

    def _settle(self, *, demo: bool) -> None:
        message = self.messages[-1]
        if message.role == "user":
            asked = not demo and not self._asked
            self._asked = self._asked or not demo
            self.messages[-1] = replace(message, kind=_kind(asked=asked))
        elif message.role == "assistant":
            self._asked = self._asked or not demo
            if demo:
                self.messages[-1] = replace(message, flags=message.flags | {"synthetic"})


def _kind(*, asked: bool) -> Kind:
    return "prompt" if asked else "meta"


def histories(items: Iterable[Located]) -> dict[str, SweHistory]:
    """Histories of the agents of one file, the first speaker's first; messages of no agent are everybody's first's."""
    found: dict[str, SweHistory] = {}
    for item in items:
        value = item.object
        name = text(value.get("agent")) or next(iter(found), "")
        found.setdefault(name, SweHistory()).add(item.value, item.span)
    return found


def model_name(config: object) -> str | None:
    """The model in a replay configuration: `agent.model.name` (`model_name` in the first version)."""
    agent = mapping(mapping(config).get("agent"))
    for model in (mapping(agent.get("model")), mapping(mapping(agent.get("config")).get("model"))):
        found = text_or_none(model.get("name")) or text_or_none(model.get("model_name"))
        if found:
            return found
    return None


def is_step(value: dict[str, Any]) -> bool:
    """Whether the value is a step of a trajectory."""
    return "observation" in value and bool({"action", "response", "thought"} & value.keys()) and "role" not in value
