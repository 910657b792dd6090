"""A trace event in words: what it is called, its icon, and one line about its payload.

Unknown events are legal (a log may come from elsewhere): they are shown under their own name with the first
values of their payload.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ravenglass.trace import Json, TraceEvent
from ravenglass_gui.text.plain import one_line


@dataclass(frozen=True, slots=True)
class EventKind:
    """`colour` is a field of the palette, `depth` the indent in a curator conversation."""

    title: str
    icon: str
    colour: str
    depth: int = 0


KINDS: dict[str, EventKind] = {
    "curator_start": EventKind("Curator starts", "mdi6.flag-outline", "dim"),
    "fast_path": EventKind("Fast path", "mdi6.fast-forward-outline", "good"),
    "curator_llm_request": EventKind("Request to the curator", "mdi6.arrow-right-thin", "accent", 1),
    "curator_llm_response": EventKind("Curator answers", "mdi6.robot-outline", "accent", 1),
    "curator_tool_result": EventKind("Tool result", "mdi6.wrench-outline", "dim", 2),
    "slow_path_accepted": EventKind("Verdict: plan accepted", "mdi6.check-circle-outline", "good"),
    "plan_rejected": EventKind("Verdict: plan rejected", "mdi6.close-circle-outline", "bad"),
    "slow_path_exception": EventKind("Slow path failed", "mdi6.alert-circle-outline", "bad"),
    "fallback": EventKind("Fail-safe decided", "mdi6.lifebuoy", "bad"),
    "main_agent_result": EventKind("Response of the agent", "mdi6.message-reply-text-outline", "text"),
    "item_registered": EventKind("Registered", "mdi6.plus-circle-outline", "dim"),
    "item_demoted": EventKind("Demoted", "mdi6.arrow-down-bold-outline", "warn"),
    "state_changed": EventKind("State changed", "mdi6.swap-horizontal", "dim"),
    "quota_exceeded": EventKind("Quota exceeded", "mdi6.gauge-full", "warn"),
    "pinned": EventKind("Pinned", "mdi6.pin", "warn"),
    "pin_moved": EventKind("Pin moved", "mdi6.pin-outline", "warn"),
    "archived": EventKind("Archived", "mdi6.archive-outline", "accent"),
    "retrieved": EventKind("Retrieved", "mdi6.tray-arrow-up", "accent"),
    "deduplicated": EventKind("Deduplicated", "mdi6.content-duplicate", "dim"),
    "offloaded": EventKind("Shrunk to a stub", "mdi6.content-cut", "dim"),
    "updated": EventKind("Updated by edits", "mdi6.file-edit-outline", "dim"),
    "summarized": EventKind("Summarized", "mdi6.text-short", "warn"),
    "snapshot_taken": EventKind("Snapshot taken", "mdi6.camera-outline", "dim"),
    "rolled_back": EventKind("Rolled back", "mdi6.restore", "warn"),
    "protected_overflow": EventKind("Protected overflow", "mdi6.shield-alert-outline", "warn"),
    "diagnosis": EventKind("Diagnosis", "mdi6.stethoscope", "warn"),
}


def _writers(event: TraceEvent) -> bool:
    """Whether the event tells what happened to the writer's own window, not what this engine decided."""
    return event.payload.get("by") in ("writer", "figures") and isinstance(event.payload.get("kind"), str)


def kind(event: TraceEvent) -> EventKind:
    """How an event is shown; one that is not ours under its own name."""
    if _writers(event):
        if event.payload.get("by") == "figures":
            return EventKind(f"Unexplained {event.payload['kind']}", "recorded", "warn")
        return EventKind(f"Writer's {str(event.payload['kind']).replace('_', ' ')}", "recorded", "warn")
    known = KINDS.get(event.event)
    return known or EventKind(event.event, "mdi6.circle-small", "dim")


def summary(event: TraceEvent) -> str:
    """One line about the payload."""
    if _writers(event):
        return one_line(_writers_words(event.payload))
    say = _SUMMARIES.get(event.event)
    said = one_line(say(event.payload)) if say else ""
    return said or _first_values(event.payload)


def _writers_words(p: Json) -> str:
    said = [_text(p, "note")]
    if p.get("kept") is not None:
        said.append(f"{_number(p, 'kept')} earlier messages stayed")
    if p.get("cleared"):
        said.append(f"the text of {_number(p, 'cleared')} results was cleared")
    return "; ".join(part for part in said if part)


def search_text(event: TraceEvent) -> str:
    """What a text filter looks in: name, title and summary, lower case."""
    return f"{event.event} {kind(event).title} {summary(event)}".lower()


def _number(payload: Json, name: str) -> str:
    value = payload.get(name)
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else "unknown"


def _text(payload: Json, name: str) -> str:
    value = payload.get(name)
    return "" if value is None else str(value)


def _part(payload: Json, name: str) -> Json:
    value = payload.get(name)
    return dict(value) if isinstance(value, Mapping) else {}


def _size(payload: Json, name: str) -> int:
    value = payload.get(name)
    return len(value) if isinstance(value, Sequence) and not isinstance(value, str) else 0


def _start(p: Json) -> str:
    return (
        f"{_number(p, 'message_count')} messages known, history {_number(p, 'history_tokens')} tokens against a"
        f" threshold of {_number(p, 'threshold_tokens')}"
    )


def _fast(p: Json) -> str:
    return (
        f"history {_number(p, 'history_tokens')} under {_number(p, 'threshold_tokens')} tokens: everything live passes"
    )


def _request(p: Json) -> str:
    step = p.get("step")
    said = [f"step {step}"] if step is not None else []
    if _size(p, "messages"):
        said.append(f"{_size(p, 'messages'):,} messages")
    if _size(p, "tools"):
        said.append(f"{_size(p, 'tools')} tools offered")
    return ", ".join(said)


