"""What is printed or shown steers nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.safe.visible import visible, visible_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb\x07", "a␛[31mb␇"),
        ("one\r\ntwo\tthree\x00", "one␍␊two␉three␀"),
        ("\x7f\x9b2J", "␡<U+009B>2J"),
        ("abc\u202etxt.exe", "abc<U+202E>txt.exe"),
        ("\u2066x\u2069\u200f\u061c", "<U+2066>x<U+2069><U+200F><U+061C>"),
        ("pass\u200bword\ufeff\u00ad", "pass<U+200B>word<U+FEFF><U+00AD>"),
        ("hi\U000e0041", "hi<U+E0041>"),
        ("name\udcff", "name<U+DCFF>"),
        ("a\u200db", "a<U+200D>b"),
        ("\u2028", "<U+2028>"),
    ],
)
def test_that_what_nobody_sees_becomes_a_mark(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["Grüße", "数据库", "👩\u200d💻", "می\u200cخواهم", "café", "", "[bold]x[/bold]"])
def test_that_writing_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@given(st.text())
def test_that_no_control_character_is_left_and_lines_keep_their_ends(text: str) -> None:
    line, lines = visible(text), visible_lines(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in line)
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in lines.replace("\n", ""))
    assert lines.count("\n") == text.count("\n")
    assert visible(line) == line
