"""The window that a stepped loop ended in, which may differ from the bulk replay's under another policy."""

from __future__ import annotations

from ravenglass.replay.answers.windows import window
from ravenglass.replay.frame import Window
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepper import ReplayLoop
from ravenglass.replay.stepping.changelog import ChangeLog


def window_after(run: SimulatedRun, loop: ReplayLoop) -> Window:
    """The window of a loop that ran to its end, made from a log with its outcome in the last place."""
    result, before = loop.result, loop.call - 1
    assert result is not None
    log = ChangeLog([track.cut(before) for track in run._log.tracks])
    loop.live.touched.update(range(run.inputs.features.known[loop.call]))
    changed = loop.live.commit(log.tracks, loop.call)
    log.changed = {call: groups for call, groups in run._log.changed.items() if call <= before}
    log.changed[loop.call] = tuple(changed)
    log.paths = [*run.paths[:before], result.path]
    told = 0 if result.summary is None else result.summary.call
    log.told = dict(run._log.told)
    if result.summary is not None:
        log.told[told] = result.summary
    lasts = (("versions", result.state_version), ("openings", result.opening), ("summaries", told))
    for name, last in lasts:
        kept = getattr(run._log, name)[:before]
        kept.append(last)
        setattr(log, name, kept)
    log.impossible = [loop.call] if result.impossible else []
    # A policy may have written a working state, which only the loop's own facts know. Breakpoints are the bulk's.
    return window(loop.inputs, log, loop.call, run.breakpoints(loop.call))
