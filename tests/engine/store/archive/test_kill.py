"""Writers killed at random points: every archive is whole, and whatever was acknowledged is there."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ravenglass.store import durable
from ravenglass.store.archive.store import ArchiveStore, StoredRecord
from tests.engine.store.archive.builders import DAY, back
from tests.engine.store.archive.writer import batch
from tests.proofs import PROOFS

KILLS = 240 if PROOFS else 40
WORKSPACES = 12
LONGEST_S = 0.08
"""Longest life of a writer: several archives on a fast disk, less than one on a slow one."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@contextmanager
def writers() -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "tests.engine.store.archive.writer"]
    root = Path(__file__).parents[4]
    path = os.pathsep.join([str(root / "engine"), str(root), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=root, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def told(process: subprocess.Popen[bytes]) -> list[Any]:
    assert process.stdout is not None
    line = json.loads(process.stdout.readline())
    assert isinstance(line, list)
    return line


def killed_writer(process: subprocess.Popen[bytes], folder: Path, seed: int, seconds: float) -> dict[int, str]:
    """Start a writer, kill it after a while; what it acknowledged: number of the batch -> reference."""
    assert process.stdin is not None
    process.stdin.write(json.dumps([str(folder), seed]).encode() + b"\n")
    process.stdin.flush()
    kept: dict[int, str] = {}
    killed = False
    while (line := told(process))[0] != "ended":
        assert line[0] != "refused", line  # a dead writer's lock must not outlive it
        if line[0] == "kept":
            kept[line[1]] = line[2]
        else:
            time.sleep(seconds)
            os.kill(line[1], signal.SIGKILL)
            killed = True
    assert killed
    return kept


def check(folder: Path, seed: int, kept: dict[int, str]) -> None:
    """All that this writer acknowledged is there byte for byte, and nothing that is there is less than whole."""
    store = ArchiveStore(folder, writable=False)
    for number, ref in kept.items():
        assert back(store, ref) == {record.id: record.raw for record in batch(seed, number)}
    for entry in store.entries():
        assert not entry.fault
        if entry.session_key == f"writer:{seed}":
            items = list(store.records(entry.ref))
            assert all(isinstance(item, StoredRecord) and item.proved for item in items)
            assert tuple(item.id for item in items) == entry.ids


def _end() -> None:
    os._exit(9)


def _end_after(call: Any) -> Any:
    def ended(*given: Any) -> None:
        call(*given)
        os._exit(9)

    return ended


def _end_at(step: str) -> None:
    """Make this process end, as if killed, at a step of `write_whole`."""
    if step == "before the file":
        durable.create = lambda *_given: _end()  # type: ignore[attr-defined, assignment]
    elif step == "written, not forced":
        os.fsync = lambda fd: _end()  # noqa: ARG005
    elif step == "forced, not renamed":
        Path.replace = lambda *_given: _end()  # type: ignore[method-assign, assignment]
    elif step == "renamed, not forced":
        Path.replace = _end_after(Path.replace)  # type: ignore[method-assign]
    else:
        durable.sync_folder = _end_after(durable.sync_folder)


@pytest.mark.rule("7.7")
@pytest.mark.parametrize(
    ("step", "there"),
    [
        ("before the file", False),
        ("written, not forced", False),
        ("forced, not renamed", False),
        ("renamed, not forced", True),
        ("all forced, not acknowledged", True),
    ],
)
def test_that_an_end_at_each_step_leaves_all_or_nothing(tmp_path: Path, step: str, there: bool) -> None:
    with ArchiveStore(tmp_path) as store:
        first = store.write("writer:1", batch(1, 0), created=DAY)
    child = os.fork()
    if child == 0:
        try:
            store = ArchiveStore(tmp_path)
            _end_at(step)
            store.write("writer:1", batch(1, 1), created=DAY)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    check(tmp_path, 1, {0: first})
    with ArchiveStore(tmp_path) as store:
        assert len(store.entries()) == 1 + there
        again = store.write("writer:1", batch(1, 1), created=DAY)
        assert len(store.entries()) == 2
    check(tmp_path, 1, {0: first, 1: again})
    assert not list(durable.leftovers(tmp_path / "archive" / "2026-03-02"))


@pytest.mark.rule("7.7")
def test_that_writers_killed_at_any_point_leave_whole_archives_and_lose_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(7)
    acknowledged = half_way = 0
    with writers() as process:
        for seed in range(KILLS):
            folder = tmp_path / str(seed % WORKSPACES)
            kept = killed_writer(process, folder, seed, chance.uniform(0, LONGEST_S))
            acknowledged += len(kept)
            half_way += any(list(durable.leftovers(day)) for day in folder.glob("archive/*"))
            check(folder, seed, kept)
    for number in range(WORKSPACES):
        with ArchiveStore(tmp_path / str(number)) as store:
            assert store.writable
            assert not any(list(durable.leftovers(day)) for day in store.folder.glob("*"))
            for entry in store.entries():
                assert set(back(store, entry.ref)) == set(entry.ids)
    with capsys.disabled():
        print(f"\n{KILLS} writers killed, {half_way} of them in the middle of a file; {acknowledged:,} archives kept")
    assert half_way > 0
    assert acknowledged > 0
