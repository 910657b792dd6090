"""Terms of a text: those of a very long one are those of its two ends, and of nothing that only cutting it makes."""

from __future__ import annotations

from ravenglass.replay.measures.needs.terms import MOST_CHARS, held


def test_that_cutting_a_very_long_text_makes_no_term() -> None:
    half = MOST_CHARS // 2
    head, tail = "x" * 8 + " " * (half - 8 - 14) + "compute_shipp_", "ing_rate_total" + " " * (half - 14)
    text = f"{head}{'y ' * 40}{tail}"
    assert len(text) > MOST_CHARS
    assert "compute_shipp_ing_rate_total" in held("compute_shipp_ing_rate_total")
    assert "compute_shipp_ing_rate_total" not in held(text)
