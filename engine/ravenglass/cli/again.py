"""The answers of a trace log given again on its session under a profile: what comes of them, a sentence a call."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.curator.policies.recorded import RecordedPolicy
from ravenglass.errors import RavenglassError
from ravenglass.replay import Run
from ravenglass.replay.asking.logged import call_of_log
from ravenglass.replay.frame import PathName
from ravenglass.traces import TraceCall


@dataclass(frozen=True, slots=True)
class Again:
    """What came of one logged call. `call` is that of the session, None where the log fits none; `path` None where
    nothing was replayed; `tokens` those of the window."""

    call: int | None
    path: PathName | None
    tokens: int | None
    sentence: str


def again(run: Run, logged: TraceCall) -> Again:
    """Give the answers of a logged call again at the call of the run that it belongs to."""
    call = call_of_log(run, logged)
    if call is None:
        return Again(None, None, None, "the session has no call that knows as many messages as this one of the log")
    name = run.profile.name
    try:
        policy = RecordedPolicy.of(logged)
    except RavenglassError as error:
        return Again(call, None, None, f"nothing to give again at call {call:,}: {error}")
    loop = run.loop(call, policy)
    loop.run()
    result = loop.result
    assert result is not None
    if result.path == "fast":
        said = f"call {call:,} takes the fast path under {name}, so no one is asked"
    elif result.path == "fail_safe":
        said = f"at call {call:,} under {name} the answers no longer apply, the fail-safe decides: {result.reason}"
    else:
        said = f"at call {call:,} under {name} the answers hold: {result.tokens:,} of {run.budget.available:,} tokens"
    return Again(call, result.path, result.tokens, said)
