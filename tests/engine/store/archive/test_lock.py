"""One process writes to a workspace, others look; a dead one blocks nobody; a newer program's is left alone."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ravenglass.errors import ArchiveError, StoreError
from ravenglass.store import durable
from ravenglass.store.archive.store import ArchiveStore
from ravenglass.store.lock import WriteLock, holder
from ravenglass.store.workspace import LOCK_FILE, VERSION, VERSION_FILE, Workspace
from tests.engine.store.archive.builders import DAY, back, files, records

HOLDER = """
import sys
from pathlib import Path
from ravenglass.store.workspace import Workspace
workspace = Workspace.open(Path(sys.argv[1]))
print(workspace.writable, flush=True)
sys.stdin.read()
"""


@contextmanager
def another_process(root: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has the workspace open for writing."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(root)], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        try:
            yield process
        finally:
            process.kill()


def test_that_a_second_process_reads_only_and_says_who_writes(tmp_path: Path) -> None:
    with ArchiveStore(tmp_path) as first:
        ref = first.write("s", records(1), created=DAY)
    with another_process(tmp_path) as process:
        store = ArchiveStore(tmp_path)
        sentence = f"The workspace {tmp_path} is open for reading only: process {process.pid} is writing to it."
        assert not store.writable
        assert store.warnings == (sentence,)
        assert back(store, ref) == {1: b"message 1"}
        with pytest.raises(ArchiveError) as refused:
            store.write("s", records(2), created=DAY)
        assert str(refused.value) == f"Nothing was archived. {sentence}"
    assert len(files(tmp_path)) == 1


def test_that_a_killed_process_leaves_no_lock_behind(tmp_path: Path) -> None:
    with another_process(tmp_path) as process:
        process.kill()
        process.wait()
        assert (tmp_path / LOCK_FILE).exists()
        with Workspace.open(tmp_path) as workspace:
            assert workspace.writable
            assert workspace.warnings == ()
            assert holder(tmp_path / LOCK_FILE) == f"process {os.getpid()}"


def test_that_a_second_opening_in_one_process_reads_only_until_the_first_is_closed(tmp_path: Path) -> None:
    first, second = ArchiveStore(tmp_path), ArchiveStore(tmp_path)
    assert (first.writable, second.writable) == (True, False)
    first.close()
    first.close()
    assert not first.writable
    with pytest.raises(ArchiveError, match="is closed"):
        first.write("s", records(1))
    with ArchiveStore(tmp_path) as third:
        assert third.writable


def test_that_a_reader_sees_what_the_writer_adds(tmp_path: Path) -> None:
    writer, reader = ArchiveStore(tmp_path), ArchiveStore(tmp_path, writable=False)
    assert reader.entries() == ()
    ref = writer.write("s", records(1), created=DAY)
    assert [entry.ref for entry in reader.entries()] == [ref]
    assert back(reader, ref) == {1: b"message 1"}


def test_that_looking_makes_and_changes_nothing(tmp_path: Path) -> None:
    with ArchiveStore(tmp_path / "absent", writable=False) as store:
        assert store.entries() == ()
        with pytest.raises(ArchiveError, match="is not in the archive"):
            store.retrieve("2026-03-02/a.jsonl#0-0")
        with pytest.raises(ArchiveError, match=r"Nothing was archived\. .* was opened for reading only\."):
            store.write("s", records(1))
    assert list(tmp_path.iterdir()) == []


def test_that_a_shared_workspace_stays_open_when_its_archive_is_closed(tmp_path: Path) -> None:
    with Workspace.open(tmp_path) as workspace:
        ArchiveStore(workspace).close()
        assert workspace.writable
        assert ArchiveStore(workspace).write("s", records(1), created=DAY)
    assert not workspace.writable


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_that_a_forked_child_does_not_hold_its_parents_lock(tmp_path: Path) -> None:
    lock = WriteLock.take(tmp_path / LOCK_FILE)
    assert lock is not None
    child = os.fork()
    if child == 0:
        held = lock.held
        lock.release()
        os._exit(int(held))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert lock.held
    assert WriteLock.take(tmp_path / LOCK_FILE) is None
    lock.release()
    again = WriteLock.take(tmp_path / LOCK_FILE)
    assert again is not None
    again.release()


def test_that_a_lock_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("keep me")
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / LOCK_FILE).symlink_to(target)
    with Workspace.open(tmp_path / "workspace") as workspace:
        assert not workspace.writable
    assert target.read_text() == "keep me"


@pytest.mark.parametrize("text", ["", "process x", "\udcff", "process 12 and more"])
def test_that_an_unreadable_holder_is_another_process(tmp_path: Path, text: str) -> None:
    (tmp_path / LOCK_FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert holder(tmp_path / LOCK_FILE) == "another process"
    assert holder(tmp_path / "absent") == "another process"


def test_that_a_file_system_without_locks_gives_a_workspace_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(_path: Path) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(WriteLock, "take", none)
    workspace = Workspace.open(tmp_path)
    assert not workspace.writable
    assert workspace.read_only == f"The workspace {tmp_path} is open for reading only: No locks available."


def test_that_a_new_workspace_says_its_version(tmp_path: Path) -> None:
    Workspace.open(tmp_path).close()
    assert json.loads((tmp_path / VERSION_FILE).read_bytes()) == {
        "format": "ravenglass-workspace",
        "version": VERSION,
        "readable_by": VERSION,
    }


def of_version(root: Path, **values: object) -> bytes:
    content = json.dumps({"format": "ravenglass-workspace", **values}).encode()
    (root / VERSION_FILE).write_bytes(content)
    return content


@pytest.mark.parametrize("writable", [True, False])
def test_that_a_workspace_of_a_newer_program_is_refused_and_left_as_it_is(tmp_path: Path, writable: bool) -> None:
    content = of_version(tmp_path, version=VERSION + 1)
    with pytest.raises(StoreError, match=r"written by a newer Ravenglass .* version 2, .* knows 1.*left as it is"):
        ArchiveStore(tmp_path, writable=writable)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(VERSION_FILE, content)]


def test_that_a_newer_workspace_that_allows_it_is_read_and_not_written(tmp_path: Path) -> None:
    with ArchiveStore(tmp_path) as store:
        ref = store.write("s", records(1), created=DAY)
    of_version(tmp_path, version=VERSION + 5, readable_by=VERSION)
    store = ArchiveStore(tmp_path)
    assert back(store, ref) == {1: b"message 1"}
    with pytest.raises(ArchiveError, match="reading only: it was written by a newer Ravenglass"):
        store.write("s", records(2))


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format": "other"}', b"\xff", b'{"format": "ravenglass-workspace"}']
)
def test_that_a_workspace_of_unknown_version_is_only_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / VERSION_FILE).write_bytes(content)
    workspace = Workspace.open(tmp_path)
    assert not workspace.writable
    assert "workspace.json does not say which version wrote it" in workspace.read_only
    assert (tmp_path / VERSION_FILE).read_bytes() == content


def test_that_a_file_is_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="is no folder, so it is no workspace"):
        Workspace.open(tmp_path / "file")


def test_that_leftovers_of_killed_writers_go_when_the_lock_is_held_and_not_before(tmp_path: Path) -> None:
    with ArchiveStore(tmp_path) as store:
        ref = store.write("s", records(1), created=DAY)
        day = store.path(ref).parent
        left = day / f".{store.path(ref).name}.0badcafe.ravenglass"
        left.write_bytes(b"half a rec")
        mine = day / ".mine.tmp"
        mine.touch()
        assert len(store.entries()) == 1
        ArchiveStore(tmp_path).close()  # reads only: the first one still writes
        assert left.exists()
    ArchiveStore(tmp_path, writable=False).close()
    assert left.exists()
    ArchiveStore(tmp_path).close()
    assert not left.exists()
    assert mine.exists()
    assert list(durable.leftovers(day)) == []


def test_that_what_a_killed_writer_left_is_removed_only_while_nobody_else_may_write(tmp_path: Path) -> None:
    left = tmp_path / ".a.jsonl.0123abcd.ravenglass"
    with Workspace.open(tmp_path, shared=True) as first:
        first.share()
        left.write_bytes(b"half of it")
        with Workspace.open(tmp_path, shared=True) as second:
            assert second.writable
            second.tidy(tmp_path)
            assert left.exists()
    with Workspace.open(tmp_path):
        assert not left.exists()
