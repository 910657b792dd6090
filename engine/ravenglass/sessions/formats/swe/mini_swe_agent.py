"""Imports mini-swe-agent trajectories, `.traj.json`: the old bare list, the object since (formats.md, section 7)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.chat.messages import ChatThread
from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import Located, located
from ravenglass.sessions.importing.responses.conversation import responses_usage
from ravenglass.sessions.importing.responses.items import read_item
from ravenglass.sessions.model.session import Message, OtherRecord, Session, Span
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import kind_of, mapping, sequence, text, text_or_none

_OBSERVATION = ("<returncode>", "<returncode/>", "<exception>", "Observation:")
_TYPED = ("The user added a new task", "Command not executed. The user rejected")
"""How the interactive agent begins what a person typed during a run."""
_CERTAIN, _LIKELY = 0.95, 0.7
_HEAD = 1_000
"""Messages that are looked at to tell the format; the closing `exit` may be the only mark."""


class MiniSweAgent:
    """mini-swe-agent."""

    name = "mini-swe-agent"
    label = "mini-swe-agent trajectory (.traj.json)"
    description = (
        "Maps the messages with tool calls, times, the model and the usage of `extra.response`; the task is the "
        "prompt, what the agent's environment answers as a user is injected. It keeps the closing `exit` message, "
        "`info` (configuration, totals, submission) and everything unknown as other records; `extra` stays in the "
        "raw record."
    )

    def sniff(self, head: Head) -> float:
        """Sure for its format mark; likely for messages of which some answer with a return code or `exit`."""
        first = head.records[0] if head.records else None
        if any("mini_version" in mapping(mapping(record).get("info")) or _marked(record) for record in head.records):
            return _CERTAIN
        values = first if isinstance(first, list) else sequence(mapping(first).get("messages"))
        if not values and head.container == "json":
            values = list(head.records)  # the objects of a damaged document
        items = [mapping(value) for value in values[:_HEAD]]
        if any(item.get("role") == "exit" or "actions" in mapping(item.get("extra")) for item in items):
            return _CERTAIN
        return _LIKELY if any(item.get("role") == "user" and _observed(item) for item in items) else 0.0

    def begin(self, records: Records) -> _Reading:
        """All messages of the file are one session."""
        return _Reading(records)


@dataclass(slots=True)
class _Reading:
    records: Records
    thread: ChatThread = field(default_factory=ChatThread)
    other: list[OtherRecord] = field(default_factory=list)
    instance: str = ""
    model: str | None = None
    project: str = ""
    _asked: bool = False

    def take(self, record: Record) -> None:
        found = located(self.records, record)
        value = found.object
        if isinstance(value.get("messages"), list):
            self.instance = text(value.get("instance_id")) or self.instance
            config = mapping(mapping(value.get("info")).get("config"))
            self.model = text_or_none(mapping(config.get("model")).get("model_name")) or self.model
            self.project = text(mapping(config.get("environment")).get("cwd")) or self.project
            self.other += found.others("messages")
            self._messages(found.elements("messages"))
        elif isinstance(found.value, list):
            self._messages(found.items())
        else:
            self._message(found)

    def _messages(self, items: list[Located]) -> None:
        for item in items:
            self._message(item)

    def _message(self, item: Located) -> None:
        value, span = item.object, item.span
        if value.get("object") == "response" or value.get("type") == "function_call_output":
            message = _item(value, span, len(self.thread.messages))
            if message is None:
                self.other.append(OtherRecord(kind_of(value), span))
                return
            self.thread.messages.append(message)
        elif not self.thread.add(value, span):
            role = value.get("role")
            self.other.append(OtherRecord(f"role {role}" if isinstance(role, str) else kind_of(item.value), span))
            return
        message = self.thread.messages[-1]
        if message.role == "user":
            asked = message.text.lstrip().startswith(_TYPED) or not (self._asked or _observed(value))
            message = replace(message, kind="prompt" if asked else "meta")
            self._asked = True
        elif message.role == "assistant":
            response = mapping(mapping(value.get("extra")).get("response"))
            message = replace(message, model=message.model or text_or_none(response.get("model")))
        elif message.role == "tool":
            # A command that ends with 1 told something; only one that could not run failed.
            failed = bool(mapping(value.get("extra")).get("exception_info"))
            message = replace(message, is_error=message.is_error or failed)
        self.thread.messages[-1] = message

    def session(self) -> Session:
        name = self.instance or stem(self.records.opened.path)
        draft = SessionDraft(name, self.thread.messages, other=self.other, project=self.project)
        session = assembled(draft, MiniSweAgent.name, self.records)
        return session if session.model else replace(session, model=self.model)


def _marked(record: object) -> bool:
    return text(mapping(record).get("trajectory_format")).startswith("mini-swe-agent")


def _observed(message: dict[str, Any]) -> bool:
    return "\n".join(part.text for part in parts_of(message.get("content"))).lstrip().startswith(_OBSERVATION)


def _item(value: dict[str, Any], span: Span, position: int) -> Message | None:
    """A message as the Responses API has it: a whole answer, or the output of one call."""
    extra = mapping(value.get("extra"))
    if value.get("type") == "function_call_output":
        output = read_item(value, str(position))
        if output is None:
            return None
        ts = seconds(extra.get("timestamp"))
        return Message(position, "tool", output.parts, tool_call_id=output.call_id, ts=ts, spans=(span,))
    items = [
        read_item(mapping(item), f"{position}-{place}") for place, item in enumerate(sequence(value.get("output")))
    ]
    return Message(
        id=position,
        role="assistant",
        parts=tuple(part for item in items if item is not None for part in item.parts),
        tool_calls=tuple(call for item in items if item is not None for call in item.calls),
        ts=seconds(extra.get("timestamp") or value.get("created_at")),
        model=text_or_none(value.get("model")),
        usage=responses_usage(value.get("usage")),
        source_id=text_or_none(value.get("id")),
        spans=(span,),
    )
