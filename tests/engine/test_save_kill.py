"""Savers killed at random points: what was there before is there, and no half is taken for a whole."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ravenglass.store.run_folder import RunFolder, refuse_saved
from ravenglass.store.run_mark import MARK_FILE, digest_of, read_mark, unfinished
from tests.engine.saver import CONTENT, SESSION

KILLS = 200 if os.environ.get("RAVENGLASS_PROOFS") else 40
"""All of them by `make proofs`, some in the suite."""
FOLDERS = 8
LONGEST_S = 0.25
"""Longest life of a saver: one save or some on a fast disk, less than one on a slow one."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def foreign(folder: Path) -> dict[Path, bytes]:
    """Files that a person has in the folder, beside and between those of a run."""
    files = {
        folder / "notes.txt": b"mine", folder / "traces" / "0000.jsonl": b"mine too",
        folder / "archive" / "old.jsonl": b"and this", folder / ".ravenglass-saving-notes": b"no folder",
    }  # fmt: skip
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return files


def check(folder: Path, files: dict[Path, bytes]) -> bool:
    """Nothing foreign is touched; a run that calls itself complete is one state, whole. Returns whether it does."""
    for path, data in files.items():
        assert path.read_bytes() == data, path
    mark = read_mark(folder)
    if mark is None or not mark.complete:
        assert mark is None or "is not complete" in unfinished(folder)
        return False
    assert unfinished(folder) == ""
    assert set(mark.files) == {name for name, _ in CONTENT}
    versions = set()
    for name, digests in mark.files.items():
        assert (digest_of(folder / name),) == digests
        versions.add((folder / name).read_bytes()[:20])
    assert len(versions) == 1  # files of one save, not of two
    return True


def test_that_savers_killed_at_any_point_lose_nothing_and_leave_no_half_that_looks_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(9)
    folders = [tmp_path / str(number) for number in range(FOLDERS)]
    files = {folder: foreign(folder) for folder in folders}
    whole = half = aside = 0
    root = Path(__file__).parents[2]
    path = os.pathsep.join([str(root / "engine"), str(root), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "tests.engine.saver"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root, env={**os.environ, "PYTHONPATH": path}
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(KILLS):
            folder = folders[number % FOLDERS]
            process.stdin.write(json.dumps([str(folder), number]).encode() + b"\n")
            process.stdin.flush()
            child = int(process.stdout.readline())
            time.sleep(chance.uniform(0, LONGEST_S))
            os.kill(child, signal.SIGKILL)
            assert process.stdout.readline() == b"ended\n"
            whole += (complete := check(folder, files[folder]))
            half += not complete and (folder / MARK_FILE).exists()
            aside += any(folder.glob(".ravenglass-saving-????????"))
        process.stdin.close()
    for folder in folders:
        refuse_saved(folder, force=True)
        with RunFolder(folder, SESSION, "default", force=True) as place:
            for name, data in CONTENT:
                place.write(name, [b"the last save of all", data])
        assert check(folder, files[folder])
        assert not any(path.is_dir() for path in folder.glob(".ravenglass-saving-*"))
    with capsys.disabled():
        print(f"\n{KILLS} savers killed: {whole} folders whole, {half} said to be incomplete, {aside} files aside")
    assert aside > 0
    assert whole > 0
