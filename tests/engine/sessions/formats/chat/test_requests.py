"""Logs of requests that repeat their history are one conversation, however the answers were written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ravenglass.sessions import counts, open_session

Write = Callable[..., Path]
Json = dict[str, Any]

CALL = {"id": "c1", "type": "function", "function": {"name": "shell", "arguments": '{"command": "ls"}'}}
ASKED: list[Json] = [{"role": "system", "content": "You help."}, {"role": "user", "content": "Count the files"}]
CALLED: Json = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT: Json = {"role": "tool", "tool_call_id": "c1", "content": "a.txt"}
SAID: Json = {"role": "assistant", "content": "One file."}
TURNS: tuple[tuple[list[Json], Json, int], ...] = ((ASKED, CALLED, 900), ([*ASKED, CALLED, RESULT], SAID, 930))


def completion(message: Json, prompt: int) -> Json:
    usage = {"prompt_tokens": prompt, "completion_tokens": 9}
    return {"id": "r", "model": "m", "choices": [{"index": 0, "message": message}], "usage": usage}


def chunks(message: Json, prompt: int) -> list[Json]:
    """The same, as a stream brings it: texts and arguments in pieces."""
    deltas: list[Json] = [{"role": "assistant"}]
    deltas += [{"content": char} for char in message.get("content") or ""]
    for call in message.get("tool_calls", []):
        given = call["function"]["arguments"]
        deltas.append({"tool_calls": [{"index": 0, "id": call["id"], "function": {"name": "shell", "arguments": ""}}]})
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": char}}]} for char in given]
    found: list[Json] = [{"id": "r", "model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return [*found, {"id": "r", "choices": [], "usage": completion(message, prompt)["usage"]}]


def stream(message: Json, prompt: int) -> str:
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks(message, prompt)) + "data: [DONE]\n\n"


ANSWERS: dict[str, Callable[[Json, int], Any]] = {
    "whole": completion,
    "text": lambda message, prompt: json.dumps(completion(message, prompt)),
    "body": lambda message, prompt: {"status": 200, "body": completion(message, prompt)},
    "text in body": lambda message, prompt: {"status": 200, "content": json.dumps(completion(message, prompt))},
    "events": stream,
    "events in body": lambda message, prompt: {"status": 200, "body": stream(message, prompt)},
    "chunks": chunks,
    "lines": lambda message, prompt: [f"data: {json.dumps(chunk)}" for chunk in chunks(message, prompt)],
}
REQUESTS: dict[str, Callable[[Json], Json]] = {
    "beside": lambda body: body,
    "pair": lambda body: {"request": body},
    "body": lambda body: {"request": {"url": "https://x.y/v1/chat/completions", "body": body}},
    "text": lambda body: {"request": {"body": json.dumps(body)}},
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("request_form", REQUESTS)
@pytest.mark.parametrize("listed", [False, True])
def test_that_a_log_of_requests_is_one_session(write: Write, answer: str, request_form: str, listed: bool) -> None:
    log = [
        {**REQUESTS[request_form]({"model": "m", "messages": sent}), "response": ANSWERS[answer](said, prompt)}
        for sent, said, prompt in TURNS
    ]
    session = open_session(write(*([log] if listed else log)))
    found = counts(session)
    assert session.format == "openai-chat"
    assert (found.messages, found.calls, found.tool_calls, found.tool_results, found.children) == (5, 2, 1, 1, 0)
    assert [m.usage.context for m in session.messages if m.usage] == [900, 930]
    assert session.messages[2].tool_calls[0].arguments == '{"command": "ls"}'
    assert (session.messages[-1].text, session.model) == ("One file.", "m")
    assert session.warnings == ()


def test_that_bodies_without_answers_are_joined_only_where_one_goes_on(write: Write) -> None:
    bodies = [{"messages": ASKED}, {"messages": [*ASKED, CALLED, RESULT]}, {"messages": [*ASKED, SAID]}]
    session = open_session(write(*bodies))
    assert [message.role for message in session.messages] == ["system", "user", "assistant", "tool"]
    assert [len(child.messages) for child in session.children] == [3]


def test_that_a_request_that_failed_is_said_and_a_second_choice_is_kept(write: Write) -> None:
    two = completion(SAID, 900)
    two["choices"].append({"index": 1, "message": {"role": "assistant", "content": "Another."}})
    lines = [
        {"messages": ASKED, "response": two},
        {"messages": ASKED, "response": {"error": {"message": "overloaded"}}},
    ]
    session = open_session(write(*lines))
    assert [record.label for record in session.other] == ["choice 2"]
    assert any("1 of the logged requests" in warning for warning in session.warnings)


@pytest.mark.parametrize("streamed", [False, True])
def test_that_responses_are_joined_too_also_where_reasoning_is_not_sent_again(write: Write, streamed: bool) -> None:
    asked = {"role": "user", "content": "Count"}
    thought = {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "ls"}]}
    call = {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{}"}
    came = {"type": "function_call_output", "call_id": "c1", "output": "a.txt"}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "One."}]}

    def answer(*output: Json) -> object:
        whole = {"id": "r", "model": "m", "output": list(output), "usage": {"input_tokens": 7, "output_tokens": 2}}
        event = {"type": "response.completed", "response": whole}
        return f"event: response.completed\ndata: {json.dumps(event)}\n\n" if streamed else whole

    lines = [
        {"request": {"model": "m", "input": [asked], "instructions": "x"}, "response": answer(thought, call)},
        {"request": {"model": "m", "input": [asked, call, came], "instructions": "x"}, "response": answer(said)},
    ]
    session = open_session(write(*lines))
    assert session.format == "openai-responses"
    found = counts(session)
    assert (found.messages, found.calls, found.tool_results, found.children) == (4, 2, 1, 0)
    assert sum(message.usage is not None for message in session.messages) == 2
