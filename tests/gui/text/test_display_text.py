"""What a text widget shows, and the way back to the recorded text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ravenglass_gui.text.display_text import LONGEST_LINE, display_text, joined, utf16_length

TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from("\n\r\t\u2028\u2029\x00\x1b\ufdd0\U0001f600登")), max_size=200
)


def test_that_plain_text_is_shown_as_it_is() -> None:
    made = display_text("one\n\ttwo 登录\n")
    assert made.shown == "one\n\ttwo 登录\n"
    assert made.notice() == ""


def test_that_separators_which_qt_would_break_at_become_symbols_and_are_counted() -> None:
    made = display_text("a\u2028b\u2029c\rd")
    assert made.shown == "a\u21b5b\u00b6c\u21a4d"
    assert made.replaced == 3
    assert made.notice().startswith("3 control characters are shown as a symbol")


def test_that_a_line_of_a_million_characters_is_broken_and_counted() -> None:
    made = display_text("x" * 1_000_000 + "\nshort")
    assert max(len(line) for line in made.shown.split("\n")) == LONGEST_LINE
    assert made.long_lines == 1
    assert "1 line is longer than 4,096 characters" in made.notice()


def test_that_a_selection_over_an_inserted_break_gives_the_recorded_text() -> None:
    text = "x" * (LONGEST_LINE - 1) + "ab" + "y" * 10
    made = display_text(text)
    assert made.shown[LONGEST_LINE] == "\n"
    assert made.verbatim(LONGEST_LINE - 1, LONGEST_LINE + 2) == "ab"


def test_that_positions_count_utf16_units_as_qt_does() -> None:
    made = display_text("\U0001f600a登b")
    assert made.verbatim(2, 4) == "a登"


@given(TEXT, st.integers(0, 3))
def test_that_everything_selected_is_everything_recorded(text: str, repeats: int) -> None:
    recorded = text * 10**repeats
    made = display_text(recorded)
    assert made.verbatim(0, utf16_length(made.shown)) == recorded


@given(TEXT, TEXT, st.integers(0, 3))
def test_that_two_parts_joined_are_like_the_whole(head: str, tail: str, repeats: int) -> None:
    parts = (head * 10**repeats, tail * 10**repeats)
    made = joined(display_text(parts[0]), display_text(parts[1]))
    whole = display_text("".join(parts))
    assert made.verbatim(0, utf16_length(made.shown)) == whole.original
    assert made.replaced == whole.replaced


def test_that_a_long_line_cut_between_two_parts_counts_once() -> None:
    assert joined(display_text("x" * 10_000), display_text("x" * 10_000)).long_lines == 1
    assert joined(display_text("x" * 10_000 + "\n"), display_text("x" * 10_000)).long_lines == 2


@given(TEXT)
def test_that_nothing_shown_makes_qt_break_a_line(text: str) -> None:
    shown = display_text(text).shown
    assert not set(shown) & set("\r\u2028\u2029\ufdd0\ufdd1\x00")
    assert shown.count("\n") == text.count("\n")
    shown.encode("utf-8")
