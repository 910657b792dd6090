"""Faults of the reference implementation that a log shows by itself: R1, R2, R10 of the format notes, section 9.

A fault is named only with its evidence. What would need texts or roles that the log does not hold is left unsaid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ravenglass.traces.answers import BUILD_CONTEXT, answers
from ravenglass.traces.messages import LoggedMessages, calls_of
from ravenglass.traces.model import TraceCall
from ravenglass.traces.summary import CallSummary, summarise
from ravenglass.traces.verdicts import read_verdict

_DROPPED = re.compile(r"dropped message (\d+)")
_UNANSWERED = re.compile(r"missing results: \[([^\]]*)\]")
_SPECIAL = "<|endoftext|>"
_NAMED = 6
"""Ids that a sentence lists before it only counts."""


@dataclass(frozen=True, slots=True)
class Fault:
    """`rule` as in the notes, one sentence with the evidence, and the messages it is about."""

    rule: Literal["R1", "R2", "R10"]
    sentence: str
    messages: tuple[int, ...] = ()


def faults(call: TraceCall) -> tuple[Fault, ...]:
    """The faults that the log of one call shows."""
    summary, messages = summarise(call), LoggedMessages(call.records)
    return (*_torn(summary, messages), *_burnt(call, summary, messages), *_counted(summary, messages))


def _torn(summary: CallSummary, messages: LoggedMessages) -> Iterator[Fault]:
    """R1: single messages were dropped after the groups had been completed, and the window still passed."""
    verdict, plan = summary.verdict, summary.plan
    if verdict is None or verdict.ok is not True or verdict.included is None or summary.path in (None, "fast"):
        return
    inside = set(verdict.included)
    dropped = {int(m.group(1)) for w in verdict.warnings for m in _DROPPED.finditer(w)} - inside
    named = set(plan.include) if plan else set()
    torn: dict[int, int] = {}
    for gone in sorted(dropped):
        for kept in (gone - 1, gone + 1):
            # Known to belong together; or the dropped one was no part of the plan, so it had come in only as the other
            # half of a group, and this neighbour is the only half it can have.
            said = messages.together(gone, kept)
            other = gone + 1 if kept == gone - 1 else gone - 1
            alone = bool(named) and gone not in named and other not in named | dropped
            if kept in inside and (said or (said is None and alone and kept in named)):
                torn[gone] = kept
    for gone, kept in torn.items():
        yield Fault(
            "R1",
            f"Message {gone} was dropped alone to fit the budget while message {kept}, the other half of its tool"
            " group, stayed; the window was accepted with a call without its result, or a result without its call.",
            (gone, kept),
        )


def _burnt(call: TraceCall, summary: CallSummary, messages: LoggedMessages) -> Iterator[Fault]:
    """R2: every plan came back for the same reason until the steps were used up."""
    if summary.path != "fail_safe" or summary.rejected < 2 or summary.steps != summary.max_steps:
        return
    reasons = [
        read_verdict(c.result).errors
        for answer in answers(call)
        for c in answer.calls
        if c.tool == BUILD_CONTEXT and c.result is not None
    ]
    if len(set(reasons)) != 1 or not reasons[0]:
        return
    said = "; ".join(reasons[0])
    after = ""
    held: tuple[int, ...] = ()
    if summary.verdict is not None and summary.verdict.ok is True:
        held = tuple(m for m in _callers(said, messages) if m in (summary.verdict.included or ()))
        after = "; the fail-safe's window passed all the same" + (f" with message {held[0]} in it" if held else "")
    told = f"All {summary.steps} steps were used up, {len(reasons)} plans came back for one reason: {said}{after}."
    yield Fault("R2", told, held)


def _callers(said: str, messages: LoggedMessages) -> list[int]:
    """Messages that the log shows to have made the calls which a refusal names."""
    named = {call_id.strip(" '\"") for found in _UNANSWERED.findall(said) for call_id in found.split(",")}
    return [m.id for m in messages if m.role == "assistant" and m.group and named & calls_of(m.group)]


def _counted(summary: CallSummary, messages: LoggedMessages) -> Iterator[Fault]:
    """R10: a text that the named counter refuses, so that its characters were divided by four instead."""
    verdict = summary.verdict
    if verdict is None or verdict.source != "tiktoken":
        return
    marked = sorted(m.id for m in messages if m.snippet is not None and _SPECIAL in m.snippet)
    included = set(verdict.included or ())
    held = tuple(m for m in marked if m in included)
    if held:
        more = f" and {len(held) - _NAMED} more" if len(held) > _NAMED else ""
        yield Fault(
            "R10",
            f'The verdict names "tiktoken" as its counter, but message {", ".join(map(str, held[:_NAMED]))}{more} holds'
            f" {_SPECIAL}, which it refuses to count; such windows were counted as characters divided by four.",
            held,
        )
