"""A run as one JSON object, for scripts and for saved runs. Sizes are tokens, counts are messages."""

from __future__ import annotations

from dataclasses import asdict

from ravenglass.profile import Profile
from ravenglass.replay.answers.events import budget_payload
from ravenglass.replay.asking.run import AskedRun
from ravenglass.replay.frame import Metrics
from ravenglass.replay.run import Run
from ravenglass.sessions import counts
from ravenglass.sessions.model.counts import not_understood
from ravenglass.sessions.model.session import Session
from ravenglass.trace import Json


def as_object(run: Run) -> Json:
    """The run as `ravenglass replay --json` prints it. Sizes are tokens, counts are messages."""
    return {
        "session": session_object(run.session),
        "profile": profile_object(run.profile),
        "budget": budget_payload(run.budget),
        "calls": [_call(run, call) for call in range(1, run.calls + 1)],
        "metrics": metrics_object(run.metrics),
        "regrets": regrets_object(run),
        **damage_object(run.session),
        **_asked(run),
        "warnings": [*run.session.warnings, *run.warnings],
    }


def _asked(run: Run) -> Json:
    """Who answered the slow paths, where that was not the planner, at which calls, and what that took."""
    if not isinstance(run, AskedRun):
        return {}
    return {"asked": {"who": run.asked, "calls": list(run.answered), **run.spent.as_object()}}


def metrics_object(metrics: Metrics) -> Json:
    """The figures of a run by their names."""
    return asdict(metrics) | {"control": metrics.control.as_object(), "injection": metrics.injection.as_object()}


def regrets_object(run: Run) -> list[Json]:
    """Needs that were not in the window in full, each with its message in the words of docs/design/metrics.md."""
    return [asdict(regret) for regret in run.regrets]


def profile_object(profile: Profile) -> Json:
    """The name of a profile and what it changes."""
    values = profile.model_dump(mode="json")
    return {"name": profile.name, "changed": {name: values[name] for name in profile.changed()}}


def session_object(session: Session) -> Json:
    """What identifies a session, and its figures."""
    return {
        "format": session.format,
        **asdict(counts(session)),
        "id": session.id,
        "title": session.title,
        "model": session.model,
        "images": sum(m.images for m in session.messages),
    }


def damage_object(session: Session) -> Json:
    """What could not be read: places in file order, the bytes in them, and a last line that is still being written.
    `not_understood` are content blocks by their unknown kind, sub-agents included."""
    pending = session.pending
    return {
        "damage": [{**asdict(item.span), "reason": item.reason, "kept": item.kept} for item in session.damage],
        "lost_bytes": sum(item.span.length for item in session.damage),
        "pending": None if pending is None else asdict(pending),
        "not_understood": not_understood(session),
    }


def _call(run: Run, call: int) -> Json:
    totals = run.totals(call)
    return {
        "call": call,
        "path": totals.path,
        "window_tokens": totals.tokens,
        "by_tier": dict(totals.by_tier),
        "included": totals.included,
        "evicted": totals.evicted,
        "archived": totals.archived,
        "cache_read": run.cache_read(call),
        "breakpoints": [asdict(mark) for mark in run.breakpoints(call)],
        "injection": run.injection(call).as_object(),
    }
