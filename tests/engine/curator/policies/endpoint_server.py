"""An OpenAI-compatible endpoint on 127.0.0.1 that does, request by request, what a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ravenglass.curator.policies.endpoint import Endpoint, make_endpoint

Act = Callable[[BaseHTTPRequestHandler], None]
BUILD = "curator_build_context"


def call(name: str, arguments: object, call_id: str = "c1") -> dict[str, Any]:
    """A tool call; arguments that are no text are written as JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def build(ids: Sequence[int], **more: object) -> dict[str, Any]:
    return call(BUILD, {"include_message_ids": list(ids), **more}, "build")


def message(*calls: dict[str, Any], content: str | None = None, **more: object) -> dict[str, Any]:
    made: dict[str, Any] = {"role": "assistant", "content": content, **more}
    return made | ({"tool_calls": list(calls)} if calls else {})


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, kind: str, **headers: str) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def whole(said: dict[str, Any], finish: str = "tool_calls") -> Act:
    """One answer in one piece, whatever was asked for."""
    body = {"id": "x", "object": "chat.completion", "choices": [{"index": 0, "message": said, "finish_reason": finish}]}
    return lambda handler: send(handler, 200, json.dumps(body).encode(), "application/json")


def pieces(said: dict[str, Any], size: int = 7, finish: str = "tool_calls") -> Iterator[bytes]:
    """The events of a stream: content and arguments cut into bits of `size` characters."""

    def event(delta: dict[str, Any], reason: str | None = None) -> bytes:
        chunk = {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        return b"data: " + json.dumps(chunk).encode() + b"\n\n"

    yield event({"role": "assistant"})
    content = said.get("content") or ""
    for at in range(0, len(content), size):
        yield event({"content": content[at : at + size]})
    for index, one in enumerate(said.get("tool_calls", ())):
        function = one["function"]
        head = {"index": index, "id": one["id"], "type": "function"}
        yield event({"tool_calls": [head | {"function": {"name": function["name"], "arguments": ""}}]})
        for at in range(0, len(function["arguments"]), size):
            bit = {"index": index, "function": {"arguments": function["arguments"][at : at + size]}}
            yield event({"tool_calls": [bit]})
    yield event({}, finish)
    yield b"data: [DONE]\n\n"


def stream(said: dict[str, Any], *, until: int | None = None, keep_open: float = 0, size: int = 7) -> Act:
    """The answer as a stream; `until` cuts it after that many events, `keep_open` holds the connection after it."""

    def act(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        for event in list(pieces(said, size))[:until]:
            handler.wfile.write(event)
            handler.wfile.flush()
        time.sleep(keep_open)

    return act


def error(status: int, text: str = "overloaded", **headers: str) -> Act:
    body = json.dumps({"error": {"message": text}}).encode()
    return lambda handler: send(handler, status, body, "application/json", **headers)


def raw(body: bytes, kind: str = "application/json") -> Act:
    return lambda handler: send(handler, 200, body, kind)


def hang(seconds: float) -> Act:
    """Says nothing for a while, then closes."""
    return lambda _: time.sleep(seconds)


def drip(seconds: float) -> Act:
    """A byte now and then, never an end: no single read takes long."""

    def act(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)

    return act


class Served:
    """What a test has of the running server: its settings and the requests that came in."""

    def __init__(self, url: str, requests: list[dict[str, Any]], keys: list[str]) -> None:
        self.url = url
        self.requests = requests
        self.keys = keys

    def endpoint(self, **values: object) -> Endpoint:
        """Settings for this server, without pauses."""
        return make_endpoint(
            **{"base_url": self.url, "model": "test-model", "api_key_env": "", "pause_s": 0.0, **values}
        )


@contextmanager
def serving(*acts: Act) -> Iterator[Served]:
    """Does the acts one by one; asked more often than that, it answers 418."""
    requests: list[dict[str, Any]] = []
    keys: list[str] = []
    left = iter(acts)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            requests.append(json.loads(body))
            keys.append(self.headers.get("Authorization", ""))
            try:
                next(left, error(418, "the test has no answer left"))(self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client had enough: that is what the test is about

        def log_message(self, *arguments: object) -> None:
            """Nothing on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield Served(f"http://127.0.0.1:{server.server_port}/v1", requests, keys)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
