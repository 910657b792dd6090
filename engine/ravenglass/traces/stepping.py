"""A logged call stepped through, event by event, without its session: what the curator's draft was after each one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ravenglass.sessions.records.values import count, mapping, sequence, text
from ravenglass.trace import Json
from ravenglass.traces.answers import BUILD_CONTEXT
from ravenglass.traces.model import TraceCall, TraceRecord
from ravenglass.traces.verdicts import LoggedPlan, LoggedVerdict, ids, read_plan, read_verdict, strings

LoggedPath = Literal["fast", "slow", "fail_safe"]


@dataclass(frozen=True, slots=True)
class LogState:
    """What is true after some event of a call, as far as the log says it. None: not said, or not yet."""

    step: int = 0
    """Curator steps begun."""
    path: LoggedPath | None = None
    """Set once it is taken; a call that ends without one is unfinished."""
    plan: LoggedPlan | None = None
    """The latest plan, submitted or decided."""
    verdict: LoggedVerdict | None = None
    rejected: int = 0
    """Plans that came back."""
    archived: tuple[int, ...] = ()
    archive_refs: tuple[str, ...] = ()
    relevance: tuple[tuple[int, float], ...] = ()
    """(message, value) as the curator set them, latest last."""
    working_state: Json | None = None
    trouble: str = ""
    """What an exception event said."""
    result: Json | None = None
    """The payload of `main_agent_result`."""


def after(state: LogState, record: TraceRecord) -> LogState:
    """The state after one more event. Unknown events change nothing."""
    payload = record.payload
    match record.event:
        case "fast_path":
            return replace(state, path="fast")
        case "curator_llm_request":
            step = count(payload.get("step"))
            return replace(state, step=state.step + 1 if step is None else step)
        case "curator_tool_result":
            return _tool(state, text(payload.get("tool")), payload)
        case "slow_path_accepted" | "fallback":
            path: LoggedPath = "slow" if record.event == "slow_path_accepted" else "fail_safe"
            plan, verdict = read_plan(payload.get("plan")), read_verdict(payload.get("validation"))
            return replace(state, path=path, plan=plan, verdict=verdict)
        case "slow_path_exception":
            told = text(payload.get("error")) or "the log names no reason"
            return replace(state, trouble=told)
        case "main_agent_result":
            return replace(state, result=payload)
    return state


def _tool(state: LogState, tool: str, payload: Json) -> LogState:
    arguments, result = mapping(payload.get("arguments")), mapping(payload.get("result"))
    if tool == BUILD_CONTEXT:
        verdict = read_verdict(result)
        rejected = state.rejected + (verdict.ok is False)
        return replace(state, plan=read_plan(arguments), verdict=verdict, rejected=rejected)
    if "error" in result:
        return state
    if tool == "curator_archive_messages":
        moved = ids(result.get("archived_message_ids")) or ids(arguments.get("message_ids"))
        refs = (*strings(result.get("archive_refs")), *strings(result.get("refs")))
        archived = tuple(dict.fromkeys((*state.archived, *moved)))
        return replace(state, archived=archived, archive_refs=tuple(dict.fromkeys((*state.archive_refs, *refs))))
    if tool == "curator_set_relevance":
        return replace(state, relevance=(*state.relevance, *_relevance(arguments, result)))
    if tool == "curator_update_working_state":
        return replace(state, working_state=arguments)
    return state


def _relevance(arguments: Json, result: Json) -> list[tuple[int, float]]:
    """What was set, in our form or the reference implementation's, without what it rejected itself."""
    refused = {count(mapping(item).get("message_id")) for item in sequence(result.get("rejected"))}
    pairs = [(m, arguments.get("relevance")) for m in ids(arguments.get("message_ids"))]
    pairs += [
        (m, item.get("relevance"))
        for item in map(mapping, sequence(arguments.get("updates")))
        if (m := count(item.get("message_id"))) is not None
    ]
    return [(m, float(v)) for m, v in pairs if isinstance(v, int | float) and m not in refused]


class TraceReplay:
    """Steps through a call. `state` is what holds after the events so far; running and stepping end the same."""

    def __init__(self, call: TraceCall) -> None:
        self.call = call
        self.state = LogState()
        self.position = 0

    @property
    def done(self) -> bool:
        return self.position == len(self.call.records)

    def step(self) -> TraceRecord | None:
        """The next record, or None at the end."""
        if self.done:
            return None
        record = self.call.records[self.position]
        self.position += 1
        self.state = after(self.state, record)
        return record

    def run(self) -> LogState:
        """Step to the end."""
        while self.step() is not None:
            pass
        return self.state
