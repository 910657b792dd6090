"""Raw line feeds inside the strings of a file of lines: each costs itself, not its record."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.follow import Follower
from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records import broken_lines
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import Records, read_records
from ravenglass.sessions.records.source import MemorySource, Opened
from tests.proofs import examples

_FEED = re.compile(rb"\\([nr])|\\.", re.DOTALL)


def raw(record: object) -> bytes:
    """A record as a writer makes it that leaves line feeds and carriage returns as they are."""
    ends = {b"n": b"\n", b"r": b"\r"}
    return _FEED.sub(lambda found: ends.get(found[1], found[0]), json.dumps(record).encode())


def read_bytes(data: bytes) -> tuple[list[Any], Records]:
    records = read_records(Opened(Path("x"), MemorySource(data)), Reporter(None, "x"))
    return [record.value for record in records], records


words = st.text(st.sampled_from('a1"\\{}[]:, \n\r\t\ufeffé日'), max_size=12)
objects = st.dictionaries(words, words | st.integers() | st.lists(words, max_size=2), min_size=1, max_size=3)


@given(st.lists(objects, min_size=1, max_size=6))
def test_that_records_with_raw_line_feeds_are_read_as_they_were_meant(found: list[dict[str, Any]]) -> None:
    last: dict[str, Any] = {"last": "record"}
    values, records = read_bytes(b"".join(raw(value) + b"\n" for value in [{"first": 1}, *found, last]))
    assert values == [{"first": 1}, *found, last]
    broken = [value for value in found if b"\n" in raw(value)]
    assert [damage.kept for damage in records.damage] == ["everything, the line feeds as they stand"] * len(broken)
    assert records.pending is None


def test_that_damage_says_how_many_line_feeds_where() -> None:
    data = b'{"a":1}\n{"b":"x\n\ny\r\nz"}\r\n{"c":"x\ny\\d"}\n'
    values, records = read_bytes(data)
    assert values == [{"a": 1}, {"b": "x\n\ny\r\nz"}, {"c": "x\ny\\d"}]
    assert [(damage.span, damage.reason) for damage in records.damage] == [
        (Span(2, 8, 15), "3 line feeds inside strings"),
        (Span(6, 25, 13), "1 line feed inside a string"),
        (Span(6, 25, 13), "1 invalid escape"),
    ]


def test_that_a_first_record_on_several_lines_makes_the_file_no_document() -> None:
    values, records = read_bytes(b'{"a":"x\ny"}\n{"b":[{"c":"x\ny"}]}\n')
    assert (values, records.container) == ([{"a": "x\ny"}, {"b": [{"c": "x\ny"}]}], "jsonl")


def test_that_a_last_record_needs_no_line_feed_behind_it() -> None:
    values, records = read_bytes(b'{"a":1}\n{"b":"x\ny"}')
    assert (values, records.pending) == ([{"a": 1}, {"b": "x\ny"}], None)


def test_that_a_whole_record_before_it_on_the_line_is_kept() -> None:
    values, records = read_bytes(b'{"z":0}\n{"a":1}{"b":"x\ny"}\n')
    assert values == [{"z": 0}, {"a": 1}, {"b": "x\ny"}]
    assert len(records.damage) == 1


@given(st.lists(objects, min_size=1, max_size=4), st.data())
def test_that_a_cut_record_costs_none_of_those_after_it(found: list[dict[str, Any]], data: st.DataObject) -> None:
    whole = raw({"kind": "x", "text": 'say "it"', "more": ["a", "b"]})
    cut = whole[: data.draw(st.integers(1, len(whole) - 1))]
    plain = [json.dumps(value).encode() for value in found]
    values, records = read_bytes(b"\n".join([b'{"first":1}', cut, *plain]) + b"\n")
    assert values[-len(found) :] == found
    assert len(records.damage) == 1


@pytest.mark.parametrize("line", [b'{"a":"x', b'"a":"', b'\\"', b'{"a":"\\"', b'""', b"x", b'{"a":"x\\', b'", "'])
def test_that_looking_for_the_end_of_a_string_takes_a_time_that_grows_with_the_bytes(
    line: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned = 0
    plain = broken_lines.ends_inside

    def counted(data: bytes, *, inside: bool = False) -> bool | None:
        nonlocal scanned
        scanned += len(data)
        return plain(data, inside=inside)

    monkeypatch.setattr(broken_lines, "ends_inside", counted)
    data = b'{"first":1}\n{"a":"x\n' + (line + b"\n") * 2_000
    read_bytes(data)
    assert scanned <= 2 * len(data)


def test_that_a_record_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broken_lines, "most_record", lambda: 50)
    values, records = read_bytes(b'{"first":1}\n{"a":"x\n' + b"word\n" * 20 + b'"}\n{"last":1}\n')
    assert values == [{"first": 1}, {"last": 1}]
    assert records.damage[0].kept == "nothing"


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(words, min_size=1, max_size=5), st.data())
def test_that_following_in_any_pieces_ends_as_opening_the_whole(texts: list[str], data: st.DataObject) -> None:
    records = [{"role": "user", "content": text, "timestamp": "2026-01-01T10:00:00"} for text in ["hi", *texts]]
    whole = b"\n".join([b'{"_type":"metadata","key":"k"}', *map(raw, records)]) + data.draw(
        st.sampled_from([b"", b"\n"])
    )
    cuts = sorted(data.draw(st.lists(st.integers(40, len(whole)), max_size=5)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        follower, session = Follower(path), None
        for cut in [*cuts, len(whole)]:
            path.write_bytes(whole[:cut])
            look = follower.look()
            session = look.session if look is not None else session
        opened = open_session(path)
    assert session is not None
    assert [message.text for message in session.messages] == [message.text for message in opened.messages]
    assert (session.damage, session.pending) == (opened.damage, opened.pending)
    assert [message.text for message in opened.messages if message.text] == [t for t in ["hi", *texts] if t]


def test_that_a_record_whose_rest_comes_later_is_no_damage_any_more(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"_type":"metadata","key":"k"}\n{"role":"user","content":"one\n')
    follower = Follower(path)
    first = follower.look()
    assert first is not None
    assert len(first.session.damage) == 1
    with path.open("ab") as file:
        file.write(b'two"}\n')
    second = follower.look()
    assert second is not None
    assert (second.reason, [message.text for message in second.session.messages]) == ("grown", ["one\ntwo"])
    assert second.session.damage[0].reason == "1 line feed inside a string"
    assert second.session.raw(0) == b'{"role":"user","content":"one\ntwo"}'
