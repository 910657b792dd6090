"""Records that are decoded one by one, each under its name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions.records.pieces import Pieces


def test_that_a_piece_keeps_its_bytes_and_decodes() -> None:
    pieces = Pieces()
    pieces.add("a", b'\xef\xbb\xbf{"x": 1}\n')
    record = pieces.add("b", '\n {\n "y": "\u2028"}'.encode())
    assert record is not None
    assert record.value == {"y": "\u2028"}
    assert pieces.source.read(record.span) == '\n {\n "y": "\u2028"}'.encode()
    assert pieces.source.name_of(record.span) == "b"
    assert (pieces.damage, pieces.warnings()) == ([], ())


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "it is empty"), (b" \x00\n", "it holds nothing but blanks"), (b'{"x": ', "it is no valid JSON")],
)
def test_that_what_does_not_decode_is_named_with_its_size(data: bytes, reason: str) -> None:
    pieces = Pieces()
    assert pieces.add("row 7", data) is None
    assert pieces.warnings() == (f"row 7 is damaged ({reason}, {len(data)} bytes); kept: every other record.",)


def test_that_nul_bytes_are_taken_out_and_told() -> None:
    pieces = Pieces()
    record = pieces.add("row 7", b'{"x":\x00\x00 1}')
    assert record is not None
    assert record.value == {"x": 1}
    assert pieces.damage[0].reason == "2 NUL bytes"


def test_that_of_many_damaged_pieces_the_first_are_named() -> None:
    pieces = Pieces()
    for number in range(8):
        pieces.add(f"row {number}", b"{")
    assert len(pieces.damage) == 8
    assert len(pieces.warnings()) == 6
    assert pieces.warnings()[-1] == "3 more records could not be decoded; all others were read."


@given(items=st.lists(st.binary(max_size=30), max_size=8))
def test_that_every_piece_can_be_read_back(items: list[bytes]) -> None:
    pieces = Pieces()
    spans = []
    for number, data in enumerate(items):
        record = pieces.add(str(number), data)
        spans.append(record.span if record is not None else pieces.damage[-1].span)
    assert [pieces.source.read(span) for span in spans] == items
    assert [pieces.source.name_of(span) for span in spans if span.length] == [
        str(number) for number, data in enumerate(items) if data
    ]
