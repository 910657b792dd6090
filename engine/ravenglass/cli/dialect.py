"""The option `--dialect`: whose messages a window is written in."""

from __future__ import annotations

import typer

from ravenglass.curator.dialects import DIALECTS, Dialect


def dialect_named(name: str) -> Dialect:
    """The dialect of that name. Raises typer's usage error where there is none."""
    for dialect in DIALECTS:
        if dialect == name:
            return dialect
    raise typer.BadParameter(f"there is no dialect {name!r}; there are {', '.join(DIALECTS)}", param_hint="--dialect")
