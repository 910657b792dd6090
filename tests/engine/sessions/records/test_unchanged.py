"""What is read again by its place is what was read before, or it is a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.sessions.model.session import Span
from ravenglass.sessions.model.texts import Spool
from ravenglass.sessions.records.source import FileSource
from ravenglass.sessions.records.unchanged import Blocks

SIZE = 300_000


@pytest.fixture
def source(tmp_path: Path) -> FileSource:
    path = tmp_path / "large.jsonl"
    path.write_bytes(bytes(n % 251 for n in range(SIZE)))
    source = FileSource(path, SIZE)
    with source.open() as stream:
        stream.read()
    return source


@pytest.mark.parametrize(("offset", "length"), [(0, 10), (131_000, 200), (299_900, 100), (0, SIZE), (150_000, 0)])
def test_that_an_unchanged_place_is_read(source: FileSource, offset: int, length: int) -> None:
    assert source.read(Span(1, offset, length)) == bytes(n % 251 for n in range(offset, offset + length))


@pytest.mark.parametrize(("offset", "length"), [(0, 10), (131_000, 200), (299_900, 100)])
def test_that_a_changed_place_is_a_sentence(source: FileSource, offset: int, length: int) -> None:
    data = bytearray(source.path.read_bytes())
    data[offset + length // 2] ^= 1
    source.path.write_bytes(data)
    with pytest.raises(SessionError, match="was changed after it was opened") as failed:
        source.read(Span(7, offset, length))
    assert failed.value.line == 7


def test_that_a_file_that_grew_is_read_where_it_was(source: FileSource) -> None:
    with source.path.open("ab") as file:
        file.write(b"more" * 50_000)
    assert source.read(Span(1, 299_990, 10)) == bytes(n % 251 for n in range(299_990, SIZE))


@given(st.lists(st.integers(1, 200_000), min_size=1, max_size=5), st.integers(0, 400_000))
def test_that_how_a_file_was_read_makes_no_difference(sizes: list[int], changed: int) -> None:
    data = bytes(sum(sizes))
    blocks = Blocks()
    place = 0
    for size in sizes:
        blocks.feed(place, data[place : place + size])
        place += size
    blocks.feed(0, data[:100])
    assert blocks.end == len(data)
    begin, end = blocks.around(0, len(data))
    assert blocks.hold(begin, data[begin:end])
    other = bytearray(data)
    other[changed % len(data)] = 1
    assert not blocks.hold(0, bytes(other))


def test_that_a_text_kept_outside_that_changed_is_a_sentence() -> None:
    spool = Spool()
    kept = spool.keep("x" * (1 << 20))
    assert kept.read() == "x" * (1 << 20)
    spool._open.clear()
    spool._file.seek(5)
    spool._file.write(b"?")
    with pytest.raises(SessionError, match="neither shown nor saved"):
        kept.read()


def test_that_what_stands_behind_the_known_end_is_not_judged() -> None:
    blocks = Blocks()
    blocks.feed(0, b"a" * 100)
    assert blocks.hold(0, b"a" * 100 + b"b" * 50)
    assert not blocks.hold(0, b"a" * 99 + b"b" * 51)
