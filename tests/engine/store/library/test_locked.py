"""A library that another process holds delays no replay, and its files are its owner's alone."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ravenglass.cli.main import main
from ravenglass.errors import StoreError
from ravenglass.profile import Profile
from ravenglass.replay import replay
from ravenglass.resources import demo_session
from ravenglass.sessions import open_session
from ravenglass.store import LIBRARY_FILE, Library
from ravenglass.store.library.counts import CountsAtHand
from ravenglass.store.library.database import NOT_AT_ALL

_HOLD = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("PRAGMA locking_mode = EXCLUSIVE")
held.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_elsewhere(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process holds the library, and lets it go only when this block ends."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", _HOLD, str(path)], stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "data" / LIBRARY_FILE
    Library.open(made).close()
    return made


def test_that_a_replay_ends_while_another_process_holds_the_library(path: Path) -> None:
    session = open_session(demo_session())
    with Library.open(path, patience=NOT_AT_ALL) as library:
        counts = CountsAtHand(library.counts)
        library.close()
    with held_elsewhere(path) as holder:
        with pytest.raises(StoreError, match="locked"):
            Library.open(path, patience=NOT_AT_ALL)
        run = replay(session, Profile(), store=counts)
        assert holder.poll() is None
    assert run.calls > 0


@pytest.mark.proof
def test_that_a_saved_run_is_printed_and_saved_while_another_process_holds_the_library(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAVENGLASS_DATA", str(path.parent))
    with held_elsewhere(path) as holder:
        assert main(["replay", str(demo_session()), "--save", str(tmp_path / "out")]) == 0
        assert holder.poll() is None
    out, err = capsys.readouterr()
    assert "simulated with profile default" in " ".join(out.split())
    assert "but not on the list of saved runs" in err


def test_that_counts_that_cannot_be_had_are_asked_for_once(path: Path) -> None:
    with Library.open(path) as library:
        counts = CountsAtHand(library.counts)
    assert counts.get_many("o200k_base", [b"x" * 16]) == {}
    counts.put_many("o200k_base", {})


@pytest.mark.skipif(os.name == "nt", reason="modes are not Windows'")
def test_that_an_earlier_library_is_taken_from_the_eyes_of_others(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    path = folder / LIBRARY_FILE
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE x (y)")
        for file in folder.iterdir():
            file.chmod(0o644)
        with Library.open(path):
            assert len(list(folder.iterdir())) > 1
            assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    connection.close()


@pytest.mark.skipif(os.name == "nt", reason="modes are not Windows'")
def test_that_a_folder_that_holds_other_things_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "other").write_text("mine")
    Library.open(tmp_path / LIBRARY_FILE).close()
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / LIBRARY_FILE).stat().st_mode) == 0o600
