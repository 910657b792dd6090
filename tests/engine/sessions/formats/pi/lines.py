"""Records of pi and OpenClaw, in the forms that their versions write."""

from __future__ import annotations

from collections.abc import Mapping

from ravenglass.sessions.model.session import Session

Json = dict[str, object]

HEAD: Json = {"type": "session", "version": 3, "id": "s-1", "timestamp": "2026-05-12T01:02:27.657Z", "cwd": "/tmp/a"}
USAGE: Json = {"input": 12, "output": 7, "cacheRead": 100, "cacheWrite": 5}


def typed(content: object) -> Json:
    """A message of the person."""
    return {"role": "user", "content": content}


def call(name: str) -> Json:
    return {"type": "toolCall", "id": name, "name": "bash", "arguments": {"command": "ls"}}


def reply(words: str, *blocks: Mapping[str, object], **more: object) -> Json:
    """A message of the assistant."""
    content = [{"type": "text", "text": words}, *blocks]
    usual: Json = {"role": "assistant", "content": content, "model": "m-1", "usage": USAGE, "stopReason": "stop"}
    return {**usual, **more}


def result(name: str, content: object = "ok") -> Json:
    return {"role": "toolResult", "toolCallId": name, "toolName": "bash", "content": content, "isError": False}


def entry(kind: str, **more: object) -> Json:
    """An entry that is no message."""
    return {"type": kind, **more}


def linear(*items: Json) -> list[Json]:
    """A file of the first version: messages or entries, without ids."""
    head = {key: value for key, value in HEAD.items() if key != "version"}
    return [head, *({"timestamp": "2026-05-12T01:02:28Z", **_entry(item)} for item in items)]


def tree(*items: Mapping[str, object]) -> list[Json]:
    """A file of the third version: e1, e2, ... each after the one before."""
    return [HEAD, *(at(f"e{n}", f"e{n - 1}" if n > 1 else None, item) for n, item in enumerate(items, start=1))]


def at(name: str, parent: object, item: Mapping[str, object]) -> Json:
    """A message or entry with an id and a parent."""
    return {**_entry(item), "id": name, "parentId": parent, "timestamp": "2026-05-12T01:02:28Z"}


def _entry(item: Mapping[str, object]) -> Json:
    return dict(item) if "type" in item else {"type": "message", "message": item}


def shape(session: Session) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in session.messages]


def labels(session: Session) -> list[str]:
    return [record.label for record in session.other]
