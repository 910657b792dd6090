"""Records of Gemini CLI, in the forms that its versions write."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ravenglass.sessions.model.session import Session

Json = dict[str, object]

HEAD: Json = {
    "sessionId": "s-1", "projectHash": "h", "startTime": "2026-04-29T21:39:22.319Z",
    "lastUpdated": "2026-04-29T21:39:22.319Z", "kind": "main",
}  # fmt: skip
TOKENS: Json = {"input": 100, "output": 10, "cached": 60, "thoughts": 5, "tool": 0, "total": 115}


def ask(name: str, content: object = "do it", **more: object) -> Json:
    return {"id": name, "timestamp": "2026-04-29T21:39:33.155Z", "type": "user", "content": content, **more}


def answer(name: str, content: object = "", *calls: Mapping[str, object], **more: object) -> Json:
    found: Json = {"id": name, "timestamp": "2026-04-29T21:39:35.125Z", "type": "gemini", "content": content}
    found |= {"thoughts": [], "tokens": TOKENS, "model": "gemini-x", **more}
    return {**found, "toolCalls": list(calls)} if calls else found


def call(name: str, output: object = "done", **more: object) -> Json:
    response = {"functionResponse": {"id": name, "name": "shell", "response": {"output": output}}}
    return {
        "id": name, "name": "shell", "args": {"command": "ls"}, "status": "success", "result": [response],
        "timestamp": "2026-04-29T21:39:36Z", "description": "for the screen", "resultDisplay": "shown", **more,
    }  # fmt: skip


def note(name: str, kind: str = "info") -> Json:
    return {"id": name, "timestamp": "2026-04-29T21:39:34Z", "type": kind, "content": "a note"}


def document(*messages: object, **more: object) -> bytes:
    return json.dumps({**HEAD, "messages": list(messages), **more}, indent=2, ensure_ascii=False).encode()


def shape(session: Session) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in session.messages]


def labels(session: Session) -> list[str]:
    return [record.label for record in session.other]


TALK = [ask("u1"), answer("g1", "I look.", call("c1")), answer("g2", "Done.")]
SHAPE = [("user", "do it"), ("assistant", "I look."), ("tool", "done"), ("assistant", "Done.")]
