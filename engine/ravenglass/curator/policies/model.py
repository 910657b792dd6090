"""The model policy: a language model behind any OpenAI-compatible endpoint answers the steps.

Whatever the model does wrong ends in one of two ways: the error goes back to it as a tool's result, or the policy
raises a RavenglassError and the loop ends in the fail-safe.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from ravenglass.curator.loop import Answer, CuratorCall, Deliberation
from ravenglass.curator.plan import Author
from ravenglass.curator.policies.briefing import NUDGE, RULES, brief
from ravenglass.curator.policies.endpoint import Endpoint
from ravenglass.curator.policies.reply import CallReply, Reply
from ravenglass.curator.policies.transport import ask
from ravenglass.curator.tools import TOOLS
from ravenglass.errors import RavenglassError
from ravenglass.sessions.records.values import clean, dump
from ravenglass.trace import Json

_ECHO = 200
"""Characters of unreadable arguments that the model is shown again."""
_ODD = re.compile(r"[^A-Za-z0-9_-]")

Ask = Callable[[Endpoint, list[Json], list[Json], float], Reply]
"""Endpoint, conversation, tools and seconds left to the model's answer."""


class ModelPolicy:
    """Keeps the conversation of one slow path; the first step of another one begins anew."""

    name: Author = "model"

    def __init__(self, endpoint: Endpoint, ask: Ask = ask) -> None:
        self.endpoint = endpoint
        self._ask = ask
        self._so_far: Deliberation | None = None
        self._conversation: list[Json] = []
        self._open: list[str] = []
        """Ids of the last answer's calls, in order; their results are the newest of the slow path."""
        self._told = 0
        """Results of the slow path that the conversation holds."""
        self._silent = 0
        self._ids = 0

    def request(self, so_far: Deliberation) -> list[Json]:
        """The messages that this step sends, each cut to what a trace keeps."""
        self._prepare(so_far)
        limit = self.endpoint.trace_chars
        return [{**m, "content": _cut(str(m.get("content") or ""), limit)} for m in self._conversation]

    def answer(self, so_far: Deliberation) -> Answer:
        """Ask the model. Raises RavenglassError where it cannot be reached or will not answer."""
        self._prepare(so_far)
        tools = [tool.schema() for tool in TOOLS.values()]
        reply = self._ask(self.endpoint, self._conversation, tools, so_far.left)
        if not reply.calls:
            self._count_silence(so_far, reply)
            self._conversation.append({"role": "assistant", "content": reply.content or "(nothing)"})
            return Answer(reply.content, (), reply.finish_reason, reply.usage, reply.requests)
        self._silent = 0
        calls = self._identified(reply.calls)
        self._open = [call.id for call in calls]
        understood = tuple(_understood(call, reply.finish_reason) for call in calls)
        spoken = [_spoken(*pair) for pair in zip(calls, understood, strict=True)]
        self._conversation.append({"role": "assistant", "content": reply.content or None, "tool_calls": spoken})
        return Answer(reply.content, understood, reply.finish_reason, reply.usage, reply.requests)

    def _prepare(self, so_far: Deliberation) -> None:
        """Bring the conversation up to date with the slow path so far. Doing it twice changes nothing."""
        if so_far is not self._so_far:
            self._so_far, self._open, self._told, self._silent, self._ids = so_far, [], 0, 0, 0
            first = str(clean(brief(so_far.desk, self.endpoint.manifest_chars)))
            self._conversation = [{"role": "system", "content": RULES}, {"role": "user", "content": first}]
        new = so_far.results[self._told :]
        for call_id, (_, result) in zip(self._open, new, strict=True):
            content = _cut(str(clean(dump(result))), self.endpoint.result_chars)
            self._conversation.append({"role": "tool", "tool_call_id": call_id, "content": content})
        self._told, self._open = len(so_far.results), []
        if self._conversation[-1]["role"] == "assistant":
            self._conversation.append({"role": "user", "content": NUDGE})

    def _count_silence(self, so_far: Deliberation, reply: Reply) -> None:
        self._silent += 1
        if self._silent < self.endpoint.silent_answers:
            return
        how = "refused" if reply.refused else "answered without a tool call"
        said = f": {_cut(' '.join(reply.content.split()), 120)}" if reply.content.strip() else ""
        times = "" if self._silent == 1 else f" {self._silent} times in a row"
        raise RavenglassError(f"The model {how}{times}, last at step {so_far.step}{said}.")

    def _identified(self, calls: tuple[CallReply, ...]) -> list[CallReply]:
        """The calls with ids that are there and differ, as endpoints demand them back."""
        seen: set[str] = set()
        found = []
        for call in calls:
            self._ids += 1
            call_id = call.id if call.id and call.id not in seen else f"curator_{self._ids}"
            seen.add(call_id)
            found.append(CallReply(call_id, call.name, call.arguments))
        return found


def _spoken(call: CallReply, understood: CuratorCall) -> Json:
    """The call as the conversation repeats it: endpoints refuse odd names and arguments that are no JSON object."""
    arguments = dump({"unreadable": _cut(call.arguments, _ECHO)} if understood.problem else understood.arguments)
    name = _ODD.sub("_", call.name)[:64] or "unnamed"
    return {"id": call.id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _understood(call: CallReply, finish_reason: str) -> CuratorCall:
    """The call with its arguments read; a problem with them is the tool's result."""
    try:
        arguments = json.loads(call.arguments, parse_constant=_no_constant) if call.arguments.strip() else {}
    except (ValueError, RecursionError) as error:
        cut = "; the answer was cut at its length limit" if finish_reason == "length" else ""
        told = str(error) or "nested too deeply"
        return CuratorCall(call.name, {}, f"the arguments of {call.name} are no JSON ({told}){cut}; send one object")
    if not isinstance(arguments, dict):
        kind = type(arguments).__name__
        return CuratorCall(call.name, {}, f"the arguments of {call.name} are a JSON {kind}; send one object")
    cleaned = clean(arguments)
    assert isinstance(cleaned, dict)
    return CuratorCall(call.name, cleaned)


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON number")


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}... [{len(text) - limit:,} more characters]"
