"""formats.md section 0, rules 1 and 2, on single lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records.decode import decode_line, decode_value

SHAPES = {frozenset({"type", "n"})}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.builds(
    lambda n, more: {"type": "x", "n": n, **more},
    VALUES,
    st.dictionaries(st.text(min_size=1, max_size=4), VALUES, max_size=2),
)


def values(line: bytes) -> list[object]:
    return [record.value for record in decode_line(line, 1, 0, SHAPES).records]


def slices(line: bytes) -> list[bytes]:
    spans = [record.span for record in decode_line(line, 7, 100, SHAPES).records]
    assert all(span.line == 7 for span in spans)
    return [line[span.offset - 100 : span.offset - 100 + span.length] for span in spans]


def test_that_a_whole_line_is_one_record_with_its_exact_bytes() -> None:
    line = '{"type":"x","n":"一 \u2028 \u0085 "}'.encode()
    decoded = decode_line(line, 3, 50)
    assert decoded.records[0].span == Span(3, 50, len(line))
    assert decoded.records[0].value == {"type": "x", "n": "一 \u2028 \u0085 "}
    assert decoded.damage == ()


def test_that_a_lone_surrogate_becomes_a_replacement_character_and_can_be_encoded() -> None:
    (value,) = values(b'{"n":"a\\ud800b","\\udfff":1}')
    assert value == {"n": "a\ufffdb", "\ufffd": 1}
    json.dumps(value, ensure_ascii=False).encode()


def test_that_a_surrogate_pair_stays_the_character_it_stands_for() -> None:
    assert values(b'{"n":"\\ud83d\\ude00","bad":"\\ud800"}') == [{"n": "😀", "bad": "\ufffd"}]


def test_that_nan_infinity_and_raw_control_characters_are_no_damage() -> None:
    decoded = decode_line(b'{"n":NaN,"m":-Infinity,"t":"a\tb\x01"}', 1, 0)
    assert decoded.damage == ()
    assert decoded.records[0].value["t"] == "a\tb\x01"  # type: ignore[index]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (rb'{"path": "C:\Users\dana", "n": 1}', {"path": "C:\\Users\\dana", "n": 1}),
        (rb'{"re": "\d+\s", "ok": "a\nb \u00e9"}', {"re": "\\d+\\s", "ok": "a\nb \u00e9"}),
        (rb'{"u": "\u12"}', {"u": "\\u12"}),
        (rb'{"k\q": ["\\d \x"]}', {"k\\q": ["\\d \\x"]}),
    ],
)
def test_that_an_invalid_escape_costs_that_escape_and_not_the_record(line: bytes, value: object) -> None:
    found = decode_line(line, 7, 100)
    assert [record.value for record in found.records] == [value]
    assert found.records[0].span == Span(7, 100, len(line))
    (damage,) = found.damage
    assert "invalid escape" in damage.reason
    assert damage.kept.startswith("everything")
    assert decode_value(line) == value


def test_that_records_glued_to_one_with_an_invalid_escape_keep_their_places() -> None:
    first, second = '{"a": "\u00fc \\q"}'.encode(), b'{"a": 2}'
    found = decode_line(first + second, 1, 0)
    assert [record.value for record in found.records] == [{"a": "\u00fc \\q"}, {"a": 2}]
    assert found.records[1].span == Span(1, len(first), len(second))


def test_that_every_raw_control_character_in_a_string_stays_in_it() -> None:
    for code in range(1, 32):
        if code != 10:
            line = b'{"a": "x' + bytes([code]) + b'y"}'
            found = decode_line(line, 1, 0)
            assert [record.value for record in found.records] == [{"a": f"x{chr(code)}y"}]
            assert found.damage == ()


def test_that_bytes_which_are_no_utf8_cost_only_themselves() -> None:
    decoded = decode_line(b'{"n":"a\xffb"}', 1, 0)
    assert decoded.records[0].value == {"n": "a\ufffdb"}
    assert decoded.damage[0].reason == "bytes that are no UTF-8"


def test_that_a_utf8_encoded_surrogate_is_replaced() -> None:
    assert values(b'{"n":"\xed\xa0\x80"}') == [{"n": "\ufffd\ufffd\ufffd"}]


@pytest.mark.parametrize(
    "line", [b'\x00\x00{"n":1}', b'{"n":1}\x00\x00\x00', b'{"n":\x00\x001}', b'\x00{"n"\x00:1\x00}\x00']
)
def test_that_nul_runs_are_taken_out_and_named(line: bytes) -> None:
    decoded = decode_line(line, 1, 0)
    assert [record.value for record in decoded.records] == [{"n": 1}]
    assert "NUL" in decoded.damage[0].reason


def test_that_the_span_of_a_record_among_nuls_excludes_those_around_it() -> None:
    assert slices(b'\x00\x00{"n":"\x00"}\x00') == [b'{"n":"\x00"}']


def test_that_a_line_of_nothing_but_nuls_is_damage() -> None:
    decoded = decode_line(b"\x00" * 512, 1, 0)
    assert decoded.records == ()
    assert decoded.damage[0].span == Span(1, 0, 512)


def test_that_glued_records_are_told_apart_with_their_own_bytes() -> None:
    line = '{"type":"x","n":"é"}{"type":"x","n":2} {"n":"字"}'.encode()
    assert slices(line) == ['{"type":"x","n":"é"}'.encode(), b'{"type":"x","n":2}', '{"n":"字"}'.encode()]
    assert decode_line(line, 1, 0).damage == ()


def test_that_the_record_after_a_truncated_one_is_found_wherever_the_cut_is() -> None:
    whole = json.dumps({"type": "x", "n": [1, {"a": "b \\ \u00e9"}, True, None, -1.5e3], "t": "end"}).encode()
    after = b'{"type":"x","n":7}'
    for cut in range(1, len(whole)):
        line = whole[:cut] + after
        decoded = decode_line(line, 1, 0, SHAPES)
        assert [record.value for record in decoded.records] == [{"type": "x", "n": 7}], line
        assert slices(line) == [after]
        assert decoded.damage[0].span == Span(1, 0, cut)
        assert decoded.rest is None


def test_that_an_object_inside_a_cut_record_is_not_taken_for_a_record() -> None:
    decoded = decode_line(b'{"type":"user","message":{"role":"user","content":"hi"}', 1, 0, SHAPES)
    assert decoded.records == ()
    assert decoded.rest == Span(1, 0, 55)


def test_that_an_object_inside_a_record_with_a_damaged_byte_is_not_taken_for_a_record() -> None:
    line = b'{"type":"user",#"message":{"role":"user","content":[{"type":"text"}]}}'
    assert values(line) == []


def test_that_a_whole_record_before_a_cut_one_is_kept() -> None:
    decoded = decode_line(b'{"type":"x","n":1}{"type":"x","n', 1, 0)
    assert [record.value for record in decoded.records] == [{"type": "x", "n": 1}]
    assert decoded.rest == Span(1, 18, 14)
    assert decoded.damage[0].kept == "one whole record"


def test_that_garbage_between_records_costs_neither() -> None:
    assert values(b'{"n":1}abc{"n":2}') == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize("line", [b"12abc", b"null null", b'"a" x', b"hello", b"[0;31mError", b"{" * 20])
def test_that_text_is_damage_and_no_record(line: bytes) -> None:
    assert values(line) == []


def test_that_nesting_beyond_any_reason_is_damage_and_no_crash() -> None:
    decoded = decode_line(b'{"a":' * 50_000, 1, 0)
    assert decoded.records == ()
    assert decoded.damage[0].reason == "it is nested too deeply"
    with pytest.raises(ValueError, match="nested"):
        decode_value(b"[" * 100_000 + b"]" * 100_000)


@given(st.lists(RECORDS, min_size=1, max_size=4))
def test_that_glued_records_come_back_equal_and_their_spans_tile_the_line(records: list[dict[str, object]]) -> None:
    line = b"".join(json.dumps(record, ensure_ascii=False).encode() for record in records)
    assert values(line) == records
    assert b"".join(slices(line)) == line


@given(st.binary(max_size=60))
def test_that_any_bytes_decode_to_spans_inside_the_line_without_an_error(line: bytes) -> None:
    decoded = decode_line(line, 1, 0, SHAPES)
    for span in [*(r.span for r in decoded.records), *(d.span for d in decoded.damage)]:
        assert span.offset >= 0
        assert span.offset + span.length <= len(line)


@given(RECORDS, RECORDS, st.data())
def test_that_nuls_anywhere_between_two_records_lose_neither(
    first: object, second: object, data: st.DataObject
) -> None:
    runs = [b"\x00" * data.draw(st.integers(0, 4)) for _ in range(3)]
    parts = [json.dumps(first, ensure_ascii=False).encode(), json.dumps(second, ensure_ascii=False).encode()]
    line = runs[0] + parts[0] + runs[1] + parts[1] + runs[2]
    assert values(line) == [first, second]
    assert slices(line) == parts


def test_that_the_place_of_an_error_behind_an_invalid_escape_is_told_in_the_text_as_it_stood() -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        decode_value(b'{"a": "\\d", "b": ]')
    assert (caught.value.doc, caught.value.pos) == ('{"a": "\\d", "b": ]', 17)


def test_that_an_integer_of_any_length_costs_no_record() -> None:
    digits = b"9" * 100_000
    line = decode_line(b'{"a": ' + digits + b', "b": 1}', 1, 0)
    assert line.damage == ()
    assert [record.value for record in line.records] == [{"a": digits.decode(), "b": 1}]
