"""Random runs, and what several tests ask of a run."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from ravenglass.replay import HandChange, Run, replay
from ravenglass.replay.changes import ChangeKind
from ravenglass.sessions.model import Session
from tests.engine.builders import profiles, sessions, valid_sessions, with_calls

KINDS: tuple[ChangeKind, ...] = ("pin", "unpin", "archive", "retrieve", "relevance")

thorough = settings(
    max_examples=60,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
"""For properties over whole runs: an example is some ten calls."""


def runs() -> st.SearchStrategy[Run]:
    """Runs of random sessions, damaged ones too, under random profiles with small windows."""
    return st.builds(replay, sessions().filter(with_calls), profiles())


def orderly_runs() -> st.SearchStrategy[Run]:
    """Runs of sessions whose results all follow their calls."""
    return st.builds(replay, valid_sessions().filter(with_calls), profiles())


def changes_for(session: Session) -> st.SearchStrategy[list[HandChange]]:
    """Changes by hand at any call, to any message."""
    one = st.builds(
        HandChange,
        st.integers(1, len(session.structure.calls)),
        st.sampled_from(KINDS),
        st.integers(0, len(session.messages) - 1),
        st.sampled_from((0.0, 0.5, 1.0)),
    )
    return st.lists(one, min_size=1, max_size=6)


@st.composite
def changed_runs(draw: st.DrawFn) -> Run:
    """A run with changes by hand."""
    session = draw(sessions().filter(with_calls))
    return replay(session, draw(profiles()), draw(changes_for(session)))


def any_runs() -> st.SearchStrategy[Run]:
    return runs() | changed_runs()


def states_and_forms(run: Run, call: int) -> tuple[bytes, bytes]:
    """State and form of every group after a call, as the log has them."""
    codes = [track.at(call) for track in run._log.tracks]
    return bytes(code & 7 for code in codes), bytes(code >> 3 for code in codes)


def caps(run: Run, call: int) -> dict[int, int]:
    """What shrunk groups may take after a call, as the log has it."""
    found = {g: track.cap_at(call) for g, track in enumerate(run._log.tracks)}
    return {g: cap for g, cap in found.items() if cap}


def included(run: Run, call: int) -> set[int]:
    """Ids of the recorded messages in a window."""
    return {m.id for m in run.window(call).messages if m.id is not None}
