"""Results and progress as rich draws them. What only prints a line needs none of this: see `output`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from rich.console import Console
from rich.text import Text

from ravenglass.safe.visible import visible, visible_lines
from ravenglass.sessions.records.progress import Progress as Report

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


def _silent(done: int, total: int) -> bool:
    del done, total
    return True


@contextmanager
def reporting(what: str) -> Iterator[Report]:
    """A progress callback that draws a bar on a terminal and does nothing elsewhere."""
    if not sys.stderr.isatty():
        yield _silent
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr(), transient=True) as progress:
        task = progress.add_task(visible(what), total=None)

        def report(done: int, total: int) -> bool:
            progress.update(task, completed=done, total=total)
            return True

        yield report
