"""A model that is a script, behind an OpenAI-compatible endpoint on this machine.

Like a provider, it refuses requests whose messages are out of order or that are too long for its window.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from shop import MODULES

from ravenglass.tokens import tokenizer

_STUB = re.compile(r"retrieve (cxt://[^\s\]]+)\]")
_ANSWER_TOKENS = 1_000
"""Room that the model wants for its answer."""


@dataclass
class Server:
    """What a running server knows. `bodies` are the requests it answered, `refusals` why it refused others."""

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def answer(self, body: dict[str, Any], window: int) -> tuple[int, dict[str, Any]]:
        """The status and the body of the answer to a request."""
        used = count(body)
        reason = out_of_order(body["messages"])
        if used + _ANSWER_TOKENS > window:
            reason = f"{used:,} tokens and {_ANSWER_TOKENS:,} for the answer do not fit {window:,}"
        if reason:
            self.refusals.append(reason)
            return 400, {"error": {"message": reason, "type": "invalid_request_error"}}
        self.bodies.append(body)
        self.tokens.append(used)
        message = think(len(self.bodies), body["messages"])
        finish = "tool_calls" if "tool_calls" in message else "stop"
        spoken = tokenizer("o200k_base").count(json.dumps(message))
        return 200, {
            "id": f"chatcmpl-{len(self.bodies)}", "object": "chat.completion", "created": 0, "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": used, "completion_tokens": spoken, "total_tokens": used + spoken},
        }  # fmt: skip


def think(number: int, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The model's answer to its request `number`: rounds of reading, editing and testing, each ended by a sentence."""
    module = MODULES[number * 7 % len(MODULES)]
    step = number % 12
    if step == 0:
        text = f"Decision: {module} keeps whole cents instead of rounding, as the tests of round {number} want it."
        return {"role": "assistant", "content": text}
    calls: list[tuple[str, dict[str, str]]] = [("read_file", {"path": f"src/{module}.py"})]
    if step in (3, 9):
        calls.append(("read_file", {"path": f"src/{MODULES[number * 3 % len(MODULES)]}.py"}))
    if step in (4, 8, 11):
        calls = [("run_tests", {})]
    if step == 5:
        calls = [("edit_file", {"path": f"src/{module}.py", "old": "in cents", "new": f"in cents ({number})"})]
    if step == 6:
        calls = [("search", {"query": f"{module} AssertionError"})]
    stubs = _STUB.findall("\n".join(str(message.get("content")) for message in messages))
    if step == 7 and stubs:
        calls = [("retrieve", {"ref": stubs[-1]})]
    made = [
        {"id": f"call_{number}_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": f"Step {number}: {module}.", "tool_calls": made}


def count(body: dict[str, Any]) -> int:
    """Tokens of a request as this model counts them."""
    table = tokenizer("o200k_base")
    texts = [json.dumps(body.get("tools", []))]
    for message in body["messages"]:
        texts.append(message.get("content") or "")
        for call in message.get("tool_calls", ()):
            texts += [call["function"]["name"], call["function"]["arguments"]]
    return sum(table.count(text) for text in texts) + 4 * len(body["messages"])


def out_of_order(messages: list[dict[str, Any]]) -> str:
    """Why a provider would refuse the order of these messages; empty for a valid one."""
    waiting: list[str] = []
    begun = False
    for number, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            if message["tool_call_id"] not in waiting:
                return f"message {number} answers {message['tool_call_id']!r}, which nothing right before it asks for"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return f"message {number} stands before the results of {waiting}"
        if role != "system" and not begun:
            if role != "user":
                return f"the conversation begins with a message of {role!r}"
            begun = True
        waiting = [call["id"] for call in message.get("tool_calls", ())]
    return f"the request ends before the results of {waiting}" if waiting else ""


@contextmanager
def serving(window: int) -> Iterator[Server]:
    """A server for a model with a window of that many tokens."""
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = server.answer(body, window)
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: object) -> None:
            """Nothing on stderr."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    server.url = f"http://127.0.0.1:{listening.server_port}/v1"
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
