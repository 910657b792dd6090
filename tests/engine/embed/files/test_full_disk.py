"""What a running engine does where the disk does not take what it writes."""

from __future__ import annotations

import errno
import json
import logging
import os
import resource
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ravenglass import Engine, open_session
from ravenglass.embed.files import workspace as module
from ravenglass.embed.files.layout import session_file
from ravenglass.embed.files.workspace import EngineWorkspace
from ravenglass.embed.keeper import SESSION_CLOSED
from ravenglass.errors import StoreError
from ravenglass.store.archive.store import ArchiveStore
from ravenglass.store.layout import CURATOR
from ravenglass.trace import TraceEvent
from ravenglass.trace.items import Archived
from ravenglass.traces import open_trace
from tests.engine.embed.conversations import drive, lines, said, small
from tests.engine.embed.files.leftovers import files, long_chat

KEY = "agent:demo"
TIGHT = small(archive_below=1.0)
"""What leaves the window is archived at once."""
KEPT = "What is missing is kept in memory and written when it can be."


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """No file may grow beyond `size` bytes: what the kernel still takes is written, then it refuses."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


def test_that_a_disk_that_fills_up_stops_no_agent_and_leaves_whole_lines(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    messages = long_chat(25)
    engine = Engine(TIGHT, tmp_path, session_key=KEY, clock=lambda: 1e9)
    undisturbed = drive(Engine(TIGHT, session_key=KEY, clock=lambda: 1e9), messages)
    with files_end_at(9_000):
        driven = drive(engine, messages)
        assert (driven.windows, driven.bodies) == (undisturbed.windows, undisturbed.bodies)
        assert len(engine.warnings) == 1
        assert engine.warnings[0].endswith(f"demo.jsonl cannot be written (File too large). {KEPT}")
        kept = lines(session_file(tmp_path, KEY))
        assert 2 < len(kept) < len(messages)
        assert session_file(tmp_path, KEY).read_bytes().endswith(b"\n")
        for path in (tmp_path / CURATOR / "traces").rglob("*.jsonl"):
            assert all("event" in line for line in lines(path))
        with pytest.raises(StoreError, match=r"demo\.jsonl cannot be written \(File too large\)\. .* is lost\."):
            engine.close()
    assert open_session(session_file(tmp_path, KEY)).damage == ()
    assert not list(tmp_path.rglob("*.ravenglass"))
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    with Engine(workspace=tmp_path, session_key="agent:next") as following:
        assert not following.warnings


def test_that_everything_is_written_once_the_disk_takes_it_again(tmp_path: Path) -> None:
    messages = long_chat(25)
    engine = Engine(TIGHT, tmp_path / "full", session_key=KEY, clock=lambda: 1e9)
    with files_end_at(9_000):
        drive(engine, messages)
        assert engine.warnings
    engine.close()
    assert not engine.warnings
    with Engine(TIGHT, tmp_path / "roomy", session_key=KEY, clock=lambda: 1e9) as other:
        drive(other, messages)
    full, roomy = files(tmp_path / "full"), files(tmp_path / "roomy")
    assert full == roomy


def test_that_an_archive_that_cannot_be_written_is_told_and_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(TIGHT, tmp_path, session_key=KEY)
    write = ArchiveStore._put

    def full(store: ArchiveStore, *given: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(store.folder))

    monkeypatch.setattr(ArchiveStore, "_put", full)
    drive(engine, long_chat(25))
    assert engine.warnings == (f"{tmp_path / CURATOR / 'archive'} cannot be written (No space left on device). {KEPT}",)
    archived = [entry.messages for entry in engine.run().archive()]
    assert archived
    for messages in archived:
        assert len(engine.retrieve(engine.ref(messages[0]), max_tokens=0).raw) == len(messages)
    monkeypatch.setattr(ArchiveStore, "_put", write)
    engine.close()
    with ArchiveStore(tmp_path / CURATOR, writable=False) as store:
        stored = [entry.ids for entry in store.entries() if entry.reason != SESSION_CLOSED]
        assert sorted(stored) == sorted(archived)


def test_that_a_folder_that_may_not_be_written_to_gives_an_engine_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_path: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("ravenglass.store.workspace.make_folder", refused)
    with Engine(workspace=tmp_path, session_key=KEY) as engine:
        engine.observe(said("user", "x"))
        assert engine.warnings == (f"The workspace {tmp_path / CURATOR} is open for reading only: Permission denied.",)
        assert len(engine.window()) == 1
    assert files(tmp_path) == {}


def test_that_an_error_of_the_agent_is_not_hidden_by_one_of_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_given: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def agent() -> None:
        with engine:
            raise ZeroDivisionError

    engine = Engine(workspace=tmp_path, session_key=KEY)
    engine.observe(said("user", "x"))
    engine.window()
    monkeypatch.setattr(module, "write_whole", full)
    with pytest.raises(ZeroDivisionError):
        agent()
    assert engine.warnings


def test_that_a_killed_engine_leaves_everything_up_to_the_last_message(tmp_path: Path) -> None:
    script = """
        import os, signal, sys
        from ravenglass import Engine
        from tests.engine.embed.conversations import drive
        from tests.engine.embed.files.leftovers import long_chat
        from tests.engine.embed.files.test_workspace import KEY, TIGHT
        engine = Engine(TIGHT, sys.argv[1], session_key=KEY)
        drive(engine, long_chat(15))
        os.kill(os.getpid(), signal.SIGKILL)
    """
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(script), str(tmp_path)], check=False)
    assert ran.returncode == -9
    session = open_session(session_file(tmp_path, KEY))
    assert len(session.messages) == len(long_chat(15))
    assert (session.damage, session.pending) == ((), None)
    assert len(open_trace(tmp_path / CURATOR / "traces").turns[0].calls) == 16


def test_that_a_document_that_the_disk_did_not_take_is_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, chunks: object) -> int:
        raise OSError(28, f"No space left on device ({chunks})", str(path))

    place = EngineWorkspace(tmp_path, "agent:demo", TIGHT)
    place.put_document("manifest", {"call": 3})
    with monkeypatch.context() as patch:
        patch.setattr(module, "write_whole", full)
        place.flush()
    assert "cannot be written" in place.problem
    place.flush()
    assert place.problem == ""
    place.close()
    assert json.loads((tmp_path / CURATOR / "manifest" / "agent_demo.json").read_bytes()) == {"call": 3}


def test_that_events_of_two_turns_are_written_together(tmp_path: Path) -> None:
    place = EngineWorkspace(tmp_path, "agent:demo", TIGHT)
    for turn in (0, 1):
        body = Archived(ref=f"r{turn}", reason="", by="scheduler")
        place.add_events(turn, [TraceEvent(body, turn + 1, 0.0, (turn,))])
    place.close()
    traces = tmp_path / CURATOR / "traces" / "agent_demo"
    assert [(traces / f"000{turn}.jsonl").read_bytes().count(b"\n") for turn in (0, 1)] == [1, 1]
