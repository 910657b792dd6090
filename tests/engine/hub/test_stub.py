from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.stub import BARE_ARGUMENTS, shrunk, stub

TEXTS = st.text(st.sampled_from("ab \n设"), max_size=300)
ADDRESS = "cxt://tool/Bash/1/output"


@pytest.mark.rule("10.2")
@given(TEXTS, st.integers(0, 5), st.integers(1, 50), st.integers(0, 2))
def test_that_a_stub_shows_the_ends_of_the_text_and_no_more_than_allowed(
    text: str, lines: int, chars: int, images: int
) -> None:
    made = stub(text, 1_234, ADDRESS, lines, chars, images)
    if made == text:
        assert not images
        return
    head, label, tail = made.partition(f"[{text.count(chr(10)) + 1:,} lines, ")
    assert label
    rest, _, tail = tail.partition("]")
    assert rest.endswith(f"1,234 tokens moved out of the window; retrieve {ADDRESS}")
    assert ("image" in rest) is bool(images)
    head, tail = head.removesuffix("\n"), tail.removeprefix("\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    if head != text:
        assert max(len(head), len(tail)) <= chars
        assert max(head.count("\n"), tail.count("\n")) < max(lines, 1)
        assert len(head) + len(tail) < max(len(text), 1) or not lines


def test_that_no_lines_leave_the_label_alone() -> None:
    assert stub("a\nb", 5, ADDRESS, 0, 400) == f"[2 lines, 5 tokens moved out of the window; retrieve {ADDRESS}]"


def test_that_one_long_line_is_cut_by_characters() -> None:
    made = stub("a" * 500 + "b" * 500, 5, ADDRESS, 4, 10)
    assert made.startswith("a" * 10 + "\n[1 lines")
    assert made.endswith("]\n" + "b" * 10)


@pytest.mark.rule("6.37")
@given(TEXTS, st.integers(0, 320), st.integers(0, 2))
def test_that_a_shrunk_text_keeps_its_head_and_its_tail(text: str, keep: int, images: int) -> None:
    made = shrunk(text, ADDRESS, keep, images)
    cut = max(0, len(text) - keep)
    if not cut and not images:
        assert made == text
        return
    head, label, tail = made.partition("\n[")
    assert f"{cut:,} of {len(text):,} characters cut to fit; retrieve {ADDRESS}]" in label + tail
    assert ("image" in tail) is bool(images)
    if cut:
        head, tail = made[: keep * 3 // 4], made[len(made) - (keep - keep * 3 // 4) :]
        assert text.startswith(head)
        assert text.endswith(tail)
    else:
        assert made.startswith(text)


def test_that_the_mark_for_cut_arguments_is_json() -> None:
    assert isinstance(json.loads(BARE_ARGUMENTS), dict)
