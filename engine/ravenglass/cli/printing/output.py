"""Where the command line writes: sentences to stderr, one a line. Results and progress are drawn by `console`."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import Annotated

import typer

from ravenglass.safe.visible import visible

Force = Annotated[
    bool, typer.Option("--force", help="Replace what is there: a file, or the files of a run saved before.")
]
"""The option without which nothing that exists is replaced."""


def fail(sentence: str, code: int) -> int:
    """Print one sentence on stderr; returns the exit code."""
    warn(sentence)
    return code


def warn(sentence: str) -> None:
    """Print a warning on stderr; the command goes on. Where stderr takes nothing, there is no place to say it."""
    with suppress(OSError):
        print(f"ravenglass: {_printable(visible(sentence))}", file=sys.stderr, flush=True)


def _printable(text: str) -> str:
    """Text that any terminal encoding takes."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def any_console() -> None:
    """Let stdout and stderr take every text, whatever their encoding, and be there even where they were closed."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - it lives as long as the program
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def flushed() -> None:
    """Bring everything printed to where it goes. Raises OSError, BrokenPipeError where it is not taken."""
    sys.stdout.flush()


def dropped() -> None:
    """Nothing printed so far may be tried again at the program's end: its reader is gone, or its disk is full."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
