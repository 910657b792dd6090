"""Which messages a writer's window held, from markers alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions.model.presence import Presence
from ravenglass.sessions.model.session import Marker, MarkerKind


def held(markers: list[Marker], boundary: int) -> list[int]:
    return list(Presence(markers).at(boundary).ids(boundary))


def test_that_without_markers_everything_is_there() -> None:
    assert held([], 4) == [0, 1, 2, 3]


def test_that_a_compaction_leaves_what_it_kept_and_what_follows() -> None:
    markers = [Marker("compaction", 5, keep=(1, 3))]
    assert held(markers, 4) == [0, 1, 2, 3]
    assert held(markers, 5) == [1, 3]
    assert held(markers, 7) == [1, 3, 5, 6]


def test_that_a_second_compaction_knows_only_its_own_list() -> None:
    markers = [Marker("compaction", 3, keep=(1,)), Marker("compaction", 6, keep=(4,))]
    assert held(markers, 8) == [4, 6, 7]


def test_that_a_marker_that_takes_nothing_out_changes_nothing() -> None:
    markers = [Marker("compaction", 3, keep=(1,)), Marker("rollback", 5, keep=None)]
    assert held(markers, 6) == [1, 3, 4, 5]


def test_that_cleared_results_stay_as_notes_through_later_markers() -> None:
    presence = Presence([Marker("clearing", 4, keep=None, cleared=(2,)), Marker("compaction", 6, keep=(2,))])
    assert presence.at(3).cleared == frozenset()
    assert presence.at(4).cleared == {2}
    assert presence.at(8).cleared == {2}
    assert presence.at(8).holds(2)


def test_that_markers_at_one_place_hold_in_their_order() -> None:
    markers = [Marker("clearing", 4, keep=None, cleared=(1,)), Marker("compaction", 4, keep=(0, 1))]
    found = Presence(markers).at(4)
    assert (list(found.ids(4)), found.cleared, found.segment) == ([0, 1], frozenset({1}), 2)


def test_that_only_markers_that_may_bring_unrecorded_content_begin_a_segment() -> None:
    kinds: tuple[MarkerKind, ...] = ("rollback", "resume", "compaction", "consolidated")
    markers = [Marker(kind, place) for place, kind in enumerate(kinds)]
    assert [epoch.segment for epoch in Presence(markers).epochs] == [0, 0, 0, 1, 2]


MARKERS = st.builds(
    Marker,
    st.sampled_from(["compaction", "clearing", "rollback", "consolidated", "resume"]),
    st.integers(-2, 25),
    keep=st.none() | st.lists(st.integers(-3, 30), max_size=6).map(tuple),
    cleared=st.lists(st.integers(-3, 30), max_size=4).map(tuple),
)


@given(st.lists(MARKERS, max_size=6), st.integers(0, 20))
def test_that_a_window_is_made_of_known_messages_in_order_and_holds_says_the_same(
    markers: list[Marker], boundary: int
) -> None:
    epoch = Presence(markers).at(boundary)
    ids = list(epoch.ids(boundary))
    assert ids == sorted(set(ids))
    assert set(ids) <= set(range(boundary))
    assert ids == [m for m in range(boundary) if epoch.holds(m)]
    last = max((m.before for m in markers if m.before <= boundary), default=0)
    assert set(range(max(0, last), boundary)) <= set(ids)
