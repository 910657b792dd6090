"""Opening a database where it stands or from a copy, and databases with damaged bytes."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.sessions import open_session
from ravenglass.sessions.formats.opencode.file import reading
from ravenglass.sessions.formats.opencode.holder import OpenCode
from tests.engine.sessions.formats.opencode.store import Chat, database, tool, words


def in_log_mode(path: Path) -> Path:
    """A closed database that is in write-ahead mode: only a copy of it leaves the folder unchanged."""
    database(path, Chat().user(words("x")).assistant(words("y")))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    return path


def count(path: Path) -> int:
    with reading(path) as connection:
        found = connection.execute("SELECT count(*) FROM session").fetchone()[0]
        assert isinstance(found, int)
        return found


def test_that_nothing_can_be_written_through_the_connection(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", Chat())
    with pytest.raises(SessionError, match="readonly"), reading(path) as connection:
        connection.execute("DELETE FROM session")
    with pytest.raises(SessionError, match="readonly"), reading(in_log_mode(tmp_path / "b.db")) as connection:
        connection.execute("DELETE FROM session")
    assert count(path) == 1


def test_that_one_copy_serves_until_the_database_changes_and_goes_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = in_log_mode(tmp_path / "opencode.db")
    made: list[Path] = []
    copy = shutil.copyfile

    def counted(source: Path, target: Path) -> Path:
        made.append(target)
        return copy(source, target)

    monkeypatch.setattr(shutil, "copyfile", counted)
    assert (count(path), count(path), len(made)) == (1, 1, 1)
    assert made[0].parent.stat().st_mode & 0o077 == 0
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM session")
    connection.commit()
    connection.close()
    assert (count(path), len(made)) == (0, 2)
    assert not made[0].parent.exists()


def test_that_a_copy_of_a_database_that_changes_meanwhile_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = in_log_mode(tmp_path / "opencode.db")
    copy, times = shutil.copyfile, iter(range(100))

    def disturbed(source: Path, target: Path) -> Path:
        done = copy(source, target)
        if next(times) < limit:
            connection = sqlite3.connect(path)
            connection.execute("INSERT INTO todo VALUES ('ses_1', 'x', 'y')")
            connection.commit()
            connection.close()
        return done

    monkeypatch.setattr(shutil, "copyfile", disturbed)
    limit = 2
    with reading(path) as connection:
        assert connection.execute("SELECT count(*) FROM todo").fetchone() == (2,)
    limit = 100
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM todo")
    connection.commit()
    connection.close()
    with pytest.raises(SessionError, match="is being written all the time"):
        count(path)


def test_that_a_missing_database_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="No such file"):
        count(tmp_path / "opencode.db")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chat = Chat()
    for number in range(8):
        chat.user(words(f"{number}" * 500)).assistant(words("a" * 300), tool(f"c{number}"))
    return database(tmp_path_factory.mktemp("opencode") / "whole.db", chat)


@given(data=st.data())
def test_that_damaged_bytes_of_a_database_give_a_session_or_a_sentence(whole: Path, data: st.DataObject) -> None:
    content = bytearray(whole.read_bytes())
    for at in data.draw(st.lists(st.integers(16, len(content) - 1), min_size=1, max_size=6)):
        run = data.draw(st.integers(1, 200))
        content[at : at + run] = bytes([data.draw(st.integers(0, 255))]) * len(content[at : at + run])
    path = whole.with_name("opencode.db")
    path.write_bytes(content[: data.draw(st.integers(16, len(content)))] if data.draw(st.booleans()) else content)
    with suppress(SessionError):
        list(OpenCode().entries(path))
    with suppress(SessionError):
        session = open_session(path)
        assert all(session.raw(message.id) for message in session.messages if message.spans)
