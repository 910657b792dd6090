"""How agents and the harnesses around them write a conversation down: each a document of its own shape."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.engine.sessions.formats.opencode import store
from tests.engine.sessions.formats.openhands import events
from tests.engine.sessions.written.lines import TIME, _results, chat, chat_answer
from tests.engine.sessions.written.talk import Answer, Call, Talk

Json = dict[str, Any]


def atif(talk: Talk) -> Json:
    steps: list[Json] = []

    def step(source: str, message: str, **more: Any) -> None:
        steps.append({"step_id": len(steps) + 1, "timestamp": TIME, "source": source, "message": message, **more})

    for turn in talk:
        step("user", turn.prompt)
        for answer in turn.answers:
            asked = [
                {"tool_call_id": c.id, "function_name": "bash", "arguments": {"command": c.argument}}
                for c in answer.calls
            ]
            brought = [{"source_call_id": call.id, "content": call.result} for call in _results(answer)]
            more: Json = {"reasoning_content": answer.thought} if answer.thought else {}
            more |= {"tool_calls": asked} if asked else {}
            more |= {"observation": {"results": brought}} if brought else {}
            step("agent", answer.text, **more)
    return {"schema_version": "ATIF-v1.4", "session_id": "a", "agent": {"name": "x", "version": "1"}, "steps": steps}


def swe_agent(talk: Talk) -> Json:
    about = {"agent": "primary"}

    def history() -> Iterator[Json]:
        yield {"role": "system", "content": "You are", "message_type": "system_prompt", **about}
        for turn in talk:
            yield {"role": "user", "content": turn.prompt, "message_type": "observation", **about}
            for answer in turn.answers:
                said = chat_answer(Answer(answer.text, "", answer.calls))
                blocks = [{"type": "thinking", "thinking": answer.thought, "signature": ""}] if answer.thought else []
                kept = {"thought": answer.text, "action": "", "message_type": "action", "thinking_blocks": blocks}
                yield {**said, "content": answer.text, **kept, **about}
                for call in _results(answer):
                    more = {"tool_call_ids": [call.id], "message_type": "observation"}
                    yield {"role": "tool", "content": call.result, **more, **about}

    return {"trajectory": [], "history": list(history()), "info": {"exit_status": "submitted"}, "environment": "main"}


def mini_swe_agent(talk: Talk) -> Json:
    messages = [{**message, "extra": {"timestamp": 1_750_000_000.0}} for message in chat(talk)]
    closing = {"role": "exit", "content": "done", "extra": {"exit_status": "Submitted"}}
    info = {"mini_version": "2.0.0", "exit_status": "Submitted", "config": {"model": {"model_name": "m"}}}
    return {"info": info, "messages": [*messages, closing], "trajectory_format": "mini-swe-agent-1.1"}


def swe_agent_old(talk: Talk) -> Json:
    """The first version: commands are words, observations are user messages."""
    history = [{**message, "agent": "primary", "thought": ""} for message in chat(talk)]
    return {"environment": "e", "trajectory": [], "history": history, "info": {}}


def swe_agent_steps(talk: Talk) -> Json:
    """Without a history the steps tell it: the first one's query, then every response with its observation."""
    brought = [*(turn.prompt for turn in talk[1:]), ""]
    steps: list[Json] = [
        {"action": "", "observation": seen, "response": turn.answers[0].text, "thought": ""}
        for turn, seen in zip(talk, brought, strict=True)
    ]
    steps[0]["query"] = [{"role": "user", "content": talk[0].prompt}]
    return {"environment": "e", "trajectory": steps, "info": {}}


def mini_swe_agent_old(talk: Talk) -> list[Json]:
    return [{"role": message["role"], "content": message["content"]} for message in chat(talk)]


def inspect_messages(talk: Talk) -> Iterator[Json]:
    """The messages of a sample, each with an id."""
    for number, message in enumerate(_inspect(talk)):
        yield {"id": f"m{number}", **message}


def _inspect(talk: Talk) -> Iterator[Json]:
    for turn in talk:
        yield {"role": "user", "content": turn.prompt, "source": "input"}
        for answer in turn.answers:
            content: list[Json] = [{"type": "reasoning", "reasoning": answer.thought}] if answer.thought else []
            content += [{"type": "text", "text": answer.text}] if answer.text else []
            asked = [{"id": c.id, "function": "bash", "arguments": {"command": c.argument}} for c in answer.calls]
            yield {"role": "assistant", "content": content, "source": "generate", "tool_calls": asked or None}
            for call in _results(answer):
                yield {"role": "tool", "content": call.result, "tool_call_id": call.id, "function": "bash"}


