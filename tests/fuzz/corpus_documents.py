"""Small sessions of the formats that are one JSON document, pretty-printed and on one line."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.engine.sessions.formats.anthropic.test_importer import CAPTURE, REQUEST
from tests.engine.sessions.formats.atif.test_importer import RUN
from tests.engine.sessions.formats.gemini.lines import TALK, ask, document
from tests.engine.sessions.formats.inspect.test_importer import LOG
from tests.engine.sessions.formats.opencode.store import export
from tests.engine.sessions.formats.otel.test_importer import TRACE
from tests.engine.sessions.formats.responses.test_importer import ASK, CALL, RESULT, SAY, THINK, request
from tests.engine.sessions.formats.swe.test_mini_swe_agent import LIST, OBJECT
from tests.engine.sessions.formats.swe.test_swe_agent import FIRST, LATER
from tests.fuzz.corpus_lines import _chat
from tests.fuzz.corpus_stores import events_v0, long_chat
from tests.fuzz.seeds import Seed


def document_seeds() -> Iterator[Seed]:
    """One seed or more for every format of documents."""
    yield Seed(
        "gemini-json",
        "document",
        {"chats/session-x.json": document(*TALK, ask("u9", ["last"]))},
        "chats/session-x.json",
    )
    yield _one("swe-agent-v0", FIRST)
    yield _one("swe-agent", LATER, indent=None)
    yield _one("mini-list", LIST)
    yield _one("mini", OBJECT)
    yield _one("atif", RUN)
    yield _one("inspect-json", LOG)
    yield _one("otel-json", TRACE[0])
    yield _one("chat-list", _chat())
    yield _one(
        "chat-request",
        {
            "model": "m",
            "messages": _chat(),
            "tools": [{"type": "function"}],
            "response": {
                "choices": [{"message": {"role": "assistant", "content": "end"}}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 2},
            },
        },
        indent=None,
    )
    yield _one("responses-request", request(ASK, THINK, CALL, RESULT, SAY))
    yield _one("anthropic-request", REQUEST)
    yield _one("anthropic-list", CAPTURE)
    yield _one("opencode-export", export(long_chat()))
    yield _one("openhands-v0", events_v0())
    yield _one("openhands-history", {"history": events_v0(), "instance_id": "i"}, indent=None)


def _one(name: str, value: object, indent: int | None = 1) -> Seed:
    return Seed(
        name,
        "document",
        {"session.json": json.dumps(value, indent=indent, ensure_ascii=False).encode()},
        "session.json",
    )
