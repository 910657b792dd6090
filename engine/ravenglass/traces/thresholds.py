"""Which path a logged call would take under other thresholds: history tokens against the share of its own budget.

Only what the log holds is used. Where another path would be taken, what its curator would have decided is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.profile import Profile
from ravenglass.traces.model import TraceCall
from ravenglass.traces.stepping import LoggedPath
from ravenglass.traces.summary import summarise

_SPOKEN = {"fast": "fast path", "slow": "slow path", "fail_safe": "fail-safe"}


@dataclass(frozen=True, slots=True)
class PathCheck:
    """`path` under the profile, None where the log holds too little; `sentence` says from what."""

    path: LoggedPath | None
    recorded: LoggedPath | None
    sentence: str
    threshold_tokens: int | None = None

    @property
    def changed(self) -> bool:
        """Whether it surely differs from what was recorded."""
        return self.path is not None and self.recorded is not None and self.path != self.recorded


def path_under(call: TraceCall, profile: Profile) -> PathCheck:
    """The path under a profile's `fast_path_threshold`, `max_steps` and `timeout_s`; the budget stays the log's own."""
    summary = summarise(call)
    history, available, recorded = summary.history_tokens, summary.budget.available, summary.path
    if history is None or available is None:
        missing = "history tokens" if history is None else "the budget"
        return PathCheck(
            None, recorded, f"The log does not hold {missing}, so the path under other thresholds is unknown."
        )
    threshold = round(profile.fast_path_threshold * available)
    against = f"{history:,} history tokens against {profile.fast_path_threshold:g} x {available:,} = {threshold:,}"
    if history < threshold:
        return PathCheck("fast", recorded, f"Fast path: {against}.", threshold)
    if recorded in (None, "fast"):
        told = f"Slow path: {against}. The log holds no curator's answers, so what it would decide is unknown."
        return PathCheck("slow", recorded, told, threshold)
    limit = _limit(call, profile)
    if recorded == "slow" and limit:
        return PathCheck("fail_safe", recorded, f"Fail-safe: {against}, and {limit}.", threshold)
    return PathCheck(recorded, recorded, f"{_SPOKEN[str(recorded)].capitalize()} as recorded: {against}.", threshold)


def _limit(call: TraceCall, profile: Profile) -> str:
    """What would have stopped the recorded conversation before its plan was accepted; empty if nothing."""
    summary = summarise(call)
    accepted = summary.accepted_at
    if accepted is not None and accepted > profile.max_steps:
        return f"its plan was accepted at step {accepted}, beyond the {profile.max_steps} allowed"
    if summary.seconds is not None and summary.seconds > profile.timeout_s:
        return f"its decision took {summary.seconds:g} s, longer than the {profile.timeout_s:g} s allowed"
    return ""
