"""Logged requests of the Gemini API are one session, whatever the answers look like."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ravenglass.sessions import counts, open_session
from tests.engine.sessions.conftest import encoded

Json = dict[str, Any]

ASKED: Json = {"role": "user", "parts": [{"text": "Count the files"}]}
CALLED: Json = {"role": "model", "parts": [{"functionCall": {"name": "shell", "args": {"command": "ls"}}}]}
RESULT: Json = {"role": "user", "parts": [{"functionResponse": {"name": "shell", "response": {"output": "a.txt"}}}]}
SAID: Json = {"role": "model", "parts": [{"text": "One file."}]}


def whole(content: Json, prompt: int) -> Json:
    usage = {"promptTokenCount": prompt, "candidatesTokenCount": 9, "cachedContentTokenCount": 5}
    return {"candidates": [{"content": content}], "usageMetadata": usage, "modelVersion": "g"}


def chunks(content: Json, prompt: int) -> list[Json]:
    found: list[Json] = []
    for part in content["parts"]:
        words = part.get("text")
        pieces = [{"text": char} for char in words] if words else [part]
        found += [{"candidates": [{"content": {"role": "model", "parts": [piece]}}]} for piece in pieces]
    return [*found, {"usageMetadata": whole(content, prompt)["usageMetadata"], "modelVersion": "g"}]


ANSWERS: dict[str, Callable[[Json, int], Any]] = {
    "whole": whole,
    "text": lambda content, prompt: json.dumps(whole(content, prompt)),
    "body": lambda content, prompt: {"body": whole(content, prompt)},
    "chunks": chunks,
    "events": lambda content, prompt: "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks(content, prompt)),
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("paired", [False, True])
def test_that_a_log_of_requests_is_one_session(tmp_path: Path, answer: str, paired: bool) -> None:
    lines = []
    for sent, said, prompt in (([ASKED], CALLED, 900), ([ASKED, CALLED, RESULT], SAID, 930)):
        body = {"contents": sent, "systemInstruction": {"parts": [{"text": "You help."}]}}
        request = {"request": {"body": body}} if paired else body
        lines.append({**request, "response": ANSWERS[answer](said, prompt)})
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join(map(encoded, lines)))
    session = open_session(path)
    found = counts(session)
    assert session.format == "gemini-api"
    assert (found.messages, found.calls, found.tool_calls, found.tool_results, found.children) == (4, 2, 1, 1, 0)
    assert [(m.usage.context, m.usage.cache_read) for m in session.messages if m.usage] == [(900, 5), (930, 5)]
    assert (session.messages[-1].text, session.messages[2].text) == ("One file.", "a.txt")
    assert (session.system_prompt, session.model, session.warnings) == ("You help.", "g", ())
