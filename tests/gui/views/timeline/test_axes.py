"""Ticks and the labels in the timeline's margin."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from ravenglass_gui.views.timeline.axes import spread, token_ticks


@given(
    wanted=st.lists(st.floats(0, 300), min_size=1, max_size=8).map(sorted),
    gap=st.floats(8, 20),
    height=st.floats(40, 400),
)
def test_that_labels_never_touch_nor_leave_the_plot_where_there_is_room(
    wanted: list[float], gap: float, height: float
) -> None:
    assume(gap * len(wanted) <= height)
    placed = spread(wanted, gap, height)
    assert len(placed) == len(wanted)
    assert all(later - earlier >= gap - 1e-6 for earlier, later in pairwise(placed))
    assert placed[0] >= gap / 2 - 1e-6
    assert placed[-1] <= height - gap / 2 + 1e-6


@given(wanted=st.lists(st.floats(30, 270), min_size=1, max_size=6, unique=True).map(sorted))
def test_that_labels_with_room_stay_where_they_are_wanted(wanted: list[float]) -> None:
    assume(all(b - a >= 14 for a, b in pairwise(wanted)))
    assert spread(wanted, 14, 300) == wanted


@given(top=st.floats(1, 5e6), height=st.floats(60, 600))
def test_that_ticks_are_round_evenly_spaced_and_not_crowded(top: float, height: float) -> None:
    ticks = token_ticks(top, height)
    assert ticks[0] == 0
    assert ticks[-1] <= top
    if len(ticks) > 1:
        step = ticks[1]
        assert f"{step:.1f}".replace(".", "").rstrip("0") in ("1", "2", "25", "5")
        assert height * step / top >= 21.9
