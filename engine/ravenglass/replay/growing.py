"""The run of a session that has grown, from the run of what it was: only calls that see something new are made anew.

The result is what a replay of the whole session gives (a property test says so).
"""

from __future__ import annotations

from ravenglass.hub.live import Track
from ravenglass.hub.sizes import SizeKey
from ravenglass.replay.answers import registering
from ravenglass.replay.branches.joined import Branch
from ravenglass.replay.bulk import go_on, replay
from ravenglass.replay.commit import recalled
from ravenglass.replay.measures import recall
from ravenglass.replay.run import Run
from ravenglass.replay.stepping.inputs import Facts
from ravenglass.replay.stepping.moment import stepper_before
from ravenglass.scheduler.features import Features
from ravenglass.sessions.model.session import Session


def grown(run: Run, session: Session) -> Run:
    """`session` is a later state of `run.session`: messages were added, or the last ones were still being written.

    Raises what `replay` raises.
    """
    if isinstance(run, Branch):
        return replay(session, run.profile, run.changes)
    facts = Facts.grown(session, run.profile, run.facts, run.changes)
    session.derived[Features] = facts.features
    session.derived[SizeKey.of(run.profile)] = facts.sizes
    if facts.budget != run.budget:
        return replay(session, run.profile, run.changes)
    registering.carry_over(run.facts, facts)
    recall.carry_over(run.facts.features, facts.features)
    first = _first_new(run, facts)
    log = run.log_before(first)
    del log.tracks[len(facts.features.groups) :]
    log.tracks.extend(Track() for _ in range(len(log.tracks), len(facts.features.groups)))
    needed = recalled(lambda _: facts, log)
    go_on(facts, log, stepper_before(facts, log, log.calls + 1), needed)
    return Run(facts, log)


def _first_new(run: Run, facts: Facts) -> int:
    """The first call that sees something else than it saw; the one after the last common one where there is none."""
    before, now = run.session, facts.session
    calls = min(run.calls, len(facts.features.calls))
    first = calls + 1
    for old, new in zip(before.structure.calls[:calls], now.structure.calls[:calls], strict=True):
        if old != new:
            first = old.number
            break
    for g, (old_group, new_group) in enumerate(zip(before.structure.groups, now.structure.groups, strict=False)):
        same = old_group.messages == new_group.messages and all(
            before.messages[m] == now.messages[m] for m in new_group.messages
        )
        if not same or run.facts.standing.tier[g] != facts.standing.tier[g]:
            first = min(first, old_group.call, new_group.call)
            break
    return first
