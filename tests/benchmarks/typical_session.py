"""Writes sessions of any number of messages that are as real ones in what a replay's speed depends on.

Some 870 characters a message, a prompt every thirty exchanges, reads, searches, commands and edits of some hundred
files, words and names that come again, the newest ones most.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

_TURN = 30
"""Tool exchanges from one prompt to the next."""
_LENGTHS = ((0.5, 100, 435), (0.9, 435, 3_000), (1.0, 3_000, 16_000))
"""Characters of results: share up to which, shortest, longest."""
_WORDS = (
    "the", "value", "of", "a", "request", "is", "read", "from", "its", "window", "and", "then", "given", "back", "to",
    "caller", "that", "asked", "for", "it", "while", "other", "side", "waits", "until", "every", "line", "was",
    "written", "file", "or", "limit", "reader", "has", "been", "reached",
)  # fmt: skip
Json = dict[str, Any]


class _Project:
    """Files and names that the session is about; what was used last is used again soon."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.files = [f"src/part_{i // 12}/module_{i:03d}.py" for i in range(240)]
        self.names = [
            f"{rng.choice(('read', 'make', 'find', 'keep'))}_{rng.randrange(16**5):05x}" for _ in range(3_000)
        ]

    def _near(self, number: int, things: list[str]) -> str:
        return things[(number // 7 + int(self._rng.paretovariate(1.1))) % len(things)]

    def file(self, number: int) -> str:
        return self._near(number, self.files)

    def name(self, number: int) -> str:
        return self._near(number * 3, self.names)

    def text(self, number: int, length: int) -> str:
        """About so many characters: words, and a name in every line."""
        lines, size = [], 0
        while size < length:
            line = f"{' '.join(self._rng.choices(_WORDS, k=8))} {self.name(number)}()"
            lines.append(line)
            size += len(line) + 1
        return "\n".join(lines)[: max(length, 20)]


def write_typical(path: Path, messages: int, seed: int = 0) -> Path:
    """Write a Claude Code transcript of at least so many messages."""
    rng = random.Random(seed)
    project = _Project(rng)
    written, number, parent = 0, 0, None
    with path.open("w", encoding="utf-8") as file:
        while written < messages:
            records = _exchange(number, rng, project)
            for place, record in enumerate(records):
                seconds = number * 20 + place
                about = {
                    "parentUuid": parent, "uuid": f"{number:08x}-{place:04x}-4000-8000-{number:012x}",
                    "sessionId": "typical", "cwd": "/home/dev/project", "version": "2.1.42", "isSidechain": False,
                    "timestamp": f"2026-01-{1 + seconds // 86_400:02d}T{seconds // 3600 % 24:02d}:"
                                 f"{seconds // 60 % 60:02d}:{seconds % 60:02d}.000Z",
                }  # fmt: skip
                parent = about["uuid"]
                file.write(json.dumps({**about, **record}, ensure_ascii=False) + "\n")
            written += len(records)
            number += 1
    return path


def _exchange(number: int, rng: random.Random, project: _Project) -> list[Json]:
    records: list[Json] = []
    if number % _TURN == 0:
        asked = f"Please look at {project.file(number)} and {project.name(number)}: {project.text(number, 200)}"
        records.append({"type": "user", "message": {"role": "user", "content": asked}})
    path, name = project.file(number), project.name(number)
    tool, given = rng.choice((
        ("Read", {"file_path": f"/home/dev/project/{path}"}),
        ("Bash", {"command": f"python -m pytest tests -k {name}"}),
        ("Grep", {"pattern": name, "path": "/home/dev/project/src"}),
        ("Edit", {"file_path": f"/home/dev/project/{path}", "old_string": project.text(number, 80),
                  "new_string": project.text(number, 120)}),
    ))  # fmt: skip
    share = rng.random()
    low, high = next((low, high) for upto, low, high in _LENGTHS if share <= upto)
    found = "The file has been updated." if tool == "Edit" else project.text(number, rng.randint(low, high))
    said = f"{project.text(number, rng.randint(40, 260))} See {path}."
    call = f"toolu_{number:024d}"
    usage = {
        "input_tokens": 4, "cache_read_input_tokens": 20_000, "cache_creation_input_tokens": 900, "output_tokens": 90,
    }  # fmt: skip
    content = [{"type": "text", "text": said}, {"type": "tool_use", "id": call, "name": tool, "input": given}]
    message = {"id": f"msg_{number:024d}", "role": "assistant", "model": "claude", "usage": usage, "content": content}
    answer = {"type": "tool_result", "tool_use_id": call, "content": found}
    records.append({"type": "assistant", "message": message})
    records.append({"type": "user", "message": {"role": "user", "content": [answer]}})
    return records