def _response(p: Json) -> str:
    calls = p.get("tool_calls")
    names = [_call_name(c) for c in calls] if isinstance(calls, Sequence) and not isinstance(calls, str) else []
    text = _text(p, "content") or _text(p, "text")
    called = f"calls {', '.join(names)}" if names else ""
    return " — ".join(part for part in (text, called, _asked(p)) if part)


def _asked(p: Json) -> str:
    """What an endpoint said of its answer; empty where none was asked."""
    if p.get("requests") is None:
        return ""
    told = p.get("prompt_tokens") is not None
    tokens = f"{_number(p, 'prompt_tokens')} + {_number(p, 'completion_tokens')} tokens" if told else "tokens unknown"
    repeats = p["requests"] - 1 if isinstance(p["requests"], int) else 0
    said = [f"finish {_text(p, 'finish_reason') or 'not told'}", tokens]
    return ", ".join([*said, f"asked again {repeats} times"] if repeats else said)


def _call_name(call: object) -> str:
    if not isinstance(call, Mapping):
        return str(call)
    inner = call.get("function")
    return str(call.get("name") or (inner.get("name") if isinstance(inner, Mapping) else "?"))


def _result(p: Json) -> str:
    name = _text(p, "tool") or _text(p, "name")
    result = next((p[key] for key in ("result", "output", "content") if key in p), "")
    said = _first_values(dict(result)) if isinstance(result, Mapping) else str(result)
    return f"{name}: {said}" if name else said


def _verdict(p: Json) -> str:
    plan, check = _part(p, "plan"), _part(p, "validation")
    tokens, cap = _number(check, "total_tokens"), _number(check, "max_prompt_tokens")
    said = [f"{_size(plan, 'include_message_ids'):,} messages, {tokens} of {cap} tokens"]
    for name, words in (("dropped", "dropped"), ("shrunk", "shrunk"), ("assembler_warnings", "warnings")):
        if count := _size(check, name):
            said.append(f"{count} {words}")
    if count := _size(plan, "archive"):
        said.append(f"{count} groups to the archive")
    if check.get("impossible"):
        said.append("impossible: the user message alone is over the budget")
    return ", ".join(said)


def _rejected(p: Json) -> str:
    errors = p.get("errors") or _part(p, "validation").get("errors")
    if isinstance(errors, Sequence) and not isinstance(errors, str):
        return "; ".join(str(e) for e in errors)
    return str(errors or "")


def _answer(p: Json) -> str:
    """The response's text; the reference implementation wraps it."""
    wrapped = _part(p, "response")
    return (_text(wrapped, "final_content") or _first_values(wrapped)) if wrapped else _text(p, "response")


def _registered(p: Json) -> str:
    return f"{_text(p, 'tier')}, {_number(p, 'tokens')} tokens, {_text(p, 'address')}"


def _changed(p: Json) -> str:
    before, after = _text(p, "from"), _text(p, "to")
    forms = (_text(p, "form_before"), _text(p, "form"))
    said = f"{before} → {after}" if before != after else f"stays {after}"
    if forms[0] != forms[1]:
        said += f", in the window {forms[0]} → {forms[1]}"
    return said + (f": {p['reason']}" if p.get("reason") else "")


_SUMMARIES: dict[str, Callable[[Json], str]] = {
    "curator_start": _start,
    "fast_path": _fast,
    "curator_llm_request": _request,
    "curator_llm_response": _response,
    "curator_tool_result": _result,
    "slow_path_accepted": _verdict,
    "fallback": _verdict,
    "plan_rejected": _rejected,
    "slow_path_exception": lambda p: _text(p, "error") or _text(p, "message"),
    "main_agent_result": lambda p: _answer(p),
    "item_registered": _registered,
    "item_demoted": lambda p: f"{_text(p, 'from')} → {_text(p, 'to')}: {_text(p, 'reason')}",
    "state_changed": _changed,
    "quota_exceeded": lambda p: (
        f"{_text(p, 'tier')}: cut at rank {_text(p, 'cut_rank')}, score {_text(p, 'cut_score')[:4]}"
    ),
    "pinned": lambda p: _text(p, "instruction"),
    "pin_moved": lambda p: f"{_text(p, 'instruction')}, from #{_text(p, 'from')} to #{_text(p, 'to')}",
    "archived": lambda p: f"by {_text(p, 'by')}: {_text(p, 'reason')}",
    "retrieved": lambda p: f"{_text(p, 'ref')}, by {_text(p, 'by')}",
    "summarized": lambda p: (
        f"{_number(p, 'messages')} messages: {_number(p, 'full_tokens')} → {_number(p, 'tokens')} tokens"
    ),
    "updated": lambda p: f"as {_size(p, 'edits'):,} edits left the file, {_number(p, 'tokens')} tokens",
    "offloaded": lambda p: f"{_number(p, 'full_tokens')} → {_number(p, 'tokens')} tokens ({_text(p, 'form')})",
    "protected_overflow": lambda p: f"{_number(p, 'tokens')} tokens protected or pinned, cap {_number(p, 'cap')}",
}


def _first_values(payload: Json) -> str:
    """The first values that are no containers: `step 2 · query login`."""
    said = []
    for key, value in payload.items():
        if isinstance(value, Mapping):
            continue
        shown = (
            f"{len(value)} items"
            if isinstance(value, Sequence) and not isinstance(value, str)
            else one_line(str(value), 80)
        )
        said.append(f"{key} {shown}")
        if len(said) == 4:
            break
    return " · ".join(said)
