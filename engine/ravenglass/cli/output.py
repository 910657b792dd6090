"""Where the command line writes: results to stdout, sentences and progress to stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ravenglass.hub.sizes import Progress as Report

_PLAIN_WIDTH = 140
"""Columns of a table that goes into a file or a pipe."""


def stdout() -> Console:
    """Console for results; plain text of a fixed width where the output is no terminal."""
    width = None if sys.stdout.isatty() else _PLAIN_WIDTH
    return Console(file=sys.stdout, highlight=False, soft_wrap=False, markup=False, width=width)


def stderr() -> Console:
    return Console(file=sys.stderr, highlight=False, soft_wrap=True, markup=False)


def fail(sentence: str, code: int) -> int:
    """Print one sentence on stderr; returns the exit code."""
    print(f"ravenglass: {_printable(sentence)}", file=sys.stderr)
    return code


def warn(sentence: str) -> None:
    """Print a warning on stderr; the command goes on."""
    print(f"ravenglass: {_printable(sentence)}", file=sys.stderr)


def _printable(text: str) -> str:
    """Text that any terminal encoding takes: file names may hold bytes that are no text."""
    encoding = sys.stderr.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _silent(done: int, total: int) -> bool:
    del done, total
    return True


@contextmanager
def reporting(what: str) -> Iterator[Report]:
    """A progress callback that draws a bar on a terminal and does nothing elsewhere."""
    if not sys.stderr.isatty():
        yield _silent
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr(), transient=True) as progress:
        task = progress.add_task(what, total=None)

        def report(done: int, total: int) -> bool:
            progress.update(task, completed=done, total=total)
            return True

        yield report
