"""Runs the command line inside the test's process: the same output and exit code, without the start of a process."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from ravenglass.cli.main import main


@dataclass(frozen=True, slots=True)
class Outcome:
    """Exit code, what went to stdout, what went to stderr."""

    code: int
    printed: str
    said: str


def run(*arguments: str | Path) -> Outcome:
    """`ravenglass ARGUMENTS`."""
    printed, said = io.StringIO(), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(said):
        code = main([str(a) for a in arguments])
    return Outcome(code, printed.getvalue(), said.getvalue())
