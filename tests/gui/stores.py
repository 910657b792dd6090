"""Writes folders of recorded sessions for tests of the browser and of following, in the form of Raven's engine."""

from __future__ import annotations

import json
from pathlib import Path


def line(number: int, text: str = "") -> bytes:
    """A message: requests and answers take turns."""
    role = "assistant" if number % 2 else "user"
    message = {"role": role, "content": text or f"message {number}", "timestamp": f"2026-01-01T00:{number % 60:02d}:00"}
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def write_chat_lines(path: Path, key: str, calls: int = 1, title: str = "") -> Path:
    """A session of so many calls that can be appended to."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"_type": "metadata", "key": key, "metadata": {"title": title or f"title of {key}"}}
    lines = [json.dumps(head, ensure_ascii=False).encode() + b"\n", *(line(number) for number in range(2 * calls))]
    path.write_bytes(b"".join(lines))
    return path


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)
