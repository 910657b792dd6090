"""Records of Codex rollouts, written on the spot."""

from __future__ import annotations

Record = dict[str, object]


def line(kind: str, payload: object, ts: str = "2026-02-23T10:00:00.000Z", **more: object) -> Record:
    """A record as it stands on one line."""
    return {"timestamp": ts, "type": kind, "payload": payload, **more}


def meta(name: str = "019c8a59-0000-7000-8000-000000000001", **more: object) -> Record:
    """The first record of a session."""
    about = {"id": name, "timestamp": "2026-02-23T10:00:00.000Z", "cwd": "/home/dev/shop", "originator": "codex_cli_rs"}
    return line("session_meta", {**about, "cli_version": "0.104.0", "source": "cli", **more})


def item(kind: str, /, **more: object) -> Record:
    """A response item."""
    return line("response_item", {"type": kind, **more})


def event(kind: str, /, **more: object) -> Record:
    """An event."""
    return line("event_msg", {"type": kind, **more})


def typed(words: str) -> list[Record]:
    """A typed prompt with its mirror, in the order in which Codex writes them."""
    return [said("user", words), event("user_message", message=words, images=[])]


def answered(words: str) -> list[Record]:
    """An assistant's message with its mirror."""
    return [event("agent_message", message=words), said("assistant", words)]


def said(role: str, words: str, **more: object) -> Record:
    """A message item."""
    block = {"type": "output_text" if role == "assistant" else "input_text", "text": words}
    return item("message", role=role, content=[block], **more)


def thought(summary: str, encrypted: str = "gAAAA") -> list[Record]:
    """Reasoning with its mirror."""
    blocks = [{"type": "summary_text", "text": summary}]
    mirror = event("agent_reasoning", text=summary)
    return [mirror, item("reasoning", summary=blocks, content=None, encrypted_content=encrypted)]


def called(call_id: str, name: str = "exec_command", arguments: str = '{"cmd":"ls"}', **more: object) -> Record:
    """A function call."""
    return item("function_call", name=name, arguments=arguments, call_id=call_id, **more)


def output(call_id: str, given: object = "done", **more: object) -> Record:
    """A function call's output."""
    return item("function_call_output", call_id=call_id, output=given, **more)


def turn(name: str = "turn-1", model: str = "gpt-x", **more: object) -> Record:
    """What the next request is made with."""
    return line("turn_context", {"turn_id": name, "cwd": "/home/dev/shop", "model": model, **more})


def figures(sent: int, received: int, cached: int = 0) -> dict[str, int]:
    """Tokens as Codex writes them."""
    total = sent + received
    reasoning = {"reasoning_output_tokens": 0, "total_tokens": total}
    return {"input_tokens": sent, "cached_input_tokens": cached, "output_tokens": received, **reasoning}


def tokens(total: tuple[int, int], last: tuple[int, int, int] | None = None) -> Record:
    """A token_count event: the sum (input, output) and the last request (input, output, cached)."""
    info: dict[str, object] = {"total_token_usage": figures(*total), "model_context_window": 258_400}
    if last is not None:
        info["last_token_usage"] = figures(*last)
    return event("token_count", info=info)
