"""A window in the provider's tokens: as reported where it was, else estimated with the session's own fit."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.replay.measures.fitting.estimates import Thinking
from ravenglass.replay.measures.fitting.fidelity import fidelity
from ravenglass.replay.measures.fitting.weights import CALL_FRAME, weights
from ravenglass.replay.recorded.run import RecordedRun
from ravenglass.replay.run import Run
from ravenglass.tokens import How


@dataclass(frozen=True, slots=True)
class ProviderTokens:
    """A size, how it was got, and for an estimate the fit behind it: value = overhead + scale x our estimate."""

    value: int
    how: How
    """`reported` or `estimated`."""
    overhead: int | None = None
    scale: float | None = None
    median_error: float | None = None
    """Relative error of the fit at the median, and at the 95th percentile; None for a reported figure."""
    p95_error: float | None = None


def provider_tokens(run: Run, call: int) -> ProviderTokens | None:
    """The size of a call's window as the provider counts it. Raises IndexError outside 1..calls.

    None where the session has too few reported figures for a fit that is trusted, or the call's segment none: then the
    window is shown in our tokens, as estimated. Each model has its own scale. For a simulated run the overhead is that
    of a window that was never compacted, since the engine re-attaches nothing behind the record's back.
    """
    run.totals(call)
    if isinstance(run, RecordedRun):
        return _recorded(run, call)
    found = fidelity(run.session, run.profile)
    if found is None or not found.trusted:
        return None
    made = found.of(found.calls[call - 1].model)
    if not made.plausible:
        return None
    raw, overhead = _raw(run, call, made.thinking), found.base_overhead
    return ProviderTokens(
        round(overhead + made.scale * raw), "estimated", round(overhead), made.scale,
        found.errors.median, found.errors.p95,
    )  # fmt: skip


def _raw(run: Run, call: int, thinking: Thinking) -> float:
    """Our estimate of a simulated window, by the rules of the recorded ones: see `recorded_weights`."""
    weighed = weights(run.session, run.profile)
    turn = run.frame(call).user_message or 0
    total = 0.0
    for block in run.window(call).messages:
        if block.id is None or not block.verbatim:
            total += block.tokens + CALL_FRAME * len(block.tool_calls)
            continue
        total += weighed.fixed[block.id]
        if thinking == "kept" or block.id > turn:
            total += weighed.thinking[block.id]
    return total


def _recorded(run: RecordedRun, call: int) -> ProviderTokens | None:
    usage = run.usage(call)
    if usage is not None and usage.context:
        return ProviderTokens(usage.context, "reported")
    found = run.fidelity
    if found is None or not found.trusted:
        return None
    made, model = found.calls[call - 1], found.of(found.calls[call - 1].model)
    if made.fitted is None or not model.plausible:
        return None
    return ProviderTokens(
        round(made.fitted), "estimated", round(found.overheads[made.segment]), model.scale,
        found.errors.median, found.errors.p95,
    )  # fmt: skip
