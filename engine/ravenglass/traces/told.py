"""What a log says of one call besides its decision, in sentences: what asking a model took, what was archived and why,
that the run stands at a snapshot again, that importance fell and which snapshot is offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ravenglass.sessions.records.values import count, mapping, text
from ravenglass.trace import Json
from ravenglass.traces.model import TraceCall


def told(call: TraceCall) -> tuple[str, ...]:
    """The sentences, without a full stop; what a log does not hold is left out or said to be unknown."""
    return (*_asked(call), *_archived(call), *_events(call))


def _asked(call: TraceCall) -> Iterator[str]:
    """Only of answers whose log says how often the endpoint was asked: others came from no endpoint."""
    answers = [r.payload for r in call.all("curator_llm_response") if count(r.payload.get("requests")) is not None]
    if not answers:
        return
    requests = sum(count(payload.get("requests")) or 0 for payload in answers)
    reasons = Counter(text(payload.get("finish_reason")) or "unknown" for payload in answers)
    yield (
        f"the curator asked {requests:,} times, {requests - len(answers):,} of them repetitions:"
        f" {_sum(answers, 'prompt_tokens')} prompt and {_sum(answers, 'completion_tokens')} answer tokens as reported;"
        f" finish reasons: {', '.join(f'{reason} {n:,}' for reason, n in reasons.items())}"
    )


def _sum(payloads: list[Json], name: str) -> str:
    found = [count(payload.get(name)) for payload in payloads]
    given = [n for n in found if n is not None]
    if not given:
        return "unknown"
    return f"{sum(given):,}" + (" or more" if len(given) < len(found) else "")


def _archived(call: TraceCall) -> Iterator[str]:
    reasons = Counter(text(record.payload.get("reason")) for record in call.all("archived"))
    for reason, number in reasons.items():
        yield f"archived {number:,}: {reason or 'the log has no reason'}"


def _events(call: TraceCall) -> Iterator[str]:
    for record in call.all("rolled_back"):
        snapshot = text(record.payload.get("snapshot"))
        if snapshot:
            yield f"rolled back before this call to the snapshot {snapshot}"
    for record in call.all("diagnosis"):
        yield from _fallen(record.payload)


def _fallen(payload: Json) -> Iterator[str]:
    now, before = payload.get("mean_score"), payload.get("mean_before")
    if not _is_score(now) or not _is_score(before):
        return
    offer = mapping(payload.get("offer"))
    step = count(offer.get("step"))
    more = "" if step is None else f"; the snapshot of call {step} was taken before that: replay --rollback {step}"
    yield f"what is active fell from a mean score of {before:.2f} to {now:.2f}{more}"


def _is_score(value: object) -> bool:
    """Scores are from 0 to 1; a log may hold anything."""
    return isinstance(value, int | float) and 0 <= value <= 1
