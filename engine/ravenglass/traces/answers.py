"""The curator's answers in a log: what it said and called at each step, with the result that each call got there."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise

from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.values import count, mapping, sequence, text
from ravenglass.trace import Json
from ravenglass.traces.model import TraceCall, TraceRecord
from ravenglass.traces.verdicts import read_verdict

BUILD_CONTEXT = "curator_build_context"


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """One tool call. `arguments` is None where they are no JSON object; `result` None where the log has none."""

    tool: str
    arguments: Json | None
    result: Json | None = None

    @property
    def accepted(self) -> bool:
        """Whether this call's plan was accepted."""
        return self.tool == BUILD_CONTEXT and self.result is not None and read_verdict(self.result).ok is True


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """The answer of one step, 1-based; `step` is None where the log does not number it."""

    step: int | None
    content: str
    finish_reason: str
    calls: tuple[LoggedCall, ...]


def answers(call: TraceCall) -> tuple[LoggedAnswer, ...]:
    """The answers of one call in order. Results are matched by order and tool, between this answer and the next."""
    found: list[LoggedAnswer] = []
    responses = [n for n, record in enumerate(call.records) if record.event == "curator_llm_response"]
    for begin, end in pairwise([*responses, len(call.records)]):
        results = deque(r for r in call.records[begin + 1 : end] if r.event == "curator_tool_result")
        found.append(_answer(call.records[begin], results))
    return tuple(found)


def _answer(response: TraceRecord, results: deque[TraceRecord]) -> LoggedAnswer:
    calls = []
    for item in map(mapping, sequence(response.payload.get("tool_calls"))):
        function = mapping(item.get("function")) or item
        tool = text(function.get("name"))
        arguments = _arguments(function.get("arguments"))
        result = None
        if results and text(results[0].payload.get("tool")) == tool:
            logged = results.popleft().payload
            result = mapping(logged.get("result"))
            if arguments is None and isinstance(logged.get("arguments"), dict):
                arguments = mapping(logged["arguments"])
        calls.append(LoggedCall(tool, arguments, result))
    payload = response.payload
    return LoggedAnswer(
        count(payload.get("step")), text(payload.get("content")), text(payload.get("finish_reason")), tuple(calls)
    )


def _arguments(value: object) -> Json | None:
    """Arguments as an object; they are logged as one, or as its JSON text."""
    if isinstance(value, str):
        try:
            value = decode_value(value.encode("utf-8", "surrogatepass")) if value.strip() else {}
        except ValueError:
            return None
    return value if isinstance(value, dict) else None