def inspect_sample(talk: Talk, *, events: bool) -> Json:
    """A sample; its events repeat what every call was sent."""
    messages = list(inspect_messages(talk))
    about = {"id": "t", "epoch": 1, "uuid": "i", "input": talk[0].prompt, "target": "x", "messages": messages}
    made: list[Json] = []
    for number, message in enumerate(messages):
        if events and message["role"] == "assistant":
            output = {"model": "m", "choices": [{"message": message}], "usage": {"input_tokens": 100 * number + 9}}
            made.append({"event": "model", "model": "m", "timestamp": TIME, "input": messages[:number],
                         "output": output})  # fmt: skip
    return {**about, "events": made}


def inspect_log(talk: Talk, *, events: bool = False) -> Json:
    about = {"eval_id": "e", "run_id": "r", "task_id": "t", "task": "k", "model": "m"}
    return {"version": 2, "status": "success", "eval": about, "samples": [inspect_sample(talk, events=events)]}


def inspect_events(talk: Talk) -> Json:
    return inspect_log(talk, events=True)


def openhands_v0(talk: Talk) -> list[Json]:
    found: list[Json] = []
    for turn in talk:
        found.append(events.prompt(len(found), turn.prompt))
        for answer in turn.answers:
            if not answer.calls:
                found.append(events.v0(len(found), "agent", action="message", args={"content": answer.text}))
                continue
            response = {"id": f"r{len(found)}", "model": "m", "choices": [{"message": chat_answer(answer)}]}
            made: dict[str, int] = {}
            for call in answer.calls:
                made[call.id] = len(found)
                given = {"command": call.argument, "thought": answer.text}
                found.append(events.act(len(found), call.id, response, **given))
            for call in _results(answer):
                found.append(events.seen(len(found), made[call.id], call.id, call.result or ""))
    return found


def openhands_v1(talk: Talk) -> list[Json]:
    found: list[Json] = []
    for turn in talk:
        found.append(events.asked(len(found), turn.prompt))
        for answer in turn.answers:
            response = f"r{len(found)}"
            thinking: Json = {"reasoning_content": answer.thought} if answer.thought else {}
            if not answer.calls:
                said = {"role": "assistant", "content": [{"type": "text", "text": answer.text}], **thinking}
                more = {"source": "agent", "llm_response_id": response}
                found.append(events.v1(len(found), "MessageEvent", llm_message=said, **more))
            for number, call in enumerate(answer.calls):
                given = json.dumps({"command": call.argument})
                first: Json = thinking if number == 0 else {}
                made = events.action(len(found), call.id, response, answer.text if number == 0 else "", **first)
                found.append({**made, "tool_call": {"id": call.id, "name": "terminal", "arguments": given}})
            for call in _results(answer):
                found.append(events.observed(len(found), call.id, call.result or ""))
    return found


def opencode_chat(talk: Talk) -> store.Chat:
    """For a database, a storage folder and an export."""
    made = store.Chat()
    for turn in talk:
        made.user(store.words(turn.prompt))
        for answer in turn.answers:
            parts: list[Json] = [{"type": "reasoning", "text": answer.thought}] if answer.thought else []
            parts += [store.words(answer.text)] if answer.text else []
            made.assistant(store.start(), *parts, *map(_opencode_call, answer.calls), store.finish(input=9, output=9))
    return made


def _opencode_call(call: Call) -> Json:
    given = {"command": call.argument}
    if call.result is None:
        return store.tool(call.id, "pending", input=given)
    return store.tool(call.id, input=given, output=call.result)


def opencode_export(talk: Talk) -> Json:
    return store.export(opencode_chat(talk))


AGENTS: dict[str, Callable[[Talk], Any]] = {
    "atif": atif,
    "inspect": inspect_log,
    "inspect with events": inspect_events,
    "mini-swe-agent": mini_swe_agent,
    "mini-swe-agent of the first version": mini_swe_agent_old,
    "opencode": opencode_export,
    "openhands": openhands_v1,
    "openhands of the first generation": openhands_v0,
    "swe-agent": swe_agent,
    "swe-agent of the first version": swe_agent_old,
    "swe-agent without a history": swe_agent_steps,
}
"""The first word is the format's name."""
