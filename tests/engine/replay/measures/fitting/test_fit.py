"""The robust line through estimates and reported figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.replay.measures.fitting.fit import LEAST_CALLS, Point, fit


def line(scale: float, offsets: dict[int, float], sizes: list[int]) -> list[Point]:
    return [
        Point(number, segment, float(size), max(1, round(offset + scale * size)))
        for segment, offset in offsets.items()
        for number, size in enumerate(sizes)
    ]


def test_that_points_of_a_line_give_its_scale_and_one_offset_a_segment() -> None:
    found = fit(line(1.25, {0: 40_000, 3: 60_000}, [100, 400, 2_000, 9_000]))
    assert found is not None
    assert found.scale == pytest.approx(1.25, rel=1e-3)
    assert found.offsets == pytest.approx({0: 40_000, 3: 60_000}, abs=5)


def test_that_a_third_of_wild_points_does_not_move_the_line() -> None:
    points = line(1.25, {0: 40_000}, list(range(1_000, 31_000, 1_000)))
    wild = [Point(p.call, 0, p.estimate, 5_000) if p.call % 3 == 2 else p for p in points]
    found = fit(wild)
    assert found is not None
    assert found.scale == pytest.approx(1.25, rel=0.02)
    assert found.offsets[0] == pytest.approx(40_000, rel=0.02)


def test_that_a_segment_of_few_calls_has_no_offset_of_its_own() -> None:
    points = [*line(1.5, {0: 1_000}, [10, 200, 3_000]), Point(9, 1, 50, 7_000), Point(10, 1, 90, 7_100)]
    assert LEAST_CALLS == 3
    found = fit(points)
    assert found is not None
    assert list(found.offsets) == [0]
    assert found.at(points[-1]) is None
    assert found.error(points[-1]) is None


@pytest.mark.parametrize("sizes", [[], [5], [5, 9], [7, 7, 7, 7]])
def test_that_too_few_or_equal_points_give_no_line(sizes: list[int]) -> None:
    assert fit(line(1.2, {0: 100}, sizes)) is None


@given(
    st.floats(0.6, 2.4),
    st.dictionaries(st.integers(0, 5), st.integers(0, 90_000), min_size=1, max_size=3),
    st.lists(st.integers(0, 150_000), min_size=4, max_size=30, unique=True),
)
def test_that_any_exact_line_is_found_again(scale: float, offsets: dict[int, float], sizes: list[int]) -> None:
    points = line(scale, offsets, sorted(sizes))
    found = fit(points)
    assert found is not None
    spread = max(sizes) - min(sizes)
    assert found.scale == pytest.approx(scale, abs=4 / spread + 1e-6) or spread < 50
    for point in points:
        made = found.at(point)
        assert made is not None
        assert made == pytest.approx(point.reported, abs=max(5.0, spread * abs(found.scale - scale) + 2))
