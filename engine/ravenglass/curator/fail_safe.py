"""The fail-safe: protected, the most relevant and the latest messages, no model. Its window is always valid."""

from __future__ import annotations

from ravenglass.curator.assembler import assemble
from ravenglass.curator.desk import Desk
from ravenglass.curator.plan import Assembled, Plan


def fail_safe(desk: Desk) -> Assembled:
    """The window when the slow path fails: protected + `fail_safe_top` most relevant + `fail_safe_last` latest."""
    view, decision = desk.view, desk.decision
    profile = view.profile
    boundary = view.features.boundary(view.call)
    group_of = view.features.session.structure.group_of
    relevance = decision.scores.relevance
    ranked = sorted(range(boundary), key=lambda m: (-relevance[group_of[m]], -m))
    include = set(ranked[: profile.fail_safe_top]) | set(range(max(0, boundary - profile.fail_safe_last), boundary))
    plan = Plan(frozenset(include), "fail_safe", with_working_state=decision.with_working_state)
    return assemble(view, plan, decision.exempt, decision.scores.total)
