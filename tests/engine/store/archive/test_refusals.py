"""References that lead elsewhere, disks that are full, folders that are no folders: a sentence, and nothing changed."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import ArchiveError
from ravenglass.store import durable
from ravenglass.store.archive.reference import parse
from ravenglass.store.archive.store import ArchiveStore
from tests.engine.store.archive.builders import DAY, back, files, record, records


@pytest.fixture
def store(tmp_path: Path) -> ArchiveStore:
    store = ArchiveStore(tmp_path / "workspace")
    store.write("s", records(1), created=DAY)
    return store


@pytest.mark.rule("7.12")
@pytest.mark.parametrize(
    ("ref", "why"),
    [
        ("../secret.jsonl#0-1", "leads out"),
        ("2026-03-02/../../secret.jsonl#0-1", "leads out"),
        ("/etc/secret.jsonl#0-1", "leads out"),
        ("//host/share.jsonl#0-1", "leads out"),
        ("./a.jsonl#0-1", "leads out"),
        ("a//b.jsonl#0-1", "leads out"),
        ("..\\secret.jsonl#0-1", "leads out"),
        ("2026-03-02\\a.jsonl#0-1", "leads out"),
        ("C:/secret.jsonl#0-1", "leads out"),
        ("c:secret.jsonl#0-1", "leads out"),
        ("a\x00.jsonl#0-1", "leads out"),
        ("a\n.jsonl#0-1", "leads out"),
        ("2026-03-02/notes.txt#0-1", "names no archive file"),
        ("2026-03-02/s.jsonl", "is no archive reference"),
        ("2026-03-02/s.jsonl#1", "is no archive reference"),
        ("2026-03-02/s.jsonl#a-b", "is no archive reference"),
        ("2026-03-02/s.jsonl#１-２", "is no archive reference"),
        ("2026-03-02/s.jsonl#0-" + "9" * 5_000, "is no archive reference"),
        ("", "is no archive reference"),
        ("#0-1", "is no archive reference"),
        ("2026-03-02/s.jsonl#5-4", "backwards"),
        ("2026-03-02/absent.jsonl#0-1", "is not in the archive"),
        ("2026-03-02/\ud800.jsonl#0-1", "is not in the archive"),
        ("2026-03-02/" + "x" * 3_000 + ".jsonl#0-1", "is not in the archive"),
    ],
)
def test_that_a_reference_that_leads_elsewhere_is_refused(store: ArchiveStore, ref: str, why: str) -> None:
    (store.workspace.root.parent / "secret.jsonl").write_bytes(b'{"id": 0, "message": {"role": "user"}}\n')
    with pytest.raises(ArchiveError, match=why) as refused:
        store.retrieve(ref)
    assert len(str(refused.value)) < 600
    with pytest.raises(ArchiveError, match=why):
        store.path(ref)


@pytest.mark.rule("7.12")
@given(st.text(alphabet="./\\:ab\x00\u2028é", max_size=12))
def test_that_a_path_that_is_let_through_stays_below_its_folder(path: str) -> None:
    try:
        reference = parse(f"{path}.jsonl#0-1")
    except ArchiveError:
        assert re.search(r"\A[a-z]:|\A/|//|\\|\x00|(\A|/)\.{1,2}(/|\Z)", path)
        return
    assert str(reference) == f"{path}.jsonl#0-1"
    assert os.path.normpath(f"/archive/{reference.path}") == f"/archive/{path}.jsonl"


@pytest.mark.rule("7.12")
def test_that_links_out_of_the_archive_are_refused_and_those_inside_are_followed(store: ArchiveStore) -> None:
    outside = store.workspace.root.parent / "outside"
    outside.mkdir()
    (outside / "a_0_0_x.jsonl").write_bytes(b'{"id": 0, "message": {"role": "user", "content": "secret"}}\n')
    day = store.folder / "2026-03-02"
    (day / "link.jsonl").symlink_to(outside / "a_0_0_x.jsonl")
    (store.folder / "linked").symlink_to(outside)
    (day / "loop.jsonl").symlink_to(day / "loop.jsonl")
    (day / "inside.jsonl").symlink_to(next(day.glob("s_1_1_*.jsonl")))
    for ref in ("2026-03-02/link.jsonl#0-0", "linked/a_0_0_x.jsonl#0-0"):
        with pytest.raises(ArchiveError, match="leads out of the archive folder by a link"):
            store.retrieve(ref)
    with pytest.raises(ArchiveError, match="cannot be followed"):
        store.retrieve("2026-03-02/loop.jsonl#0-0")
    assert back(store, "2026-03-02/inside.jsonl#1-1") == {1: b"message 1"}
    assert [entry.ids for entry in store.entries()] == [(1,)]


def test_that_the_archive_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "archive").symlink_to(tmp_path / "elsewhere")
    store = ArchiveStore(tmp_path / "workspace")
    assert back(store, store.write("s", records(1), created=DAY)) == {1: b"message 1"}


def test_that_nothing_is_written_through_a_linked_day(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    store = ArchiveStore(tmp_path / "workspace")
    store.folder.mkdir()
    (store.folder / "2026-03-02").symlink_to(tmp_path / "outside")
    with pytest.raises(ArchiveError, match=r"Nothing was archived: .* is a link that leads out"):
        store.write("s", records(1), created=DAY)
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_that_a_pipe_or_a_folder_in_an_archives_place_is_a_sentence_and_no_wait(store: ArchiveStore) -> None:
    os.mkfifo(store.folder / "2026-03-02" / "pipe.jsonl")
    (store.folder / "2026-03-02" / "folder.jsonl").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(ArchiveError, match=f"{name}.jsonl cannot be read"):
            store.retrieve(f"2026-03-02/{name}.jsonl#0-0")
    assert len(store.entries()) == 1


def test_that_a_range_without_messages_says_what_there_is(store: ArchiveStore) -> None:
    (entry,) = store.entries()
    with pytest.raises(ArchiveError, match=r"names no message of its file; it holds messages 1 to 1\."):
        store.retrieve(entry.ref.replace("#1-1", "#5-9"))


class _FullDisk(io.FileIO):
    """A file on a disk with room for `room` more bytes."""

    room = 3_000

    def write(self, data: Any) -> int:
        piece = bytes(data)[: self.room]
        if not piece:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.room -= len(piece)
        return super().write(piece)


def _no_space(*_given: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _fail(step: str, patch: pytest.MonkeyPatch) -> None:
    if step == "write":
        patch.setattr(durable, "create", lambda path: io.BufferedWriter(_FullDisk(path, "xb")))
    elif step == "fsync":
        patch.setattr(os, "fsync", _no_space)
    elif step == "rename":
        patch.setattr(Path, "replace", _no_space)
    else:
        patch.setattr(durable, "sync_folder", _no_space)


@pytest.mark.rule("7.7")
@pytest.mark.parametrize("step", ["write", "fsync", "rename", "folder"])
def test_that_a_full_disk_is_a_sentence_and_leaves_nothing_half_there(
    store: ArchiveStore, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    root = store.workspace.root
    before = files(root)
    given_records = [record(2, "x" * 20_000), record(3)]
    with monkeypatch.context() as patch:
        _fail(step, patch)
        with pytest.raises(ArchiveError) as failed:
            store.write("s", given_records, created=DAY)
    assert "2 messages could not be archived" in str(failed.value)
    assert "No space left on device" in str(failed.value)
    assert files(root) == before
    ref = store.write("s", given_records, created=DAY)
    assert back(store, ref) == {2: b"x" * 20_000, 3: b"message 3"}


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no limit for the size of files")
def test_that_a_write_refused_by_the_system_half_way_leaves_nothing(store: ArchiveStore) -> None:
    import resource

    before = files(store.workspace.root)
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, old[1]))
    try:
        with pytest.raises(ArchiveError, match="could not be archived"):
            store.write("s", [record(2, raw=b"x" * 1_000_000)], created=DAY)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert files(store.workspace.root) == before


def test_that_an_interruption_leaves_nothing_half_there(store: ArchiveStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_descriptor: int) -> None:
        raise KeyboardInterrupt

    before = files(store.workspace.root)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.write("s", records(2), created=DAY)
    assert files(store.workspace.root) == before


def test_that_a_file_in_place_of_the_archive_folder_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "archive").write_bytes(b"")
    store = ArchiveStore(tmp_path)
    for attempt in (store.entries, lambda: store.write("s", records(1), created=DAY)):
        with pytest.raises(ArchiveError, match="cannot be read"):
            attempt()
