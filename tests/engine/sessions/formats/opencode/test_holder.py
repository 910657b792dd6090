"""opencode's database and storage folders: what is listed, what is read, and that nothing is ever written."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ravenglass.errors import SessionError
from ravenglass.sessions import holder_of, open_session
from ravenglass.sessions.formats.opencode.holder import OpenCode
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.records.progress import Cancelled
from tests.engine.sessions.formats.opencode.store import SCHEMA, T0, Chat, database, fill, put, storage, tool, words

WRITER = """
import json, sqlite3, sys
from pathlib import Path
from tests.engine.sessions.formats.opencode.store import SCHEMA, Chat, fill, words
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("PRAGMA wal_autocheckpoint = 0")
connection.executescript(SCHEMA)
fill(connection, Chat("ses_old", "Old").user(words("early")).assistant(words("a")))
connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
fill(connection, Chat("ses_new", "New").user(words("not checkpointed")).assistant(words("b")))
print("ready", flush=True)
sys.stdin.readline()
if len(sys.argv) > 2:
    import os
    os._exit(1)
"""


def chat(name: str = "ses_1", **more: object) -> Chat:
    made = Chat(name, **more)  # type: ignore[arg-type]
    return made.user(words(f"prompt of {name}")).assistant(words("answer"))


def entries(path: Path) -> list[HolderEntry]:
    return sorted(OpenCode().entries(path), key=lambda entry: entry.id)


def state(folder: Path) -> dict[str, tuple[str, int]]:
    """Name -> digest and time of change of every file."""
    return {
        path.relative_to(folder).as_posix(): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def running(tmp_path: Path, root: Path) -> Iterator[Path]:
    """A database that another process has open, with a session that stands only in the log."""
    path = tmp_path / "data" / "opencode.db"
    path.parent.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield path
        process.communicate(b"\n")


@pytest.fixture
def died(tmp_path: Path, root: Path) -> Path:
    """A database whose writer died: the log is left."""
    path = tmp_path / "data" / "opencode.db"
    path.parent.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", WRITER, str(path), "die"], cwd=root, input=b"\n", capture_output=True, check=False
    )
    assert done.returncode == 1, done.stderr
    return path


def test_that_a_session_that_is_not_checkpointed_is_seen_while_another_process_writes(running: Path) -> None:
    before = state(running.parent)
    assert set(before) == {"opencode.db", "opencode.db-wal", "opencode.db-shm"}
    assert [entry.id for entry in entries(running)] == ["ses_new", "ses_old"]
    assert open_session(running, "ses_new").messages[0].text == "not checkpointed"
    assert state(running.parent) == before


def test_that_the_log_of_a_writer_that_died_is_read_and_left_alone(died: Path) -> None:
    before = state(died.parent)
    assert "opencode.db-wal" in before
    assert open_session(died, "ses_new").messages[0].text == "not checkpointed"
    assert state(died.parent) == before


def test_that_a_log_without_its_index_is_read_from_a_copy(died: Path) -> None:
    died.with_name("opencode.db-shm").unlink()
    before = state(died.parent)
    assert open_session(died, "ses_new").messages[0].text == "not checkpointed"
    assert [entry.id for entry in entries(died)] == ["ses_new", "ses_old"]
    assert state(died.parent) == before


def test_that_a_copy_is_made_anew_when_something_was_written(died: Path) -> None:
    died.with_name("opencode.db-shm").unlink()
    assert len(entries(died)) == 2
    connection = sqlite3.connect(died)
    fill(connection, chat("ses_3"))
    connection.close()
    assert len(entries(died)) == 3


def test_that_a_closed_database_in_log_mode_is_read_without_making_a_file(tmp_path: Path) -> None:
    path = tmp_path / "data" / "opencode.db"
    database(path, chat())
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    before = state(path.parent)
    assert set(before) == {"opencode.db"}
    assert open_session(path).messages[0].text == "prompt of ses_1"
    assert state(path.parent) == before


def test_that_a_folder_that_may_not_be_written_is_read(died: Path) -> None:
    died.with_name("opencode.db-shm").unlink()
    died.parent.chmod(0o500)
    try:
        assert open_session(died, "ses_new").messages[0].text == "not checkpointed"
    finally:
        died.parent.chmod(0o700)


def test_that_the_list_tells_title_project_parent_times_calls_and_model(tmp_path: Path) -> None:
    two = chat("ses_1", title="First").assistant(words("more"))
    path = database(tmp_path / "opencode.db", two, chat("ses_2", parent="ses_1"), Chat("ses_3"))
    first, second, third = entries(path)
    assert first == HolderEntry(
        "opencode", path, "ses_1", "ses_1", "First", "/home/dev/x", None, T0 / 1000, T0 / 1000 + 60, None, 2, "m-1"
    )
    assert (second.parent, second.calls, third.calls) == ("ses_1", 1, 0)


def test_that_the_list_reads_no_part(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", chat())
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE part")
    connection.execute("CREATE VIEW part AS SELECT abs(-9223372036854775808) AS id")  # any look at it is an error
    connection.close()
    assert [entry.calls for entry in entries(path)] == [1]


def test_that_a_database_under_any_name_is_recognised_and_another_one_is_named(tmp_path: Path) -> None:
    assert isinstance(holder_of(database(tmp_path / "backup.sqlite", chat())), OpenCode)
    path = tmp_path / "other.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE message (id)")
    connection.close()
    assert holder_of(path) is None
    with pytest.raises(SessionError, match="is a SQLite database without opencode's tables"):
        open_session(path)
    named = path.rename(tmp_path / "opencode.db")
    with pytest.raises(SessionError, match="has no table session"):
        open_session(named)


def test_that_a_database_that_is_cut_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", chat())
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(SessionError, match="could not be read"):
        open_session(path)


def test_that_damaged_pages_lose_only_what_stands_on_them(tmp_path: Path) -> None:
    long = Chat()
    for number in range(60):
        long.user(words(f"{number} " + "x" * 900)).assistant(words("y" * 900))
    path = database(tmp_path / "opencode.db", long)
    whole = open_session(path)
    data = bytearray(path.read_bytes())
    middle = data.find(b"30 xxxx") // 4096 * 4096
    data[middle : middle + 8] = b"\x00" * 8
    path.write_bytes(data)
    session = open_session(path)
    read, there = ({m.text for m in found.messages} for found in (session, whole))
    assert read < there
    assert len(there - read) <= 4
    assert any(sentence.startswith("Table part of opencode.db is damaged") for sentence in session.warnings)


def test_that_bad_json_in_one_row_loses_only_that_row_and_is_reported_with_table_and_id(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", chat().user(words("second")).assistant(tool("c1"), words("b")))
    connection = sqlite3.connect(path)
    connection.execute("UPDATE part SET data = '{\"type\": \"te' WHERE id = 'prt_ses_1_04_01'")
    connection.execute("UPDATE message SET data = 'x' WHERE id = 'msg_ses_1_03'")
    connection.commit()
    connection.close()
    assert [entry.calls for entry in entries(path)] == [2]
    session = open_session(path)
    assert [m.text for m in session.messages] == ["prompt of ses_1", "answer", "second", "", "a.txt"]
    assert [m.role for m in session.messages] == ["user", "assistant", "user", "assistant", "tool"]
    assert len(session.damage) == 2
    assert "opencode.db, table part, row prt_ses_1_04_01 is damaged (it is no valid JSON, 12 bytes)" in " ".join(
        session.warnings
    )
    assert "table message, row msg_ses_1_03" in " ".join(session.warnings)


def test_that_a_session_whose_own_row_is_gone_is_listed_and_read(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", chat())
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM session")
    connection.commit()
    connection.close()
    assert [(entry.id, entry.calls, entry.started) for entry in entries(path)] == [("ses_1", 1, T0 / 1000 + 1)]
    assert open_session(path).messages[0].text == "prompt of ses_1"


def test_that_rows_of_other_tables_are_kept_as_other_records(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", chat())
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO todo VALUES ('ses_1', 'write tests', 'pending'), ('ses_2', 'other', 'done')")
    connection.commit()
    connection.close()
    session = open_session(path)
    (record,) = [record for record in session.other if record.label == "todo"]
    assert json.loads(session.source.read(record.span))["content"] == "write tests"


def test_that_a_session_in_database_and_storage_is_one_session_and_the_database_wins(tmp_path: Path) -> None:
    data = tmp_path / "opencode"
    database(data / "opencode.db", chat("ses_1", title="of the database"), chat("ses_2"))
    older = chat("ses_1", title="of the file").user(words("deleted since"))
    storage(data / "storage", older, chat("ses_3"))
    assert [(entry.id, entry.title) for entry in entries(data)] == [
        ("ses_1", "of the database"),
        ("ses_2", "A title"),
        ("ses_3", "A title"),
    ]
    session = open_session(data, "ses_1")
    assert session.title == "of the database"
    assert [m.text for m in session.messages] == ["prompt of ses_1", "answer"]
    assert {"message file, not in the database", "part file, not in the database"} <= {r.label for r in session.other}
    assert session.warnings == (
        "5 records are also files of storage/; the database's are shown.",
        "2 files are not in the database; they are kept as other records.",
    )
    assert open_session(data, "ses_3").messages[0].text == "prompt of ses_3"


def test_that_a_session_row_without_messages_takes_those_of_the_files(tmp_path: Path) -> None:
    data = tmp_path / "opencode"
    database(data / "opencode.db", Chat("ses_1", "moved"))
    storage(data / "storage", chat("ses_1"))
    session = open_session(data)
    assert (session.title, [m.text for m in session.messages]) == ("moved", ["prompt of ses_1", "answer"])


def test_that_a_sub_agent_of_the_files_is_a_child_of_a_session_of_the_database(tmp_path: Path) -> None:
    data = tmp_path / "opencode"
    database(data / "opencode.db", chat("ses_1"))
    storage(data / "storage", chat("ses_2", parent="ses_1"))
    assert [child.id for child in open_session(data).children] == ["ses_2"]


def test_that_sessions_that_are_each_others_parents_end(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", chat("ses_1", parent="ses_2"), chat("ses_2", parent="ses_1"))
    (child,) = open_session(path, "ses_1").children
    assert (child.id, child.children) == ("ses_2", ())


def test_that_a_sub_agent_whose_parent_is_gone_stands_for_itself(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", chat("ses_2", parent="ses_1"))
    assert [entry.parent for entry in entries(path)] == [None]
    assert open_session(path).id == "ses_2"


def test_that_an_unknown_key_is_refused(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", chat())
    with pytest.raises(SessionError, match="holds no session 'ses_9'"):
        open_session(path, "ses_9")


def test_that_a_damaged_file_of_the_storage_loses_only_that_file(tmp_path: Path) -> None:
    folder = storage(tmp_path / "storage", chat().user(words("second")))
    (folder / "part/msg_ses_1_02/prt_ses_1_02_00.json").write_bytes(b'{"type": "text", "te')
    (folder / "session/prj/ses_1.json").write_bytes(b"")
    session = open_session(folder)
    assert [m.text for m in session.messages] == ["prompt of ses_1", "second"]
    assert [session.source.read(item.span) for item in session.damage] == [b"", b'{"type": "text", "te']
    assert any("storage/part/msg_ses_1_02/prt_ses_1_02_00.json is damaged" in words for words in session.warnings)


def test_that_a_storage_session_without_its_file_is_listed_by_its_messages(tmp_path: Path) -> None:
    folder = storage(tmp_path / "storage", chat())
    (folder / "session/prj/ses_1.json").unlink()
    assert [entry.id for entry in entries(folder)] == ["ses_1"]
    assert open_session(folder).messages[1].text == "answer"


def test_that_a_diff_file_of_the_session_is_kept(tmp_path: Path) -> None:
    folder = storage(tmp_path / "storage", chat("ses_[1]"))
    put(folder / "session_diff/ses_[1].json", {"file": "a"})
    put(folder / "session_diff/ses_1.json", {"file": "b"})
    labels = [record.label for record in open_session(folder).other]
    assert labels.count("session_diff") == 1


def test_that_reading_a_storage_folder_changes_nothing(tmp_path: Path) -> None:
    folder = storage(tmp_path / "storage", chat())
    before = state(folder)
    open_session(folder)
    assert state(folder) == before


def test_that_reading_a_database_can_be_cancelled(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", chat())
    with pytest.raises(Cancelled):
        open_session(path, progress=lambda *_: False)


def test_that_a_database_of_a_channel_and_files_of_one_project_are_found(tmp_path: Path) -> None:
    database(tmp_path / "opencode-local.db", chat("ses_1"))
    storage(tmp_path / "project/x/storage", chat("ses_2"), legacy=True)
    assert [entry.id for entry in entries(tmp_path)] == ["ses_1", "ses_2"]


def test_that_an_empty_database_holds_no_session(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    connection.close()
    with pytest.raises(SessionError, match="holds no session"):
        open_session(path)
