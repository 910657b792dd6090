"""How numbers are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass_gui.text.numbers import amount, compact, duration, percent, size, tick


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (48_213, "48.2k"),
        (93_000, "93.0k"),
        (999_949, "999.9k"),
        (999_950, "1.0M"),
    ],
)
def test_that_token_counts_are_short(tokens: int, text: str) -> None:
    assert compact(tokens) == text


@given(st.integers(0, 10**8))
def test_that_short_counts_never_pass_six_characters_nor_lose_a_tenth(tokens: int) -> None:
    text = compact(tokens)
    scale = {"k": 1_000, "M": 1_000_000}.get(text[-1], 1)
    value = float(text.rstrip("kM")) * scale
    assert len(text) <= 6
    assert abs(value - tokens) <= max(0.5, scale * 0.0501)


def test_that_ticks_have_no_empty_decimal() -> None:
    assert (tick(20_000), tick(2_500), tick(1_000_000), tick(0)) == ("20k", "2.5k", "1M", "0")


def test_that_percentages_stay_readable() -> None:
    assert (percent(0.834), percent(0), percent(1.1), percent(float("inf"))) == ("83 %", "0 %", "110 %", "over 999 %")


def test_that_amounts_agree_with_their_noun() -> None:
    assert amount(1, "call") == "1 call"
    assert amount(0, "call") == "0 calls"
    assert amount(2_345, "message") == "2,345 messages"
    assert amount(2, "entry", "entries") == "2 entries"


def test_that_durations_change_unit_without_a_gap() -> None:
    assert (duration(0.061), duration(0.9994), duration(0.9996), duration(2.44)) == (
        "61 ms",
        "999 ms",
        "1.0 s",
        "2.4 s",
    )
    assert duration(200) == "3 min 20 s"


def test_that_sizes_change_unit() -> None:
    assert (size(812), size(4_000_000), size(3_800_000_000)) == ("812 B", "4.0 MB", "3.8 GB")
