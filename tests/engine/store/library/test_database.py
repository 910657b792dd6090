"""Damaged, foreign, newer and shared files: nothing is lost, and there is a sentence for each."""

from __future__ import annotations

import multiprocessing
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, inspect
from sqlmodel import SQLModel, create_engine

from ravenglass.errors import StoreError
from ravenglass.store import LIBRARY_FILE, Library, OpenedSession
from ravenglass.store.library import database
from ravenglass.store.library.migrations import STEPS
from ravenglass.tokens import TokenCount

GARBAGE = b"this is no database at all " * 400


def session(path: Path) -> OpenedSession:
    return OpenedSession(path, "raven", "", "", 1, 1, 10, 0.0, last_opened=1.0)


def use_at_once(path: Path, worker: int, rounds: int) -> tuple[str, ...]:
    """What each process does in the tests below: open, then write again and again."""
    with Library.open(path) as library:
        for number in range(rounds):
            library.remember(session(Path(f"/sessions/{worker}-{number}")))
            library.counts.put_many("o200k_base", {bytes([worker, number]): TokenCount(number)})
        return library.warnings


def user_version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_that_migrations_build_what_the_tables_say(tmp_path: Path) -> None:
    declared = create_engine(f"sqlite:///{tmp_path / 'declared'}")
    SQLModel.metadata.create_all(declared)
    migrated, _ = database.open_database(tmp_path / "migrated")
    found, expected = inspect(migrated), inspect(declared)
    assert sorted(found.get_table_names()) == sorted(expected.get_table_names())
    for table in expected.get_table_names():
        assert [(c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(table)] == [
            (c["name"], str(c["type"]), c["nullable"]) for c in expected.get_columns(table)
        ]
        assert found.get_pk_constraint(table) == expected.get_pk_constraint(table)
        assert found.get_indexes(table) == expected.get_indexes(table)
    declared.dispose()
    migrated.dispose()


def test_that_a_new_library_is_at_the_latest_version_and_in_write_ahead_mode(tmp_path: Path) -> None:
    path = tmp_path / "deep" / LIBRARY_FILE
    Library.open(path).close()
    assert user_version(path) == len(STEPS)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize("content", [GARBAGE, b"SQLite format 3\0" + GARBAGE], ids=["foreign", "torn header"])
def test_that_a_damaged_library_is_kept_aside_and_a_new_one_begun(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / LIBRARY_FILE
    for number in (1, 2):
        path.write_bytes(content)
        with Library.open(path) as library:
            assert library.recent() == ()
            assert len(library.warnings) == 1
            assert f"was damaged; it was kept as {LIBRARY_FILE}.damaged-{number}" in library.warnings[0]
        assert path.with_name(f"{LIBRARY_FILE}.damaged-{number}").read_bytes() == content


def test_that_pages_overwritten_inside_a_library_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / LIBRARY_FILE
    with Library.open(path) as library:
        for number in range(200):
            library.remember(session(Path(f"/sessions/{number}" + "x" * 200)))
    content = bytearray(path.read_bytes())
    content[4096 * 2 :] = b"\xff" * (len(content) - 4096 * 2)
    path.write_bytes(content)
    with Library.open(path) as library:
        assert "was damaged" in library.warnings[0]
    assert path.with_name(f"{LIBRARY_FILE}.damaged-1").read_bytes() == content


def test_that_the_log_of_a_damaged_library_is_kept_with_it(tmp_path: Path) -> None:
    names = (LIBRARY_FILE, f"{LIBRARY_FILE}-wal", f"{LIBRARY_FILE}.damaged-1")
    for name in names:
        (tmp_path / name).write_text(name)
    aside = database.move_aside(tmp_path / LIBRARY_FILE)
    assert aside == tmp_path / f"{LIBRARY_FILE}.damaged-2"
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
        f"{LIBRARY_FILE}.damaged-1": names[2],
        f"{LIBRARY_FILE}.damaged-2": names[0],
        f"{LIBRARY_FILE}.damaged-2-wal": names[1],
    }


def test_that_a_library_of_a_newer_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / LIBRARY_FILE
    with Library.open(path) as library:
        library.remember(session(Path("/sessions/a")))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"written by a newer Ravenglass .* version 99.*left as it is"):
        Library.open(path)
    assert path.read_bytes() == before
    assert user_version(path) == 99


