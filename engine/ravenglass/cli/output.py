"""Where the command line writes: results to stdout, sentences and progress to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from ravenglass.hub.sizes import Progress as Report
from ravenglass.safe.visible import visible, visible_lines

Force = Annotated[
    bool, typer.Option("--force", help="Replace what is there: a file, or the files of a run saved before.")
]
"""The option without which nothing that exists is replaced."""

_PLAIN_WIDTH = 140
"""Columns of a table that goes into a file or a pipe."""


class _Console(Console):
    """Texts of sessions and names of files are plain text here: they steer no terminal, and no markup is looked for."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(visible_lines(text), **options)

    def on_broken_pipe(self) -> NoReturn:
        """`main` says what a closed pipe means."""
        raise BrokenPipeError


def stdout() -> Console:
    """Console for results; plain text of a fixed width where the output is no terminal."""
    width = None if sys.stdout.isatty() else _PLAIN_WIDTH
    return _Console(file=sys.stdout, highlight=False, soft_wrap=False, markup=False, emoji=False, width=width)


def stderr() -> Console:
    return _Console(file=sys.stderr, highlight=False, soft_wrap=True, markup=False, emoji=False)


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


def _silent(done: int, total: int) -> bool:
    del done, total
    return True


@contextmanager
def reporting(what: str) -> Iterator[Report]:
    """A progress callback that draws a bar on a terminal and does nothing elsewhere."""
    if not sys.stderr.isatty():
        yield _silent
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr(), transient=True) as progress:
        task = progress.add_task(visible(what), total=None)

        def report(done: int, total: int) -> bool:
            progress.update(task, completed=done, total=total)
            return True

        yield report
