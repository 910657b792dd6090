"""Telling formats apart, and what is said about files that are no session."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ravenglass.errors import RavenglassError, SessionError
from ravenglass.sessions import Cancelled, importers, open_session
from ravenglass.sessions.records import source as source_module
from tests.engine.sessions.conftest import assistant, encoded, say, user

Write = Callable[..., Path]


def refusal(path: Path) -> SessionError:
    with pytest.raises(SessionError) as caught:
        open_session(path)
    message = str(caught.value)
    assert path.name in message
    assert message.endswith(".")
    assert "Traceback" not in message
    assert caught.value.path == str(path)
    assert caught.value.tried
    return caught.value


def test_that_importers_have_distinct_names_and_describe_themselves() -> None:
    names = [importer.name for importer in importers()]
    assert len(set(names)) == len(names) > 5
    for importer in importers():
        assert importer.label
        assert "keeps" in importer.description


def test_that_a_session_opens_by_its_path_as_text(root: Path) -> None:
    path = next((root / "fixtures" / "demo").glob("*.jsonl"))
    assert open_session(str(path)).messages == open_session(path).messages


def test_that_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    assert "is empty" in str(refusal(path))


@pytest.mark.parametrize("data", [b"\n\n \r\n", b"\xef\xbb\xbf\n"])
def test_that_a_file_of_blanks_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "blank.jsonl"
    path.write_bytes(data)
    assert "holds nothing but blanks" in str(refusal(path))


def test_that_an_empty_compressed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.gz"
    path.write_bytes(gzip.compress(b""))
    assert "holds no bytes once decompressed" in str(refusal(path))
    path.write_bytes(gzip.compress(b"x")[:5])
    assert "cut" in str(refusal(path))


def test_that_a_directory_is_refused(tmp_path: Path) -> None:
    assert "is a directory" in str(refusal(tmp_path))


def test_that_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert "does not exist" in str(refusal(tmp_path / "nowhere.jsonl"))
    (tmp_path / "file").write_text("x")
    assert "cannot be read" in str(refusal(tmp_path / "file" / "below.jsonl"))


def test_that_a_file_without_permission_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(user("a"))

    def denied(self: Path, *_: object, **__: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    assert "permission denied" in str(refusal(path))


def test_that_an_error_in_the_middle_of_reading_is_a_sentence(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(user("a"))

    def broken(self: object) -> object:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(source_module.MemorySource, "open", broken)
    with pytest.raises(SessionError, match=r"could not be read to its end \(Input/output error\)\."):
        open_session(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_that_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert "is no regular file" in str(refusal(path))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (bytes(range(256)) * 50, "is binary data"),
        (b"\x00" * 5000, "is binary data"),
        (b"SQLite format 3\x00" + b"\x10\x00" * 50 + b'\n{"a":1}\n', "is a SQLite database"),
        (b"PK\x03\x04" + b"\x00" * 50, "is a zip archive"),
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "is a PNG picture"),
        ('\ufeff{"a":1}\n'.encode("utf-16-le"), "is text in UTF-16"),
    ],
)
def test_that_binary_files_are_refused_by_what_they_are(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "data.bin"
    path.write_bytes(data)
    assert words in str(refusal(path))


def test_that_a_text_file_is_refused_with_its_first_offending_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("\nDear diary\nno JSON here\n")
    error = refusal(path)
    assert "is no JSON" in str(error)
    assert "line 2 is the first that does not decode" in str(error)
    assert error.line == 2


def test_that_a_file_of_one_cut_line_is_refused_as_cut(write: Write) -> None:
    error = refusal(write(encoded(user("hello"))[:-4], end=b""))
    assert "holds one line that is cut" in str(error)
    assert error.line == 1


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ({"name": "x", "version": 1}, "an object with the keys name, version"),
        ([1, 2, 3], "an array of 3 values"),
        ([], "an array of 0 values"),
        ({}, "an empty object"),
        ("text", "a string"),
        (12, "a number"),
        (None, "null"),
        (True, "true or false"),
        ({"messages": "none"}, "an object with the keys messages"),
    ],
)
def test_that_json_of_another_kind_is_refused_with_what_it_holds(write: Write, value: object, what: str) -> None:
    error = refusal(write(value, name="other.json"))
    assert "is JSON, but no known session format" in str(error)
    assert f"Line 1 holds {what}." in str(error)
    assert "Claude Code" in str(error)
    assert error.tried == tuple(importer.name for importer in importers())
    assert error.line == 1


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"_type": "curator_archive"}, "an archive file, not a session: the desktop lists it"),
        ({"ts": 1, "event": "curator_start", "payload": {}}, "a trace log, not a session: `ravenglass trace` reads it"),
        ({"session_key": "x", "updated_at": "y", "items": []}, "a manifest of Raven's curator, not a session"),
        ({"id": "x", "sessionID": "y", "role": "user"}, "a single record of opencode's storage folder, "),
    ],
)
def test_that_a_known_but_unsupported_format_is_named(write: Write, value: object, name: str) -> None:
    assert f"looks like {name}" in str(refusal(write(value)))


def test_that_formats_are_told_by_content_whatever_the_name(write: Write) -> None:
    assert open_session(write(user("a"), name="chat.json")).format == "claude-code"
    assert open_session(write([{"role": "user", "content": "a"}], name="session.jsonl")).format == "openai-chat"
    assert open_session(write({"role": "user", "content": "a"}, name="x.txt")).format == "openai-chat"


def test_that_claude_code_is_told_behind_unknown_first_records(write: Write) -> None:
    session = open_session(write({"type": "new"}, b"damaged", {"type": "newer"}, user("a")))
    assert (session.format, len(session.messages)) == ("claude-code", 1)


def test_that_a_cancelled_read_raises_cancelled(write: Write) -> None:
    path = write(user("a"), assistant(say("b")))
    with pytest.raises(Cancelled) as caught:
        open_session(path, progress=lambda *_: False)
    assert isinstance(caught.value, RavenglassError)
    assert not isinstance(caught.value, SessionError)


def test_that_progress_ends_at_the_size_of_the_file(write: Write) -> None:
    path = write(user("a"), assistant(say("b")))
    seen: list[tuple[int, int]] = []

    def noted(done: int, total: int) -> bool:
        seen.append((done, total))
        return True

    open_session(path, progress=noted)
    size = path.stat().st_size
    assert seen[0] == (0, size)
    assert seen[-1] == (size, size)


def test_that_looking_at_a_session_leaves_the_file_as_it_was(write: Write) -> None:
    path = write(user("a"), b"damaged", assistant(say("b")))
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir()))
    session = open_session(path)
    assert session.digest(0) != session.digest(1)
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


def test_that_a_line_of_many_megabytes_is_read_beside_its_neighbours(write: Write) -> None:
    huge = user("x" * (20 << 20), uuid="u2")
    session = open_session(write(user("a"), huge, user("b", uuid="u3")))
    assert [len(message.text) for message in session.messages] == [1, 20 << 20, 1]
    assert session.messages[1].spans[0].length == len(encoded(huge))


@pytest.mark.parametrize(
    "line",
    [
        b'{"' * (5 << 20),
        *(
            pytest.param(more, marks=pytest.mark.proof)
            for more in (b'{"a":' * (2 << 20), b'{"type":"text","a":1},' * (1 << 19))
        ),
        pytest.param(b"\x00" * (10 << 20), marks=pytest.mark.proof),
    ],
    ids=["quotes", "nested", "values", "zeros"],
)
def test_that_a_damaged_line_of_many_megabytes_costs_only_itself(write: Write, line: bytes) -> None:
    session = open_session(write(user("a"), line, user("b", uuid="u3")))
    assert [message.text for message in session.messages] == ["a", "b"]
    assert [item.span.line for item in session.damage] == [2]
