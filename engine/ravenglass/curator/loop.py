"""The curator's bounded conversation, one event at a time.

`step()` advances by exactly one event: a request, a response, one tool result, a rejected plan, or what ended the
loop. Running it to the end and stepping through it give the same events. The tools are imported by the first loop: a
run of fast paths has none.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from ravenglass.curator.desk import Desk
from ravenglass.curator.fail_safe import fail_safe
from ravenglass.curator.plan import BUILD_CONTEXT, Assembled, Author
from ravenglass.errors import PlanError, RavenglassError
from ravenglass.trace import Json, OurPayload, TraceEvent
from ravenglass.trace.curating import (
    CallMade,
    CuratorRequest,
    CuratorResponse,
    CuratorToolResult,
    PlanRejected,
    SlowPathException,
)
from ravenglass.trace.payload import UNSET


@dataclass(frozen=True, slots=True)
class CuratorCall:
    """One tool call of a policy's answer. `problem` says why its arguments could not be read; the tool is then not
    run, and the sentence is its result."""

    name: str
    arguments: Json
    problem: str = ""


@dataclass(frozen=True, slots=True)
class AnswerUsage:
    """The curator's own tokens for one answer, as the endpoint reported them."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a policy answers at one step."""

    content: str
    calls: tuple[CuratorCall, ...]
    finish_reason: str = ""
    """As an endpoint gave it; empty where none was asked, or said nothing."""
    usage: AnswerUsage | None = None
    """None where no endpoint reported any."""
    requests: int = 0
    """How often an endpoint was asked for it, repetitions included; 0 where none was."""


@dataclass
class Deliberation:
    """A slow path so far, as its policy sees it: the desk, the step, the results of its calls. One for all steps."""

    desk: Desk
    step: int
    results: list[tuple[CuratorCall, Json]] = field(default_factory=list)
    left: float = math.inf
    """Seconds that the time limit leaves for this step."""


class Policy(Protocol):
    """Who answers a step."""

    @property
    def name(self) -> Author:
        """Who it is; plans carry it as their author."""
        ...

    def answer(self, so_far: Deliberation) -> Answer:
        """The next tool calls. May raise RavenglassError with a sentence: the loop then ends in the fail-safe."""
        ...


@runtime_checkable
class Conversing(Protocol):
    """A policy whose requests are texts: the trace keeps them."""

    def request(self, so_far: Deliberation) -> list[Json]:
        """The messages that this step sends. Looking changes nothing: `answer` then sends the same."""
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
        self._spent = self._entered = 0.0
        self._script = self._run()

    @property
    def done(self) -> bool:
        return self.assembled is not None

    def step(self) -> TraceEvent | None:
        """The next event, or None when the conversation is over."""
        self._entered = self._clock()
        event = next(self._script, None)
        self._spent += self._clock() - self._entered
        return event

    @property
    def _elapsed(self) -> float:
        """Seconds spent inside `step()`: a person who steps slowly, or thinks, uses up no time limit."""
        return self._spent + self._clock() - self._entered

    def _event(self, body: OurPayload) -> TraceEvent:
        return TraceEvent(body, self.desk.view.call)

    def _run(self) -> Iterator[TraceEvent]:
        profile = self.desk.view.profile
        so_far = Deliberation(self.desk, 0)
        for number in range(1, profile.max_steps + 1):
            so_far.step = number
            self.desk.steps_left = profile.max_steps - number
            try:
                request = self._request(so_far)
            except Exception as error:  # as below
                yield self._failed(number, error)
                break
            yield self._event(request)
            so_far.left = profile.timeout_s - self._elapsed
            try:
                answer = self.policy.answer(so_far)
            except Exception as error:  # a policy is foreign code: whatever it does, there is a window
                yield self._failed(number, error)
                break
            yield self._event(_response(number, answer))
            if self._elapsed > profile.timeout_s:
                self.reason = _too_long(profile.timeout_s)
                break
            for call in answer.calls:
                result = self._call(call)
                so_far.results.append((call, result))
                yield self._event(
                    CuratorToolResult(step=number, tool=call.name, arguments=call.arguments, result=result)
                )
                if call.name == BUILD_CONTEXT:
                    if self.desk.assembled is not None:
                        self.assembled = self.desk.assembled
                        return
                    yield self._event(PlanRejected(step=number, result=result))
            if self._elapsed > profile.timeout_s:
                self.reason = _too_long(profile.timeout_s)
                break
        else:
            if self.desk.over is not None:
                # No better plan came: the last one that was over budget stands, trimmed.
                self.assembled = self.desk.over
                return
            self.reason = f"no accepted plan after {profile.max_steps} steps{_last_rejection(so_far)}"
        self.failed_safe = True
        self.assembled = fail_safe(self.desk)

    def _failed(self, step: int, error: Exception) -> TraceEvent:
        """The event of a policy that failed; an error that is none of ours is named with its kind."""
        said = str(error)
        self.reason = said if isinstance(error, RavenglassError) else f"{type(error).__name__}: {said}"
        return self._event(SlowPathException(step=step, error=self.reason))

    def _request(self, so_far: Deliberation) -> CuratorRequest:
        view = self.desk.view
        states: dict[str, int] = {}
        for g in range(view.known):
            label = view.state(g).label
            states[label] = states.get(label, 0) + 1
        from ravenglass.curator.tools import TOOLS

        return CuratorRequest(
            step=so_far.step,
            policy=self.policy.name,
            message_count=view.features.boundary(view.call),
            groups=states,
            budget=view.budget.available,
            target=view.budget.target,
            tools=list(TOOLS),
            messages=self.policy.request(so_far) if isinstance(self.policy, Conversing) else UNSET,
        )

    def _call(self, call: CuratorCall) -> Json:
        from ravenglass.curator.tools import TOOLS

        tool = TOOLS.get(call.name)
        if tool is None:
            return {"error": f"there is no tool {call.name!r}; there are {', '.join(TOOLS)}"}
        if call.problem:
            return {"error": call.problem}
        try:
            return tool.run(self.desk, call.arguments)
        except PlanError as error:
            return {"error": str(error)}


def _too_long(limit: float) -> str:
    return f"the curator took longer than {limit:g} s"


def _last_rejection(so_far: Deliberation) -> str:
    """Why the last plan came back, as the end of a sentence; empty if there was none."""
    last = next((result for call, result in reversed(so_far.results) if call.name == BUILD_CONTEXT), None)
    if last is None:
        return ""
    errors = last.get("errors")
    return f"; the last one: {'; '.join(map(str, errors)) if isinstance(errors, list) else last.get('error')}"


def _response(step: int, answer: Answer) -> CuratorResponse:
    calls = [CallMade(name=call.name, arguments=call.arguments) for call in answer.calls]
    usage = answer.usage
    return CuratorResponse(
        step=step,
        content=answer.content,
        finish_reason=answer.finish_reason or ("tool_calls" if calls else "stop"),
        tool_calls=calls,
        prompt_tokens=UNSET if usage is None else usage.prompt_tokens,
        completion_tokens=UNSET if usage is None else usage.completion_tokens,
        requests=answer.requests or UNSET,
    )
