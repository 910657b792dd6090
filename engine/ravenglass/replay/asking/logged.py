"""The answers of a trace log, at the calls of a session that they belong to."""

from __future__ import annotations

from pathlib import Path

from ravenglass.curator.policies.recorded import RecordedPolicy
from ravenglass.errors import RavenglassError
from ravenglass.replay.protocol import Run
from ravenglass.traces import TraceCall, open_trace, summarise


def call_of_log(run: Run, logged: TraceCall) -> int | None:
    """The call that knows as many messages as the log says, or else the most below: some logs count the response."""
    known = summarise(logged).message_count
    if known is None:
        return None
    return next((call for call in range(run.calls, 0, -1) if 0 < run.rows(call) <= known), None)


def recorded_policies(run: Run, log: Path) -> dict[int, RecordedPolicy]:
    """Call of the run -> who gives the log's answers there. Raises RavenglassError where none belongs to it."""
    found: dict[int, RecordedPolicy] = {}
    for turn in open_trace(log).turns:
        for logged in turn.calls:
            call = call_of_log(run, logged)
            if call is None:
                continue
            try:
                found[call] = RecordedPolicy.of(logged)
            except RavenglassError:
                continue  # a call on the fast path asked no one
    if not found:
        raise RavenglassError(f"{log}: no answer of a curator in it belongs to a call of the session.")
    return found
