"""One question to an endpoint, within a time limit, repeated where that may help. No knowledge of the curator.

Requests go out through the `openai` package, an optional extra that is imported only here. The reply is read as bytes:
no reply, however odd, becomes anything but a Reply or one RavenglassError.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from queue import Empty, SimpleQueue
from threading import Thread
from types import ModuleType
from typing import Any

from ravenglass.curator.policies.endpoint import Endpoint
from ravenglass.curator.policies.reply import END_CHARS, BadReplyError, Reply, ended, read_reply
from ravenglass.errors import Cancelled, RavenglassError
from ravenglass.trace import Json

_REPEATABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses of a passing trouble."""
_SHOWN = 300
"""Characters of an endpoint's own error text that the sentence quotes."""
_NO_KEY = "none"
_LOOK_S = 0.05
"""Seconds between two looks at whether anyone still wants the answer."""
_LONGEST_S = 86_400.0
"""Where there is no time limit, this one keeps the clocks of the libraries in range."""


def _never() -> bool:
    return False


class _PassingError(RavenglassError):
    """A trouble that a repetition may get over. `after` is the endpoint's own wish in seconds."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


def load_openai() -> ModuleType:
    """The `openai` package. Raises RavenglassError saying what to install where it is missing."""
    try:
        import openai
    except ImportError as error:
        raise RavenglassError(
            "The model policy needs the openai package, which is not installed; install it with"
            " pip install 'ravenglass[model]'."
        ) from error
    return openai


def ask(
    endpoint: Endpoint,
    messages: list[Json],
    tools: list[Json],
    left: float,
    *,
    key: str = "",
    stop: Callable[[], bool] = _never,
) -> Reply:
    """The model's answer to a conversation, within `left` seconds, repetitions and pauses included.

    `key` goes before the endpoint's variable. Once `stop` says so, nothing is waited for any more, and it raises
    Cancelled. Else it raises RavenglassError with one sentence: no package, no key, no connection, an error status, a
    time-out, a reply that is no chat completion.
    """
    openai, key, left = load_openai(), key or key_of(endpoint), min(left, _LONGEST_S)
    deadline = time.monotonic() + left
    pause = endpoint.pause_s
    attempt = 0
    while True:
        attempt += 1
        remaining = deadline - time.monotonic()
        try:
            reply = _within(remaining, left, stop, lambda: _once(openai, endpoint, key, messages, tools, deadline))
            return replace(reply, requests=attempt)
        except (BadReplyError, _PassingError) as error:
            wait = error.after if isinstance(error, _PassingError) and error.after is not None else pause
            if attempt > endpoint.retries or time.monotonic() + wait >= deadline:
                tries = "" if attempt == 1 else f" (tried {attempt} times)"
                raise RavenglassError(f"The model at {endpoint.shown} gave no answer{tries}: {error}.") from error
            _rest(wait, stop)
            pause *= 2


def key_of(endpoint: Endpoint) -> str:
    """The key in the endpoint's variable. Raises RavenglassError where that is not set."""
    if not endpoint.api_key_env:
        return _NO_KEY  # the package insists on one; endpoints without keys ignore it
    key = os.environ.get(endpoint.api_key_env, "")
    if not key:
        raise RavenglassError(
            f"The environment variable {endpoint.api_key_env}, which holds the key for {endpoint.shown}, is not set."
        )
    return key


def _rest(seconds: float, stop: Callable[[], bool]) -> None:
    """Wait, in short pieces. Raises Cancelled once `stop` says so."""
    until = time.monotonic() + seconds
    while not stop():
        rest = until - time.monotonic()
        if rest <= 0:
            return
        time.sleep(min(rest, _LOOK_S))
    raise _stopped()


def _stopped() -> Cancelled:
    return Cancelled("The question to the model was cancelled.")


def _within(remaining: float, left: float, stop: Callable[[], bool], work: Callable[[], Reply]) -> Reply:
    """Do the work in a thread of its own, so that an endpoint that drips bytes cannot hold the loop beyond its limit.

    A thread that is left behind ends at its own next look at the clock.
    """
    box: SimpleQueue[Reply | Exception] = SimpleQueue()

    def run() -> None:
        try:
            box.put(work())
        except Exception as error:  # handed over to the caller's thread, which raises it
            box.put(error)

    if remaining > 0:
        Thread(target=run, name="ravenglass-model", daemon=True).start()
    until = time.monotonic() + remaining
    while True:
        try:
            found = box.get(timeout=max(0.0, min(_LOOK_S, until - time.monotonic())))
            break
        except Empty:
            if stop():
                raise _stopped() from None
            if time.monotonic() >= until:
                sentence = f"The model did not answer within the {left:.3g} s that were left."
                raise RavenglassError(sentence) from None
    if isinstance(found, Exception):
        raise found
    return found


def _once(openai: Any, endpoint: Endpoint, key: str, messages: list[Json], tools: list[Json], deadline: float) -> Reply:
    remaining = max(0.001, deadline - time.monotonic())
    client = openai.OpenAI(base_url=endpoint.base_url, api_key=key, timeout=remaining, max_retries=0)
    body = bytearray()
    more = {"stream_options": {"include_usage": True}} if endpoint.stream and endpoint.stream_usage else {}
    try:
        with client, client.chat.completions.with_streaming_response.create(
            model=endpoint.model, messages=messages, tools=tools, temperature=endpoint.temperature,
            stream=endpoint.stream, **more,
        ) as response:  # fmt: skip
            for piece in response.iter_bytes():
                body += piece
                if len(body) > endpoint.reply_bytes:
                    raise BadReplyError(f"the reply is larger than {endpoint.reply_bytes:,} bytes")
                if ended(bytes(body[-END_CHARS:])):
                    break
                if time.monotonic() > deadline:
                    raise RavenglassError("The model's answer was still coming in when the time was up.")
    except RavenglassError:
        raise
    except openai.APITimeoutError as error:
        raise RavenglassError(f"The model at {endpoint.shown} did not answer in time.") from error
    except openai.APIStatusError as error:
        raise _status_error(endpoint, key, error) from error
    except Exception as error:  # transport errors of whatever HTTP library the package brings
        cause = error.__cause__ or error
        raise _PassingError(f"the connection failed, {type(cause).__name__} {cause}".rstrip()) from error
    return read_reply(bytes(body))


def _status_error(endpoint: Endpoint, key: str, error: Any) -> RavenglassError:
    told = str(error.message).replace(key, "***") if key != _NO_KEY else str(error.message)
    told = " ".join(told.split())[:_SHOWN]
    if error.status_code in _REPEATABLE:
        return _PassingError(f"HTTP {error.status_code}: {told}", _retry_after(error))
    return RavenglassError(f"The model at {endpoint.shown} refused the request, HTTP {error.status_code}: {told}.")


def _retry_after(error: Any) -> float | None:
    """Seconds that the endpoint asks to wait; None where it gives no readable number."""
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
