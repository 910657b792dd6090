"""The run of a session that has grown, from the run of what it was: only calls that see something new are made anew.

The result is what a replay of the whole session gives (a property test says so).
"""

from __future__ import annotations

from ravenglass.hub.live import Track
from ravenglass.hub.size_key import SizeKey
from ravenglass.replay.answers import registering
from ravenglass.replay.branches.joined import Branch
from ravenglass.replay.bulk import go_on, replay
from ravenglass.replay.commit import looked_back
from ravenglass.replay.measures.needs.session import carry_over
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepping.inputs import SIZES, Inputs
from ravenglass.replay.stepping.moment import stepper_before
from ravenglass.scheduler.features import FEATURES
from ravenglass.sessions.model.session import Session


def grown(run: SimulatedRun, session: Session) -> SimulatedRun:
    """`session` is a later state of `run.session`: messages were added, or the last ones were still being written.

    Raises what `replay` raises.
    """
    if isinstance(run, Branch):
        return replay(session, run.profile, run.changes)
    inputs = Inputs.grown(session, run.profile, run.inputs, run.changes)
    FEATURES.keep(session, inputs.features)
    SIZES.keep(session, inputs.sizes, SizeKey.of(run.profile))
    if inputs.budget != run.budget:
        return replay(session, run.profile, run.changes)
    registering.carry_over(run.inputs, inputs)
    carry_over(run.inputs.features, inputs.features, inputs.profile.need_exchanges)
    first = _first_new(run, inputs)
    log = run.log_before(first)
    del log.tracks[len(inputs.features.groups) :]
    log.tracks.extend(Track() for _ in range(len(log.tracks), len(inputs.features.groups)))
    needed = looked_back(lambda _: inputs, log)
    go_on(inputs, log, stepper_before(inputs, log, log.calls + 1), needed)
    return SimulatedRun(inputs, log)


def _first_new(run: SimulatedRun, inputs: Inputs) -> int:
    """The first call that sees something else than it saw; the one after the last common one where there is none."""
    before, now = run.session, inputs.session
    calls = min(run.calls, len(inputs.features.calls))
    first = calls + 1
    for old, new in zip(before.structure.calls[:calls], now.structure.calls[:calls], strict=True):
        if old != new:
            first = old.number
            break
    for g, (old_group, new_group) in enumerate(zip(before.structure.groups, now.structure.groups, strict=False)):
        same = old_group.messages == new_group.messages and all(
            before.messages[m] == now.messages[m] for m in new_group.messages
        )
        if not same or run.inputs.standing.tier[g] != inputs.standing.tier[g]:
            first = min(first, old_group.call, new_group.call)
            break
    return first
