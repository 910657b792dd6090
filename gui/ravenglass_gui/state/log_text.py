"""Lines about a logged call: each says that it is recorded, and "unknown" where the log does not say."""

from __future__ import annotations

from ravenglass.traces import CallSummary
from ravenglass_gui.state.open_log import OpenLog
from ravenglass_gui.text.numbers import UNKNOWN, amount

PATHS = {"fast": "fast path", "slow": "slow path", "fail_safe": "fail-safe", None: "undecided: the log ends before"}


def window_facts(call: CallSummary) -> str:
    """`Recorded: 63 messages · 48,203 of 93,000 tokens · slow path · accepted at step 2`."""
    verdict = call.verdict
    budget = verdict.budget if verdict is not None and verdict.budget is not None else call.budget.available
    tokens = f"{_number(verdict.tokens if verdict else None)} of {_number(budget)} tokens"
    said = UNKNOWN + " messages" if call.included is None else amount(call.included, "message")
    return f"Recorded: {said} · {tokens} · {PATHS[call.path]} · {call.outcome}"


def manifest_facts(log: OpenLog, number: int) -> str:
    """What the curator knew at a call; texts are what the log quotes of them."""
    call = log.summary(number)
    known = UNKNOWN + " messages" if call.message_count is None else amount(call.message_count, "message")
    pressure = f"history {_number(call.history_tokens)} tokens · threshold {_number(call.threshold_tokens)}"
    request = f" · for “{' '.join(call.request.split())[:80]}”" if call.request else ""
    return f"Recorded: {known} known · {pressure}{request} · texts as far as the log quotes them"


def _number(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"
