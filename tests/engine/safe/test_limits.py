"""What a few bytes may become, and how long a line may be."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
import zipfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.safe import limits
from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.follow import Follower, Look
from ravenglass.sessions.formats.opencode import file as database_file
from ravenglass.sessions.records import decompress
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.source import open_path

USER = b'{"role": "user", "content": "hello there"}\n'
ANSWER = b'{"role": "assistant", "content": "hello"}\n'


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def zstd_bomb(path: Path, megabytes: int) -> Path:
    with path.open("wb") as file, zstandard.ZstdCompressor().stream_writer(file) as out:
        for _ in range(megabytes):
            out.write(bytes(1 << 20))
    return path


def test_that_a_few_bytes_of_zstd_that_become_gigabytes_are_refused_early(tmp_path: Path, empty: Path) -> None:
    bomb = zstd_bomb(tmp_path / "bomb.jsonl.zst", 4_000)
    with pytest.raises(SessionError, match=r"becomes more than .* RAVENGLASS_MAX_UNPACKED"):
        open_session(bomb)
    assert list(empty.iterdir()) == []


def test_that_what_is_undone_at_once_stays_small(tmp_path: Path) -> None:
    class Measured(io.BytesIO):
        largest = 0

        def write(self, data: bytes, /) -> int:  # type: ignore[override]
            self.largest = max(self.largest, len(data))
            return super().write(data)

    out = Measured()
    with pytest.raises(decompress.TooLargeError):
        decompress.decompress(zstd_bomb(tmp_path / "bomb.zst", 300), "zstd", Reporter(None, ""), out)
    assert out.largest < 64 << 20


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_that_the_limit_can_be_set(
    tmp_path: Path, empty: Path, monkeypatch: pytest.MonkeyPatch, pack: type[bytes]
) -> None:
    path = tmp_path / "session.jsonl.packed"
    path.write_bytes(pack((USER + ANSWER) * 40))
    assert len(open_session(path).messages) == 80
    monkeypatch.setenv(limits.UNPACKED, "2K")
    with pytest.raises(SessionError, match="becomes more than 2,048 bytes"):
        open_session(path)
    assert list(empty.iterdir()) == []
    monkeypatch.setenv(limits.UNPACKED, "much")
    with pytest.raises(SessionError, match="RAVENGLASS_MAX_UNPACKED is 'much', which is no size"):
        open_session(path)


def test_that_a_member_of_an_archive_has_the_limit_too(tmp_path: Path, empty: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"eval": {}}')
        with archive.open("samples/1_epoch_1.json", "w") as member:
            for _ in range(100):
                member.write(bytes(1 << 20))
    with pytest.raises(SessionError, match=r"samples/1_epoch_1.json is undone"):
        open_session(path)
    assert list(empty.iterdir()) == []


def test_that_a_database_is_not_copied_past_the_limit(
    tmp_path: Path, empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "opencode.db"
    header = bytearray(database_file.MAGIC.ljust(100, b"\x00"))
    header[18] = 2  # a write-ahead log that nobody has open
    path.write_bytes(bytes(header) + bytes(8_000))
    monkeypatch.setenv(limits.UNPACKED, "4K")
    with pytest.raises(SessionError, match="copies of up to 4,096 are made"), database_file.reading(path):
        pass
    assert list(empty.iterdir()) == []


def test_that_a_line_that_is_too_long_is_passed_over_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(limits.RECORD, "100")
    path = tmp_path / "session.jsonl"
    path.write_bytes(USER + b'{"role": "user", "content": "' + b"x" * 500 + b'"}\n' + ANSWER)
    session = open_session(path)
    assert [message.text for message in session.messages] == ["hello there", "hello"]
    (damage,) = session.damage
    assert (damage.span.line, damage.span.offset, damage.span.length) == (2, len(USER), 531)
    assert "longer than a record may be (100 bytes" in damage.reason


def test_that_a_last_line_without_an_end_is_damage_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(limits.RECORD, "100")
    path = tmp_path / "session.jsonl"
    path.write_bytes(USER + ANSWER + b"x" * 3_000)
    session = open_session(path)
    assert len(session.messages) == 2
    assert session.damage[0].span.length == 3_000


def test_that_a_document_over_the_limit_is_refused_with_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(limits.RECORD, "100")
    path = tmp_path / "session.json"
    path.write_text(json.dumps([json.loads(USER), json.loads(ANSWER)] * 10, indent=1))
    with pytest.raises(SessionError, match=r"more than 100 bytes, the limit of a record \(RAVENGLASS_MAX_RECORD"):
        open_session(path)


def test_that_a_followed_file_whose_line_grows_too_long_is_read_with_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(limits.RECORD, "100")
    path = tmp_path / "session.jsonl"
    path.write_bytes((USER + ANSWER) * 20)
    follower = Follower(path)
    assert _read(follower.look()) == 40
    with path.open("ab") as file:
        file.write(b"x" * 400)
    look = follower.look()
    assert _read(look) == 40
    assert look is not None
    assert look.session.damage
    with path.open("ab") as file:
        file.write(b"\n" + USER)
    assert _read(follower.look()) == 41


def _read(look: Look | None) -> int:
    """Messages of what a look found."""
    return len(look.session.messages) if look is not None else 0


@given(st.lists(st.binary(max_size=40), max_size=8), st.integers(1, 30))
def test_that_lines_of_any_length_add_up_to_the_stream(parts: list[bytes], most: int) -> None:
    data = b"\n".join(parts)
    found = list(limits.lines(io.BytesIO(data), most))
    assert sum(len(one) if isinstance(one, bytes) else one.length for one in found) == len(data)
    whole = data.split(b"\n")
    for number, one in enumerate(found):
        size = len(whole[number])
        assert isinstance(one, limits.LongLine) == (size > most)


def test_that_a_file_that_is_large_but_plain_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(USER)
    assert open_path(path, Reporter(None, "x")).source.size == len(USER)
