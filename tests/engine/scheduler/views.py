"""Views on sessions in memory: what the scheduler looks at, without a replay around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from ravenglass.hub.item import Form, State
from ravenglass.hub.live import Live
from ravenglass.hub.size_key import SizeKey
from ravenglass.hub.sizes import Sizes
from ravenglass.profile import Profile, make_profile
from ravenglass.scheduler.budget import budget
from ravenglass.scheduler.features import Features, features_of
from ravenglass.scheduler.standing import Standing, standing
from ravenglass.scheduler.view import ByHand, View
from ravenglass.sessions.model.session import Session
from tests.engine.builders import profiles, sessions, with_calls

Place = tuple[State, Form]
IN: Place = (State.ACTIVE, Form.FULL)
STANDBY: Place = (State.STANDBY, Form.OUT)
RELEASED: Place = (State.STANDBY, Form.FULL)
"""On standby, but still in its place: the default lifecycle before the next slow path."""
EXPIRED: Place = (State.EXPIRED, Form.FULL)
ARCHIVED: Place = (State.ARCHIVED, Form.OUT)


def plain(available: int = 10_000, **more: Any) -> Profile:
    """A profile of exactly that C, without reserves, protection, offloading or summaries; the slow path fills all of
    it."""
    free = {"output_reserve": 0, "safety_buffer": 0, "system_overhead": 0}
    still = {"protect_first_n": 0, "offload_tokens": 200_000, "trim_target": 1.0, "message_overhead": 0}
    still["summarize"] = False
    return make_profile(**{"window": available, **free, **still, **more})


def ruled(session: Session, profile: Profile | None = None) -> tuple[Features, Standing]:
    """Features and standing of a session."""
    profile = profile or Profile()
    features = features_of(session)
    return features, standing(features, Sizes(session, SizeKey.of(profile)), profile, budget(profile))


def look(
    session: Session,
    profile: Profile | None = None,
    call: int | None = None,
    places: Mapping[int, Place] | None = None,
    out_since: Mapping[int, int] | None = None,
    **more: Any,
) -> View:
    """The view at a call (the last one by default). Known groups are active and whole unless `places` says else;
    `more` are further fields of View."""
    profile = profile or Profile()
    features = features_of(session)
    sizes = Sizes(session, SizeKey.of(profile))
    limit = budget(profile)
    call = len(features.calls) if call is None else call
    live = Live(len(features.groups))
    for group in range(features.known[call]):
        state, form = (places or {}).get(group, IN)
        live.states[group], live.forms[group] = state, form
    for group, since in (out_since or {}).items():
        live.out_since[group] = since
    return View(features, sizes, standing(features, sizes, profile, limit), profile, limit, live, call, **more)


@st.composite
def views(draw: st.DrawFn) -> View:
    """A random session at a random call under a random profile, its groups in random legal places."""
    session = draw(sessions(longest=600).filter(with_calls))
    profile = draw(profiles())
    call = draw(st.integers(1, len(session.structure.calls)))
    known = features_of(session).known[call]
    any_place = draw(st.lists(_PLACES, min_size=known, max_size=known))
    since = draw(st.lists(st.integers(0, call), min_size=known, max_size=known))
    groups = st.integers(0, known - 1) if known else st.nothing()
    some = st.frozensets(groups, max_size=2) if known else st.just(frozenset())
    relevance = st.dictionaries(groups, st.integers(0, 10).map(lambda n: n / 10), max_size=2) if known else st.just({})
    return look(
        session,
        profile,
        call,
        dict(enumerate(any_place)),
        {g: n for g, n in enumerate(since) if not any_place[g][1]},
        goals=draw(st.sampled_from(((), ("fix login",), ("src/auth.py", "修改配额")))),
        working_state_tokens=draw(st.sampled_from((0, 40, 4_000))),
        hand=ByHand(pins=draw(some), unpins=draw(some), relevance=draw(relevance), whole=draw(some)),
    )


_PLACES = st.sampled_from(
    (
        IN,
        IN,
        IN,
        (State.ACTIVE, Form.OFFLOADED),
        STANDBY,
        STANDBY,
        RELEASED,
        (State.STANDBY, Form.STUB),
        EXPIRED,
        ARCHIVED,
    )
)
