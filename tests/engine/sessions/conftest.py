"""Small sessions written on the spot, in the forms that the importers read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes lines (values become JSON, bytes stay) to a file and returns its path."""

    def _write(*lines: object, name: str = "session.jsonl", end: bytes = b"\n") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\n".join(encoded(line) for line in lines) + end)
        return path

    return _write


def encoded(line: object) -> bytes:
    """The bytes of one line."""
    return line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False).encode()


def user(content: object, uuid: str = "u1", **more: object) -> dict[str, object]:
    """A user record of Claude Code."""
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "parentUuid": None, "sessionId": "s1", "message": message, **more}


def assistant(*blocks: object, uuid: str = "a1", mid: str | None = "m1", **more: object) -> dict[str, object]:
    """An assistant record of Claude Code; `usage` and `model` go into its message."""
    message: dict[str, object] = {
        "role": "assistant",
        "id": mid,
        "model": more.pop("model", "claude-x"),
        "content": list(blocks),
    }
    if "usage" in more:
        message["usage"] = more.pop("usage")
    return {"type": "assistant", "uuid": uuid, "parentUuid": "u1", "sessionId": "s1", "message": message, **more}


def say(text: str) -> dict[str, object]:
    """A text block."""
    return {"type": "text", "text": text}


def use(call_id: str, name: str = "Bash", **arguments: object) -> dict[str, object]:
    """A tool_use block."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: object = "done", **more: object) -> dict[str, object]:
    """A tool_result block."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}
