"""The curator's bounded conversation, one event at a time.

`step()` advances by exactly one event: a request, a response, one tool result, a rejected plan, or what ended the
loop. Running it to the end and stepping through it give the same events.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from ravenglass.curator.desk import Desk
from ravenglass.curator.fail_safe import fail_safe
from ravenglass.curator.plan import Assembled
from ravenglass.curator.tools import BUILD_CONTEXT, TOOLS
from ravenglass.errors import PlanError, RavenglassError
from ravenglass.trace import EventName, Json, TraceEvent


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One tool call of a policy's answer."""

    name: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class Answer:
    """What a policy answers at one step."""

    content: str
    requests: tuple[ToolRequest, ...]


@dataclass
class Turn:
    """What a policy sees: the desk, the step, the results of its calls so far."""

    desk: Desk
    step: int
    results: list[tuple[ToolRequest, Json]] = field(default_factory=list)


class Policy(Protocol):
    """Who answers a step."""

    @property
    def name(self) -> str: ...

    def answer(self, turn: Turn) -> Answer:
        """The next tool calls. May raise RavenglassError: the loop then ends in the fail-safe."""
        ...


class CuratorLoop:
    """One slow path as a conversation. `assembled` is set when it is done, whatever way it ended."""

    def __init__(self, desk: Desk, policy: Policy, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.desk = desk
        self.policy = policy
        self.assembled: Assembled | None = None
        self.failed_safe = False
        self.reason = ""
        """Why the fail-safe decided; empty otherwise."""
        self._clock = clock
        self._script = self._run()

    @property
    def done(self) -> bool:
        return self.assembled is not None

    def step(self) -> TraceEvent | None:
        """The next event, or None when the conversation is over."""
        return next(self._script, None)

    def _event(self, name: EventName, payload: Json) -> TraceEvent:
        return TraceEvent(name, payload, self.desk.view.call)

    def _run(self) -> Iterator[TraceEvent]:
        profile, started = self.desk.view.profile, self._clock()
        turn = Turn(self.desk, 0)
        for number in range(1, profile.max_steps + 1):
            turn.step = number
            yield self._event("curator_llm_request", self._request(number))
            try:
                answer = self.policy.answer(turn)
            except RavenglassError as error:
                self.reason = str(error)
                yield self._event("slow_path_exception", {"step": number, "error": str(error)})
                break
            yield self._event("curator_llm_response", _response(number, answer))
            for request in answer.requests:
                result = self._call(request)
                turn.results.append((request, result))
                yield self._event(
                    "curator_tool_result",
                    {"step": number, "tool": request.name, "arguments": request.arguments, "result": result},
                )
                if request.name == BUILD_CONTEXT:
                    if self.desk.assembled is not None:
                        self.assembled = self.desk.assembled
                        return
                    yield self._event("plan_rejected", {"step": number, **result})
            if self._clock() - started > profile.timeout_s:
                self.reason = f"the curator took longer than {profile.timeout_s:g} s"
                break
        else:
            self.reason = f"no accepted plan after {profile.max_steps} steps"
        self.failed_safe = True
        self.assembled = fail_safe(self.desk)

    def _request(self, step: int) -> Json:
        view = self.desk.view
        states: dict[str, int] = {}
        for g in range(view.known):
            label = view.state(g).label
            states[label] = states.get(label, 0) + 1
        return {
            "step": step, "policy": self.policy.name, "message_count": view.features.boundary(view.call),
            "groups": states, "budget": view.budget.available, "target": view.budget.target, "tools": list(TOOLS),
        }  # fmt: skip

    def _call(self, request: ToolRequest) -> Json:
        tool = TOOLS.get(request.name)
        if tool is None:
            return {"error": f"there is no tool {request.name!r}; there are {', '.join(TOOLS)}"}
        try:
            return tool.run(self.desk, request.arguments)
        except PlanError as error:
            return {"error": str(error)}


def _response(step: int, answer: Answer) -> Json:
    calls = [{"name": r.name, "arguments": r.arguments} for r in answer.requests]
    return {
        "step": step,
        "content": answer.content,
        "finish_reason": "tool_calls" if calls else "stop",
        "tool_calls": calls,
    }
