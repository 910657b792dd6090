"""The same input twice, in fresh processes whose hashes differ: the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ravenglass.resources import demo_session
from tests.conftest import ROOT
from tests.engine.builders import assistant, call, filler, meta, result, session, system, user, written

SEEDS = ("1", "4242")
"""Of PYTHONHASHSEED: each orders sets and hashes of texts in another way."""


def made(path: Path, folder: Path, seed: str, *options: str) -> dict[str, bytes]:
    """Everything that a process prints and writes for a replay."""
    folder.mkdir()
    command = [sys.executable, "-m", "ravenglass", "replay", str(path), "--json", *options]
    command += ["--windows", str(folder / "windows-out.jsonl"), "--save", str(folder / "saved")]
    environment = os.environ | {"PYTHONHASHSEED": seed, "RAVENGLASS_DATA": str(folder / "data")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    saved = folder / "saved"
    files = {str(path.relative_to(saved)): path.read_bytes() for path in saved.rglob("*") if path.is_file()}
    files.pop(".lock", None)  # it names the process
    return files | {"stdout": done.stdout, "windows-out": (folder / "windows-out.jsonl").read_bytes()}


def talk(tmp_path: Path) -> Path:
    """Files read again in new versions, late and missing results, repeated ones, Chinese, two topics."""
    messages = [system("be brief"), user("修改登录 in src/auth.py, must not touch src/cart.py")]
    for n in range(25):
        made = call("Read", file_path=f"src/part{n % 4}.py") if n % 3 else call("Grep", pattern=f"login_{n}")
        messages += [assistant(f"Step {n} 配额", made), result(f"login_{n % 5} KeyError\n{filler(300 + 40 * (n % 6))}")]
        messages += [meta("reminder")] if n % 7 == 3 else []
    messages += [
        assistant("", call("Bash", command="make")),
        user("now invoice_totals in src/ledger.py"),
        assistant("Done."),
    ]
    return written(session(*messages), tmp_path / "talk.jsonl")


@pytest.mark.rule("5.24")
@pytest.mark.parametrize("source", [pytest.param("demo", marks=pytest.mark.proof), "talk"])
def test_that_windows_traces_and_snapshots_of_fresh_processes_are_byte_equal(tmp_path: Path, source: str) -> None:
    path, options = demo_session(), ["--profile", "tight-32k"]
    if source == "talk":
        path, options = (
            talk(tmp_path),
            ["--set", "window=6000", "--set", "system-overhead=0", "--set", "archive_below=0.9"],
        )
    first, *others = (made(path, tmp_path / seed, seed, *options) for seed in SEEDS)
    kinds = {name.partition("/")[0] for name in first}
    assert kinds >= {"traces", "snapshots", "archive", "windows.jsonl", "manifest.json", "run.json", "windows-out"}
    assert b'"path": "slow"' in first["windows-out"]
    for other in others:
        assert sorted(other) == sorted(first)
        assert [name for name in first if other[name] != first[name]] == []
