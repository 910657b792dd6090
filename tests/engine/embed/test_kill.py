"""An embedded agent killed at random moments and started again with the same key: its windows are those of one that
was never killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import pytest

from tests.engine.embed.killed_agent import CALLS

KILLS = 100 if os.environ.get("RAVENGLASS_PROOFS") else 10
"""All of them by `make proofs`, some in the suite."""
MOST_CALLS = 2 * CALLS // KILLS
"""Calls that a life has at most."""
LONGEST_S = 0.06
"""Between the last call that is waited for and the kill: within a call, mostly."""

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.timeout(900),
]


@contextmanager
def starter() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The program that starts agents: its input and what it and they say."""
    root = Path(__file__).parents[3]
    path = os.pathsep.join([str(root / "engine"), str(root), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "tests.engine.embed.killed_agent"]
    pipe = subprocess.PIPE
    env = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=root, env=env) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdin, process.stdout
        process.stdin.close()


def live(give: IO[bytes], take: IO[bytes], folder: Path, calls: int | None, pause: float) -> int:
    """Start an agent and kill it `pause` seconds behind so many calls; None: let it end. Returns its exit code."""
    give.write(f"{folder}\n".encode())
    give.flush()
    child, done = 0, 0
    killed = False
    while True:
        word = take.readline().split()
        if word[0] == b"end":
            return int(word[1])
        if word[0] == b"pid":
            child = int(word[1])
        else:
            done += 1
        if calls is not None and child and done >= calls and not killed:
            killed = True
            time.sleep(pause)
            with suppress(ProcessLookupError):  # it came to its end meanwhile
                os.kill(child, signal.SIGKILL)


def windows(folder: Path) -> list[tuple[int, str]]:
    """(call, digest of its window) of every window that was given out and written down whole."""
    found = []
    for line in (folder / "windows.jsonl").read_bytes().split(b"\n"):
        if line.endswith(b"]"):
            call, digest = json.loads(line)
            found.append((call, digest))
    return found


@pytest.mark.rule("10.11")
def test_that_an_agent_killed_at_random_moments_sees_the_windows_of_one_that_was_never_killed(tmp_path: Path) -> None:
    chance = random.Random(10)
    place = tmp_path / "agent"  # always the same: a summary names the path of its transcript
    with starter() as (give, take):
        place.mkdir()
        assert live(give, take, place, None, 0) == 0
        truth = dict(windows(place))
        assert len(truth) == CALLS
        place.rename(tmp_path / "unbroken")
        place.mkdir()
        kills = seen = rounds = 0
        while kills < KILLS:
            code = live(give, take, place, chance.randint(0, MOST_CALLS), chance.uniform(0, LONGEST_S))
            kills += code == -signal.SIGKILL
            if code == 0 or kills == KILLS:
                if code:
                    assert live(give, take, place, None, 0) == 0
                given = windows(place)
                assert [(call, truth[call]) for call, _ in given] == given
                assert {call for call, _ in given} == set(truth)
                seen, rounds = seen + len(given), rounds + 1
                place.rename(tmp_path / f"killed-{rounds}")
                place.mkdir()
            else:
                assert code == -signal.SIGKILL
    print(f"{kills} agents killed with SIGKILL in {rounds} runs of {CALLS} calls; {seen:,} windows as if never killed")
