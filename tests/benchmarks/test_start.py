"""How much processor time a command takes before it has begun, beside what Python itself takes in the same run.

Each command is a process of its own, so that nothing is imported yet; of several runs the cheapest counts, for what
else the machine does is in the others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ravenglass.resources import demo_session

pytestmark = pytest.mark.skipif(not hasattr(os, "wait4"), reason="processor time of one process is asked of POSIX")

ROUNDS = 5
COMMANDS = {
    "--help": (("--help",), "goal 150 ms"),
    "--version": (("--version",), ""),
    "profile": (("profile",), ""),
    "formats": (("formats",), ""),
    "sessions of a folder": (("sessions", "{folder}"), ""),
    "replay of a small chat": (("replay", "{chat}"), "goal 500 ms"),
    "replay of the demo": (("replay", "{demo}"), ""),
}
WINDOW = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from ravenglass_gui import app
QApplication.exec = staticmethod(lambda: QApplication.processEvents() or 0)
app.main([Path(sys.argv[1])])
"""
"""The desktop up to its first window: then it is closed again."""


def processor_time(arguments: Sequence[str]) -> float:
    """Seconds of processor time, user and system, of Python with these arguments."""
    with Path(os.devnull).open("wb") as nowhere:
        out = [(os.POSIX_SPAWN_DUP2, nowhere.fileno(), stream) for stream in (1, 2)]
        process = os.posix_spawn(sys.executable, [sys.executable, *arguments], os.environ, file_actions=out)
        _, status, used = os.wait4(process, 0)
    assert os.waitstatus_to_exitcode(status) == 0, arguments
    return used.ru_utime + used.ru_stime


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "sessions" / "chat.jsonl"
    path.parent.mkdir()
    lines = ('{"role": "user", "content": "Which files?"}', '{"role": "assistant", "content": "a.py and b.py."}')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def measured(benchmark: BenchmarkFixture, figures: list[str], what: str, arguments: Sequence[str], goal: str) -> None:
    taken: list[float] = []
    benchmark.pedantic(lambda: taken.append(processor_time(arguments)), rounds=ROUNDS, warmup_rounds=1)
    least, nothing = min(taken), min(processor_time(("-c", "pass")) for _ in range(ROUNDS))
    named = f" ({goal})" if goal else ""
    figures.append(
        f"start, {what}: {least * 1000:.0f} ms of processor time{named}, {least / nothing:.1f} times `python -c pass`"
    )


@pytest.mark.parametrize("what", COMMANDS)
def test_start_of_a_command(benchmark: BenchmarkFixture, figures: list[str], small: Path, what: str) -> None:
    given, goal = COMMANDS[what]
    places = {"folder": str(small.parent), "chat": str(small), "demo": str(demo_session())}
    arguments = ("-m", "ravenglass", *(word.format(**places) for word in given))
    measured(benchmark, figures, what, arguments, goal)


def test_start_of_the_desktop(benchmark: BenchmarkFixture, figures: list[str], small: Path) -> None:
    pytest.importorskip("PySide6")
    measured(benchmark, figures, "desktop to its first window", ("-c", WINDOW, str(small)), "")
