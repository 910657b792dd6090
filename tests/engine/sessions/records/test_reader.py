"""From files to records: lines, documents, what is pending and what is damaged."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records import source
from ravenglass.sessions.records.progress import Cancelled, Reporter
from ravenglass.sessions.records.reader import Records, read_records
from ravenglass.sessions.records.source import FileSource, MemorySource, Opened, open_path

Write = Callable[..., Path]


def reading(path: Path) -> Records:
    reporter = Reporter(None, path.name)
    return read_records(open_path(path, reporter), reporter)


def read_bytes(data: bytes) -> tuple[list[object], Records]:
    records = read_records(Opened(Path("x"), MemorySource(data)), Reporter(None, "x"))
    return [record.value for record in records], records


def test_that_lines_are_split_on_line_feeds_only() -> None:
    data = '{"a":"x\u2028y\u2029z\u0085w"}\n{"b":"\x0b"}\n'.encode()
    values, records = read_bytes(data)
    assert values == [{"a": "x\u2028y\u2029z\u0085w"}, {"b": "\x0b"}]
    assert records.damage == ()


def test_that_a_byte_order_mark_and_carriage_returns_are_no_part_of_a_record() -> None:
    data = b'\xef\xbb\xbf{"a":1}\r\n\r\n{"b":2}\r\n'
    records = read_records(Opened(Path("x"), MemorySource(data)), Reporter(None, "x"))
    assert [record.span for record in records] == [Span(1, 3, 7), Span(3, 14, 7)]


def test_that_only_one_carriage_return_is_stripped() -> None:
    values, records = read_bytes(b'{"a":1}\r\r\n{"b":2}\n')
    assert values == [{"a": 1}, {"b": 2}]
    assert records.damage == ()


def test_that_a_cut_last_line_is_pending_and_no_damage() -> None:
    values, records = read_bytes(b'{"a":1}\n{"b":{"c":1}')
    assert values == [{"a": 1}]
    assert records.pending == Span(2, 8, 12)
    assert records.damage == ()


def test_that_a_whole_last_line_needs_no_line_feed() -> None:
    values, records = read_bytes(b'{"a":1}\n{"b":2}')
    assert values == [{"a": 1}, {"b": 2}]
    assert records.pending is None


def test_that_a_cut_line_in_the_middle_is_damage_with_its_place() -> None:
    values, records = read_bytes(b'{"a":1}\n{"b":\n{"c":3}\n')
    assert values == [{"a": 1}, {"c": 3}]
    assert [item.span for item in records.damage] == [Span(2, 8, 5)]


def test_that_a_record_before_a_cut_end_of_the_last_line_is_kept() -> None:
    values, records = read_bytes(b'{"a":1}\n{"b":2}{"c"')
    assert values == [{"a": 1}, {"b": 2}]
    assert records.pending == Span(2, 15, 4)


def test_that_glued_records_are_named_in_a_warning() -> None:
    values, records = read_bytes(b'{"a":1}{"b":2}\n')
    assert values == [{"a": 1}, {"b": 2}]
    assert records.warnings == ("Line 1 holds 2 records without a line break; all were read.",)


def test_that_a_pretty_printed_document_is_one_record() -> None:
    value = {"messages": [{"role": "user"}], "n": [1, 2]}
    data = b"\n " + json.dumps(value, indent=2).encode() + b"\n"
    values, records = read_bytes(data)
    assert values == [value]
    assert records.container == "json"


def test_that_a_damaged_first_line_does_not_make_lines_a_document() -> None:
    values, records = read_bytes(b'{"a": "cut\n{"b":2}\n{"c":3}\n')
    assert values == [{"b": 2}, {"c": 3}]
    assert records.container == "jsonl"
    assert records.damage[0].span.line == 1


def test_that_a_cut_document_keeps_its_whole_objects_and_names_the_place() -> None:
    data = b'[\n {"a": 1},\n {"b": 2},\n {"c": '
    values, records = read_bytes(data)
    assert values == [{"a": 1}, {"b": 2}]
    assert records.damage[0].span.line == 4


def test_that_a_cut_document_on_one_line_keeps_the_whole_objects_of_its_list() -> None:
    values, records = read_bytes(b'{"model":"m","messages":[{"a":1},{"b":2},{"c":')
    assert values == [{"a": 1}, {"b": 2}]
    assert records.container == "json"
    assert len(records.damage) == 1


def test_that_the_objects_of_a_damaged_document_have_their_own_places() -> None:
    data = '\ufeff[\n {"a": "é"}, x,\n  {\n "b": {"c": 2}}, {"d"'.encode()
    records = read_records(Opened(Path("x"), MemorySource(data)), Reporter(None, "x"))
    found = list(records)
    assert [record.value for record in found] == [{"a": "é"}, {"b": {"c": 2}}]
    assert [record.span.line for record in found] == [2, 3]
    assert [data[r.span.offset : r.span.offset + r.span.length] for r in found] == [
        '{"a": "é"}'.encode(),
        b'{\n "b": {"c": 2}}',
    ]


def test_that_nul_bytes_in_a_document_cost_only_themselves() -> None:
    values, records = read_bytes(b'\x00[\x00\n{"a":\x001},\x00 {"b":2}\x00]\x00\n')
    assert values == [[{"a": 1}, {"b": 2}]]
    assert "NUL" in records.damage[0].reason


def test_that_a_damaged_first_line_beginning_like_an_array_does_not_make_lines_a_document() -> None:
    values, records = read_bytes(b'["cut\n{"b":2}\n{"c":3}\n')
    assert values == [{"b": 2}, {"c": 3}]
    assert records.container == "jsonl"


def test_that_one_cut_record_on_the_only_line_is_pending_and_no_document() -> None:
    values, records = read_bytes(b'{"type":"user","message":{"role":"user","content":[{"type":"text"}]}')
    assert values == []
    assert records.pending is not None


def test_that_peeking_loses_no_record() -> None:
    data = b"".join(b'{"n":%d}\n' % n for n in range(50))
    records = read_records(Opened(Path("x"), MemorySource(data)), Reporter(None, "x"))
    assert [record.value for record in records.peek(3)] == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert [record.value for record in records.peek(2)] == [{"n": 0}, {"n": 1}]
    assert [record.value for record in records] == [{"n": n} for n in range(50)]


def test_that_a_file_without_any_record_is_given_up_early() -> None:
    data = b"no record\n" * 20_000
    values, records = read_bytes(data)
    assert values == []
    assert len(records.damage) == 10_000


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_that_compressed_files_are_told_by_content_not_by_name(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "plain.jsonl"
    path.write_bytes(pack(b'{"a":1}\n') + pack(b'{"b":2}\n'))
    records = reading(path)
    assert [record.value for record in records] == [{"a": 1}, {"b": 2}]
    assert records.warnings == ()


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
@pytest.mark.parametrize("harm", ["cut", "flip", "tail"])
def test_that_a_damaged_compressed_file_gives_what_came_before(
    tmp_path: Path, pack: Callable[[bytes], bytes], harm: str
) -> None:
    lines = b"".join(json.dumps({"n": n, "noise": hash((n, "x")) % 10**9}).encode() + b"\n" for n in range(30_000))
    packed = pack(lines)
    half = len(packed) // 2
    spoiled = packed[:half] + bytes([packed[half] ^ 0xFF]) * 8 + packed[half + 8 :]
    path = tmp_path / "session.jsonl.gz"
    path.write_bytes({"cut": packed[:half], "flip": spoiled, "tail": packed + b"more"}[harm])
    records = reading(path)
    values = [record.value for record in records]
    assert len(values) > (29_999 if harm == "tail" else 1_000)
    assert values[:1_000] == [json.loads(line) for line in lines.split(b"\n")[:1_000]]
    assert "is damaged as" in records.warnings[0]


def test_that_a_gzip_stream_with_a_wrong_checksum_is_read_and_reported(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b'{"a":1}\n'))
    packed[-6] ^= 1
    path = tmp_path / "s.gz"
    path.write_bytes(bytes(packed))
    records = reading(path)
    assert [record.value for record in records] == [{"a": 1}]
    assert "damaged" in records.warnings[0]


def test_that_a_large_plain_file_is_read_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_IN_MEMORY", 10)
    path = tmp_path / "large.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":"\xe5\xad\x97"}\n')
    records = reading(path)
    assert isinstance(records.opened.source, FileSource)
    spans = [record.span for record in records]
    assert [records.opened.source.read(span) for span in spans] == [b'{"a":1}', b'{"b":"\xe5\xad\x97"}']


def test_that_a_file_shortened_meanwhile_gives_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_IN_MEMORY", 10)
    path = tmp_path / "large.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":22222}\n')
    records = reading(path)
    last = list(records)[-1].span
    path.write_bytes(b'{"a":1}\n')
    with pytest.raises(SessionError, match="line 2 is no longer whole"):
        records.opened.source.read(last)
    path.unlink()
    with pytest.raises(SessionError, match="can no longer be read"):
        records.opened.source.read(last)


def test_that_progress_rises_to_the_total_and_cancels(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"a":"%s"}\n' % (b"x" * 100_000) * 60)
    seen: list[tuple[int, int]] = []

    def follow(done: int, total: int) -> bool:
        seen.append((done, total))
        return True

    reporter = Reporter(follow, path.name)
    list(read_records(open_path(path, reporter), reporter))
    assert seen == sorted(seen)
    assert len(seen) > 3
    assert seen[-1][0] == seen[-1][1] == path.stat().st_size
    stop = Reporter(lambda done, _: done < 3_000_000, path.name)
    with pytest.raises(Cancelled, match=r"s\.jsonl was cancelled"):
        list(read_records(open_path(path, stop), stop))


RECORDS = st.lists(
    st.dictionaries(st.text(max_size=5), st.text(max_size=8) | st.integers(-9, 9), max_size=3), min_size=3, max_size=8
)


@given(RECORDS, st.data())
def test_that_damage_in_one_line_never_loses_another(records: list[dict[str, object]], data: st.DataObject) -> None:
    lines = [json.dumps(record, ensure_ascii=False).encode() for record in records]
    hurt = data.draw(st.integers(0, len(lines) - 1))
    line = lines[hurt]
    start = data.draw(st.integers(0, len(line)))
    stop = data.draw(st.integers(start, len(line)))
    junk = data.draw(st.binary(max_size=6)).replace(b"\n", b"")
    lines[hurt] = line[:start] + junk + line[stop:]
    _, reader = read_bytes(b"\n".join(lines) + b"\n")
    records_read = read_records(Opened(Path("x"), MemorySource(b"\n".join(lines) + b"\n")), Reporter(None, "x"))
    found = {record.span.line: record.value for record in records_read if record.span.line != hurt + 1}
    assert found == {n + 1: record for n, record in enumerate(records) if n != hurt}
    assert {item.span.line for item in reader.damage} <= {hurt + 1}
