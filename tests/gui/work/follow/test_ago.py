"""How long ago something was, in words."""

from __future__ import annotations

import pytest

from ravenglass_gui.work.follow.following import _ago


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, "0 s ago"),
        (59.9, "59 s ago"),
        (60, "1 min ago"),
        (125, "2 min ago"),
        (3_599, "59 min ago"),
        (7_300, "2 h ago"),
    ],
)
def test_that_the_time_since_a_change_is_told_in_its_largest_unit(seconds: float, words: str) -> None:
    assert _ago(seconds) == words
