"""Which run a view shows, in words, and how its numbers were got. Nothing simulated is ever called recorded."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.replay.measures.fitting.fitted import Fidelity
from ravenglass.replay.recorded.provider import ProviderTokens, provider_tokens
from ravenglass.replay.recorded.run import RecordedRun
from ravenglass.replay.run import Run, SimulatedRun
from ravenglass_gui.state.recorded.kept import counts_alike, kept_recorded
from ravenglass_gui.text.numbers import compact

PATHS = {"fast": "fast path", "slow": "slow path", "fail_safe": "fail-safe", "recorded": "recorded"}
"""A call's path in words; `recorded`: this engine decided nothing."""

RECORDED_WORDS = "recorded: what really was in the window"


def is_recorded(run: Run | None) -> bool:
    return run is not None and run.kind == "recorded"


def words(run: Run) -> str:
    """`simulated with default`, with `, asked small-model` behind it, or `recorded: what really was in the window`."""
    asked = f", asked {run.asked}" if isinstance(run, SimulatedRun) and run.asked else ""
    return RECORDED_WORDS if is_recorded(run) else f"simulated with {run.profile.name}{asked}"


def kind_word(run: Run) -> str:
    """`simulated` or `recorded`."""
    return run.kind


def fit_of(run: Run) -> Fidelity | None:
    """The fit of the run's session, where it was made in the run's own tokens; never made here, it takes too long."""
    kept = run if isinstance(run, RecordedRun) else kept_recorded(run.session)
    return kept.fidelity if kept is not None and counts_alike(kept.profile, run.profile) else None


def provider_of(run: Run, call: int) -> ProviderTokens | None:
    """The call's window in the provider's tokens; None where nothing is reported and no fit can tell."""
    if is_recorded(run) or fit_of(run) is not None:
        return provider_tokens(run, call)
    return None


@dataclass(frozen=True, slots=True)
class Said:
    """A size in words: the number with its unit and how it was got, and what stands behind that."""

    text: str
    """Empty where it is unknown."""
    short: str
    """The same where there is little room; where it is unknown, what tokens are instead."""
    tip: str


def provider_words(run: Run, call: int) -> Said:
    """What is said of a call's window in the provider's tokens."""
    found = provider_of(run, call)
    fit = fit_of(run)
    if found is None:
        unfit = fit is not None and not fit.trusted
        return Said("", f"{unit(run)}{', fit unfit' if unfit else ''}", _why_unknown(run))
    if found.how == "reported":
        short = f"provider tokens {compact(found.value)}, reported"
        tip = f"What the provider reported for this call. {_fit_tip(run, call)}"
        return Said(f"{found.value:,} provider tokens (reported)", short, tip)
    error = found.median_error if found.median_error is not None else 0.0
    tip = (
        f"{found.overhead or 0:,} that the record does not hold (system prompt, tools) + {found.scale or 0:.3f} × our"
        f" estimate. The fit's error is {error * 100:.2f} % at the median, {(found.p95_error or 0) * 100:.2f} % at the"
        f" 95th percentile. {fit.doubt if fit is not None else ''}".rstrip()
    )
    short = f"provider tokens {compact(found.value)}, fit error {error_text(error)}"
    return Said(f"{found.value:,} provider tokens (estimated, fit error {error_text(error)})", short, tip)


def _fit_tip(run: Run, call: int) -> str:
    """What the fit makes of a call with a reported figure."""
    fit = fit_of(run)
    made = fit.calls[call - 1] if fit is not None and fit.trusted else None
    if fit is None or made is None or made.fitted is None:
        return _why_unknown(run)
    return (
        f"Estimate {made.fitted:,.0f}: {fit.overheads[made.segment]:,.0f} that the record does not hold (system prompt,"
        f" tools) + {fit.of(made.model).scale:.3f} × {made.raw:,.0f}; off by {error_text(made.error or 0.0)}."
    )


def error_text(error: float) -> str:
    """A relative error: `0.1 %`, `under 0.1 %`."""
    return "under 0.1 %" if error < 0.0005 else f"{error * 100:.1f} %"


def unit(run: Run) -> str:
    """What tokens of a run are: `tokens estimated with o200k_base`."""
    return f"tokens estimated with {run.profile.tokenizer}"


def _why_unknown(run: Run) -> str:
    fit = fit_of(run)
    if fit is None:
        return (
            "The record has too few figures of the provider for a fit, so there are only our own tokens, as estimated."
        )
    if not fit.trusted:
        return fit.doubt
    return "The part of the session between two compactions has too few reported figures for a fit."
