"""Random runs, and what several tests ask of a run."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from ravenglass.curator.working_state.edits import LIST_NAMES
from ravenglass.profile import Profile
from ravenglass.replay import HandChange, SimulatedRun, replay
from ravenglass.replay.stepping.changes import Change, ChangeKind, HandPlan, StateEdit
from ravenglass.sessions.model.session import Session
from tests.engine.builders import profiles, sessions, valid_sessions, with_calls
from tests.proofs import examples

KINDS: tuple[ChangeKind, ...] = ("pin", "unpin", "protect", "unprotect", "archive", "retrieve", "relevance")

thorough = settings(
    max_examples=examples(60),
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
"""For properties over whole runs: an example is some ten calls."""


def runs() -> st.SearchStrategy[SimulatedRun]:
    """Runs of random sessions, damaged ones too, under random profiles with small windows."""
    return st.builds(replay, sessions().filter(with_calls), profiles())


def orderly_runs() -> st.SearchStrategy[SimulatedRun]:
    """Runs of sessions whose results all follow their calls."""
    return st.builds(replay, valid_sessions().filter(with_calls), profiles())


def changes_for(session: Session) -> st.SearchStrategy[list[Change]]:
    """Changes by hand at any call: to any message, to the working state, and plans of any messages."""
    calls, messages = st.integers(1, len(session.structure.calls)), st.integers(0, len(session.messages) - 1)
    lines = st.sampled_from(("", "keep the names", "修复登录", "fix the login"))
    one: st.SearchStrategy[Change] = st.one_of(
        st.builds(HandChange, calls, st.sampled_from(KINDS), messages, st.sampled_from((0.0, 0.5, 1.0))),
        st.builds(HandPlan, calls, st.frozensets(messages), st.booleans(), st.frozensets(messages, max_size=2)),
        st.builds(StateEdit, calls, st.sampled_from(LIST_NAMES), lines, lines),
    )
    return st.lists(one, min_size=1, max_size=6)


@st.composite
def changed_runs(draw: st.DrawFn) -> SimulatedRun:
    """A run with changes by hand."""
    session = draw(sessions().filter(with_calls))
    return replay(session, draw(profiles()), draw(changes_for(session)))


def any_runs() -> st.SearchStrategy[SimulatedRun]:
    return runs() | changed_runs()


def states_and_forms(run: SimulatedRun, call: int) -> tuple[bytes, bytes]:
    """State and form of every group after a call, as the log has them."""
    tracks = run._log.tracks
    return bytes(track.state_at(call) for track in tracks), bytes(track.form_at(call) for track in tracks)


def caps(run: SimulatedRun, call: int) -> dict[int, int]:
    """What shrunk groups may take after a call, as the log has it."""
    found = {g: track.cap_at(call) for g, track in enumerate(run._log.tracks)}
    return {g: cap for g, cap in found.items() if cap}


def included(run: SimulatedRun, call: int) -> set[int]:
    """Ids of the recorded messages in a window."""
    return {m.id for m in run.window(call).messages if m.id is not None}


def summary_profiles() -> st.SearchStrategy[Profile]:
    """Profiles under which random sessions need the last resort now and then."""
    own: dict[str, st.SearchStrategy[object]] = {
        "window": st.sampled_from((2_000, 4_000, 8_000)),
        "system_overhead": st.just(0),
        "quota_session": st.sampled_from((0.3, 0.7)),
        "quota_global": st.just(0.0),
        "quota_task": st.just(0.2),
        "quota_atomic": st.just(0.1),
        "summarize": st.just(True),
        "trim_target": st.sampled_from((0.45, 1.0)),
        "protected_cap": st.sampled_from((0.1, 0.5, 1.0)),
        "protect_first_n": st.integers(1, 3),
    }
    return st.builds(lambda base, values: base.with_values(**values), profiles(), st.fixed_dictionaries(own))


def summary_runs() -> st.SearchStrategy[SimulatedRun]:
    """Runs of which many hold summaries."""
    return st.builds(replay, sessions(turns=4, exchanges=5, longest=4_000).filter(with_calls), summary_profiles())
