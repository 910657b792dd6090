"""OpenHands events of both generations, written on the spot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def v0(number: int, source: str, **more: object) -> Json:
    """An event of the first generation; `number` is also its minute."""
    return {"id": number, "timestamp": f"2025-01-20T20:{number:02}:00.000000", "source": source, "message": "", **more}


def prompt(number: int, said: str) -> Json:
    return v0(number, "user", action="message", args={"content": said, "image_urls": []})


def response(name: str, *calls: str, said: str = "", **usage: object) -> Json:
    """A model's response as it came."""
    listed = [{"id": call, "type": "function", "function": {"name": "bash", "arguments": "{}"}} for call in calls]
    message = {"role": "assistant", "content": said, "tool_calls": listed}
    return {"id": name, "model": "m-1", "choices": [{"message": message}], "usage": usage}


def act(number: int, call: str, answer: Json, action: str = "run", **args: object) -> Json:
    """An action of the agent that a tool call of `answer` is."""
    about = {"tool_call_id": call, "function_name": "bash", "model_response": answer, "total_calls_in_response": 1}
    return v0(number, "agent", action=action, args={"command": "ls", **args}, tool_call_metadata=about)


def seen(number: int, cause: int, call: str | None, content: str, observation: str = "run", **more: object) -> Json:
    """What an action brought."""
    about = {"tool_call_metadata": {"tool_call_id": call, "function_name": "bash"}} if call else {}
    return v0(number, "agent", observation=observation, cause=cause, content=content, extras={}, **about, **more)


def v1(number: int, kind: str, **more: object) -> Json:
    """An event of the second generation."""
    return {"id": f"e{number}", "timestamp": f"2026-01-21T22:{number:02}:00.000000", "kind": kind, **more}


def asked(number: int, said: str, source: str = "user", **more: object) -> Json:
    message = {"role": "user", "content": [{"type": "text", "text": said}]}
    return v1(number, "MessageEvent", source=source, llm_message=message, **more)


def action(number: int, call: str, answer: str, thought: str = "", **more: object) -> Json:
    return v1(
        number,
        "ActionEvent",
        source="agent",
        thought=[{"type": "text", "text": thought}],
        action={"command": "ls", "kind": "TerminalAction"},
        tool_name="terminal",
        tool_call_id=call,
        tool_call={"id": call, "name": "terminal", "arguments": '{"command": "ls"}'},
        llm_response_id=answer,
        **more,
    )


def observed(number: int, call: str, said: str, *, is_error: bool = False) -> Json:
    content = [{"type": "text", "text": said}]
    seen = {"content": content, "is_error": is_error, "kind": "TerminalObservation"}
    return v1(number, "ObservationEvent", tool_call_id=call, action_id="", tool_name="terminal", observation=seen)


def conversation(folder: Path, *events: Json, state: Json | None = None) -> Path:
    """Write a folder of the second generation."""
    (folder / "events").mkdir(parents=True)
    (folder / "base_state.json").write_text(json.dumps(state or {"id": "conv-1"}))
    for number, event in enumerate(events):
        (folder / "events" / f"event-{number:05}-{event['id']}.json").write_text(json.dumps(event))
    (folder / "events" / ".eventlog.lock").write_text("")
    return folder


def old_conversation(folder: Path, *events: Json) -> Path:
    """Write a folder of the first generation."""
    (folder / "events").mkdir(parents=True)
    for event in events:
        (folder / "events" / f"{event['id']}.json").write_text(json.dumps(event))
    return folder