def test_that_a_library_that_cannot_be_opened_is_a_sentence(tmp_path: Path) -> None:
    folder_in_its_place = tmp_path / LIBRARY_FILE
    folder_in_its_place.mkdir()
    with pytest.raises(StoreError, match="cannot be opened: unable to open database file"):
        Library.open(folder_in_its_place)
    file_in_the_way = tmp_path / "file"
    file_in_the_way.touch()
    with pytest.raises(StoreError, match="cannot be opened"):
        Library.open(file_in_the_way / LIBRARY_FILE)


def test_that_a_write_lock_held_too_long_is_a_sentence_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    path = tmp_path / LIBRARY_FILE
    with Library.open(path) as library, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"database is locked\. Nothing in it was changed"):
            library.remember(session(Path("/sessions/a")))
        other.execute("ROLLBACK")
        assert library.recent() == ()
        library.remember(session(Path("/sessions/a")))


def test_that_several_processes_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / LIBRARY_FILE
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        warnings = pool.starmap(use_at_once, [(path, worker, 25) for worker in range(3)], chunksize=1)
        pool.close()
        pool.join()
    assert warnings == [(), (), ()]
    with Library.open(path) as library:
        assert len(library.recent(1_000)) == 75
        digests = [bytes([worker, number]) for worker in range(3) for number in range(25)]
        assert len(library.counts.get_many("o200k_base", digests)) == 75


@pytest.mark.proof
def test_that_processes_that_find_damage_at_once_move_it_aside_once(tmp_path: Path) -> None:
    path = tmp_path / LIBRARY_FILE
    path.write_bytes(GARBAGE)
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        warnings = pool.starmap(use_at_once, [(path, worker, 5) for worker in range(3)], chunksize=1)
        pool.close()
        pool.join()
    assert sorted(len(each) for each in warnings) == [0, 0, 1]
    assert [file.name for file in tmp_path.glob("*.damaged-?")] == [f"{LIBRARY_FILE}.damaged-1"]
    with Library.open(path) as library:
        assert len(library.recent(1_000)) == 15


def test_that_a_library_is_still_found_damaged_where_moving_it_aside_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / LIBRARY_FILE
    for name in (LIBRARY_FILE, f"{LIBRARY_FILE}-wal"):
        (tmp_path / name).write_text(name)
    real = Path.replace
    moved: list[str] = []

    def once(self: Path, target: Path) -> Path:
        if moved:
            raise OSError("no power")
        moved.append(self.name)
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", once)
        with pytest.raises(OSError, match="no power"):
            database.move_aside(path)
    assert moved == [f"{LIBRARY_FILE}-wal"], "left behind, the log would be played into the new library"
    assert path.read_text() == LIBRARY_FILE


def test_that_what_another_process_repaired_meanwhile_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / LIBRARY_FILE
    path.write_bytes(GARBAGE)
    real = database._repaired

    def late(place: Path, patience: float) -> tuple[Engine, tuple[str, ...]]:
        monkeypatch.setattr(database, "_repaired", real)
        with Library.open(place) as other:
            other.remember(session(Path("/sessions/of-the-other")))
        return real(place, patience)

    monkeypatch.setattr(database, "_repaired", late)
    with Library.open(path) as library:
        assert [found.path.name for found in library.recent()] == ["of-the-other"]
        assert library.warnings == ()
    assert not path.with_name(f"{LIBRARY_FILE}.damaged-2").exists()
