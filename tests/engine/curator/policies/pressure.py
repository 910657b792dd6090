"""A session with calls that take the slow path, for tests of those who answer it."""

from __future__ import annotations

from ravenglass.profile import Profile, make_profile
from ravenglass.replay import Run, SimulatedRun, replay
from ravenglass.sessions.model.session import Session
from tests.engine import builders as b


def busy_session(exchanges: int = 12) -> Session:
    """Three early exchanges, then reads of about 400 tokens each; message 0 is the first request."""
    found = [b.user("Fix the login in src/auth.py; must not touch src/cart.py")]
    for n in range(exchanges):
        found += [
            b.assistant(f"Reading part {n}", b.call("Read", file_path=f"src/part{n}.py")),
            b.result(f"part {n} " + b.filler(400)),
        ]
    found += [b.assistant("Half way."), b.user("Now the quota in src/part3.py"), b.assistant("Done.")]
    return b.session(*found)


def tight(**values: object) -> Profile:
    """C is about 3,400 tokens, so that the busy session needs the slow path."""
    return make_profile(**{"name": "tight", "window": 4_500, "system_overhead": 0, "offload_tokens": 5_000, **values})


def busy_run(**values: object) -> SimulatedRun:
    """A replay of the busy session."""
    return replay(busy_session(), tight(**values))


def slow_call(run: Run) -> int:
    """The last call that takes the slow path."""
    return max(call for call, path in enumerate(run.paths, start=1) if path == "slow")
