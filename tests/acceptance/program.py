"""Runs the command line: in a process of its own as a person does, or, where many runs are needed, in this one."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenglass.cli.main import main
from tests.conftest import ROOT


@dataclass(frozen=True)
class Done:
    """How a run of the program ended."""

    code: int
    out: str
    err: str

    def object(self) -> dict[str, Any]:
        """The JSON object that it printed."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


def outside(*arguments: str | Path) -> Done:
    """In a process of its own."""
    command = [sys.executable, "-m", "ravenglass", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def inside(*arguments: str | Path) -> Done:
    """In this process: an exception that would be a traceback for a person is one for the test."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    return Done(code, out.getvalue(), err.getvalue())


def printed(arguments: list[str]) -> str:
    """What a run that has to work printed, in this process."""
    done = inside(*arguments)
    if done.code:
        raise RuntimeError(f"exit code {done.code}: {done.err}")
    return done.out
