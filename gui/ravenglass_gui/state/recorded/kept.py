"""The recorded run of a session, made once and kept with it, so that it goes when the session goes.

Everything that takes time is asked of it where it is made, in a worker: the fit, the figures, the marks.
"""

from __future__ import annotations

from collections.abc import Callable

from ravenglass.profile import Profile
from ravenglass.replay.recorded.run import RecordedRun, recorded_run
from ravenglass.replay.vocabulary import SizeKey
from ravenglass.sessions.model.derived import Slot
from ravenglass.sessions.model.session import Session
from ravenglass.tokens import CountStore

_RECORDED = Slot[RecordedRun]("recorded run")


def make_recorded(
    session: Session, profile: Profile, progress: Callable[[int, int], bool], store: CountStore | None
) -> RecordedRun:
    """The recorded run with its fit and its figures. Raises as `recorded_run`."""
    run = recorded_run(session, profile, progress=progress, store=store)
    _ = run.fidelity, run.metrics, run.applied
    return run


def keep_recorded(run: RecordedRun) -> None:
    """Keep it with its session, in place of an earlier one."""
    _RECORDED.keep(run.session, run)


def kept_recorded(session: Session) -> RecordedRun | None:
    """The recorded run that was kept with the session, if one was."""
    return _RECORDED.get(session)


def counts_alike(one: Profile, other: Profile) -> bool:
    """Whether tokens of runs under these profiles are the same unit."""
    return SizeKey.of(one) == SizeKey.of(other)
