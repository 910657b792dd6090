"""Payloads of the curator's path: what is decided at a call, by whom, and what came of it. Tokens, unless said
otherwise; messages by id."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from ravenglass.trace.payload import UNSET, EventName, Json, Payload, UnsetType


class CuratorStart(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "curator_start"
    budget: Json
    message_count: int
    history_tokens: int
    threshold_tokens: int
    max_steps: int


class FastPath(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "fast_path"
    path: str = "fast"
    history_tokens: int
    threshold_tokens: int


class CuratorRequest(Payload, frozen=True, kw_only=True):
    """`groups`: state -> groups in it. `messages`: what a model is sent."""

    event: ClassVar[EventName] = "curator_llm_request"
    step: int
    policy: str
    message_count: int
    groups: dict[str, int]
    budget: int
    target: int
    tools: list[str]
    messages: list[Json] | UnsetType = UNSET


class CallMade(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    arguments: Json


class CuratorResponse(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "curator_llm_response"
    step: int
    content: str
    finish_reason: str
    tool_calls: list[CallMade]
    prompt_tokens: int | UnsetType = UNSET
    completion_tokens: int | UnsetType = UNSET
    requests: int | UnsetType = UNSET


class CuratorToolResult(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "curator_tool_result"
    step: int
    tool: str
    arguments: Json
    result: Json


class PlanRejected(Payload, frozen=True, kw_only=True):
    """`result` is what the tool answered; its fields stand beside the step."""

    event: ClassVar[EventName] = "plan_rejected"
    step: int
    result: Json

    def as_json(self) -> Json:
        return {"step": self.step, **self.result}


class SlowPathException(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "slow_path_exception"
    step: int
    error: str


class PlanMade(msgspec.Struct, frozen=True, kw_only=True):
    """`author` where a person made it; `working_state` where the plan wrote one."""

    author: str | UnsetType = UNSET
    include_message_ids: list[int]
    archive: list[int]
    working_state_injection: bool
    summary: bool
    working_state: Json | UnsetType = UNSET


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    ok: bool
    total_tokens: int
    max_prompt_tokens: int
    over_by: int
    source: str
    dropped: list[int]
    shrunk: list[int]
    assembler_warnings: list[str]
    impossible: bool


class SlowPathAccepted(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "slow_path_accepted"
    plan: PlanMade
    validation: Validation


class Fallback(Payload, frozen=True, kw_only=True):
    """The fail-safe decided, under the name of the reference implementation."""

    event: ClassVar[EventName] = "fallback"
    reason: str
    plan: PlanMade
    validation: Validation


class MainAgentResult(Payload, frozen=True, kw_only=True):
    event: ClassVar[EventName] = "main_agent_result"
    message: int
    response: str
    usage: Json | None
