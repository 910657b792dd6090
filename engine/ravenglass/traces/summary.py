"""One call of a log in figures: path, pressure, steps, plan, verdict, usage. What the log does not hold is None."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ravenglass.sessions.model.session import Usage
from ravenglass.sessions.records.values import count, mapping
from ravenglass.trace import EVENT_NAMES, Json
from ravenglass.traces.answers import answers
from ravenglass.traces.budgets import LoggedBudget, read_budget
from ravenglass.traces.manifests import REQUEST, current_request, history_tokens
from ravenglass.traces.model import START, TraceCall
from ravenglass.traces.stepping import LoggedPath, TraceReplay
from ravenglass.traces.verdicts import LoggedPlan, LoggedVerdict


@dataclass(frozen=True, slots=True)
class CallSummary:
    """Tokens, counts and the decided plan of one logged call."""

    number: int
    path: LoggedPath | None
    """None: the log ends before the call was decided."""
    budget: LoggedBudget
    history_tokens: int | None
    threshold_tokens: int | None
    message_count: int | None
    request: str
    """The user message that the window was made for, as far as the log shows it."""
    steps: int
    max_steps: int | None
    tools: dict[str, int]
    """Tool name -> how often the curator called it."""
    plan: LoggedPlan | None
    verdict: LoggedVerdict | None
    rejected: int
    accepted_at: int | None
    """Step whose plan was accepted."""
    archived: tuple[int, ...]
    reason: str
    """Why the fail-safe decided, or what the curator last said; empty where the log does not say."""
    usage: Usage | None
    seconds: float | None
    """From the first event to the decision; None without times."""
    unknown_events: tuple[str, ...]

    @property
    def included(self) -> int | None:
        """Messages in the window; None: not said."""
        if self.verdict is not None and self.verdict.included is not None:
            return len(self.verdict.included)
        if self.path == "fast":
            return self.message_count
        return len(self.plan.include) if self.path is not None and self.plan is not None else None

    @property
    def outcome(self) -> str:
        """The verdict in a few words."""
        if self.path is None:
            return "unfinished: the log ends before a decision"
        if self.path == "fast":
            return "everything live passed"
        if self.path == "slow":
            return "accepted" if self.accepted_at is None else f"accepted at step {self.accepted_at}"
        return f"fail-safe: {self.reason}" if self.reason else "fail-safe"


def summarise(call: TraceCall) -> CallSummary:
    """The figures of a call; the same that stepping through it ends in."""
    state = TraceReplay(call).run()
    begin = call.first(START)
    start: Json = begin.payload if begin else {}
    fast = call.first("fast_path")
    request = call.first(REQUEST)
    spoken = answers(call)
    pressure = [fast.payload if fast else {}, start]
    history = next((n for p in pressure if (n := count(p.get("history_tokens"))) is not None), None)
    if history is None and request is not None:
        history = history_tokens(request)
    accepted = next((n for n, a in enumerate(spoken, 1) if any(c.accepted for c in a.calls)), None)
    return CallSummary(
        number=call.number,
        path=state.path,
        budget=read_budget(start),
        history_tokens=history,
        threshold_tokens=next((n for p in pressure if (n := count(p.get("threshold_tokens"))) is not None), None),
        message_count=count(start.get("message_count")),
        request=current_request(request) if request else "",
        steps=state.step,
        max_steps=count(start.get("max_steps")),
        tools=dict(Counter(c.tool for a in spoken for c in a.calls)),
        plan=state.plan,
        verdict=state.verdict,
        rejected=state.rejected,
        accepted_at=accepted,
        archived=state.archived,
        reason=_reason(state.trouble, spoken[-1].content if spoken and not spoken[-1].calls else ""),
        usage=read_usage(mapping(state.result).get("usage")),
        seconds=_seconds(call),
        unknown_events=tuple(dict.fromkeys(r.event for r in call.records if r.event and r.event not in EVENT_NAMES)),
    )


def read_usage(value: object) -> Usage | None:
    """Usage as the provider reported it, in our names or in OpenAI's; None where there is none."""
    found = mapping(value)
    if not found:
        return None
    context, output = count(found.get("context")), count(found.get("output"))
    return Usage(
        context if context is not None else count(found.get("prompt_tokens")),
        output if output is not None else count(found.get("completion_tokens")),
        count(found.get("cache_read")),
        count(found.get("cache_write")),
    )


def _reason(trouble: str, last_words: str) -> str:
    if trouble:
        return trouble
    return f"the curator's last answer was no tool call: {' '.join(last_words.split())}" if last_words.strip() else ""


def _seconds(call: TraceCall) -> float | None:
    decided = ("fast_path", "slow_path_accepted", "fallback")
    begin = next((r.ts for r in call.records if r.ts is not None), None)
    end = next((r.ts for r in call.records if r.event in decided and r.ts is not None), None)
    return end - begin if begin is not None and end is not None else None
