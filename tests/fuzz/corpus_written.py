"""Seeds of the formats that a conversation without a format can be written in."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.engine.sessions.written.documents import DOCUMENTS
from tests.engine.sessions.written.lines import LINES
from tests.engine.sessions.written.talk import Answer, Call, Turn
from tests.fuzz.seeds import Seed

_TALK = tuple(
    Turn(
        f"ask {turn} about a.py",
        (
            Answer(f"look {turn}", f"think {turn}", (Call(f"call_{turn}", f"cat a.py {turn}", f"got {turn} a.py"),)),
            Answer(f"said {turn} of a.py", "", ()),
        ),
    )
    for turn in range(4)
)
_LINES = ("claude-stream", "codex-stream", "cursor-stream", "droid", "gemini-stream", "goose", "qwen-code")
_DOCUMENTS = ("amp", "continue", "gemini-api", "hermes", "vscode-chat")


def written_seeds() -> Iterator[Seed]:
    """A session of each of them."""
    for name in _LINES:
        data = b"".join(json.dumps(record).encode() + b"\n" for record in LINES[name](_TALK))
        yield Seed(name, "lines", {"session.jsonl": data}, "session.jsonl")
    for name in _DOCUMENTS:
        data = json.dumps(DOCUMENTS[name](_TALK), indent=1).encode()
        yield Seed(name, "document", {"session.json": data}, "session.json")
