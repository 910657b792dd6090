"""Sentences about a run as a whole, for whoever reads its figures."""

from __future__ import annotations

from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.scheduler.budget import Budget

_FEW = 5


def warnings_of(log: ChangeLog, budget: Budget) -> tuple[str, ...]:
    """What went wrong in a run; those about the file are `session.warnings`."""
    if not log.impossible:
        return ()
    calls = ", ".join(map(str, log.impossible[:_FEW]))
    sentence = (
        f"{len(log.impossible)} calls are marked impossible (first: {calls}): the current user message alone does not"
        f" fit {budget.available:,} tokens."
    )
    return (sentence,)
