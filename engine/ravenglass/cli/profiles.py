"""`ravenglass profile`: list the presets, show every field of one, export one as TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ravenglass.cli.loading import choose
from ravenglass.cli.printing.console import stdout
from ravenglass.cli.printing.output import Force
from ravenglass.presets import PRESETS, to_toml
from ravenglass.profile import Profile, field_specs
from ravenglass.safe.visible import visible
from ravenglass.store.outputs import write_output


def profile(
    list_all: Annotated[bool, typer.Option("--list", help="List the presets.")] = False,
    show: Annotated[
        str | None, typer.Option("--show", metavar="NAME", help="Show every field of a preset or file.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option("--export", metavar="OUT.toml", help="Write the profile as TOML.")
    ] = None,
    name: Annotated[str, typer.Option("--profile", metavar="P", help="What --export writes.")] = "default",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a field first.")
    ] = None,
    force: Force = False,
) -> None:
    """List, show and export profiles."""
    if export is not None:
        _export(choose(show or name, settings or []), export, force)
    elif show is not None:
        _show(choose(show, settings or []))
    else:
        del list_all
        _list()


def _list() -> None:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("name", "C", "differs from the default in", "for"):
        table.add_column(column, justify="right" if column == "C" else "left", no_wrap=column == "name")
    for preset in PRESETS:
        differences = ", ".join(f"{field} {value}" for field, value in preset.differences.items()) or "-"
        table.add_row(preset.name, f"{preset.profile().available():,}", differences, preset.purpose)
    stdout().print(table)


def _show(chosen: Profile) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("field", "value", "unit", "default", "range", "what it does"):
        table.add_column(
            column, justify="right" if column in ("value", "default") else "left", no_wrap=column == "field"
        )
    for spec in field_specs():
        value = getattr(chosen, spec.name)
        mark = "" if value == spec.default else " *"
        bounds = (
            " | ".join(spec.choices)
            if spec.choices
            else ("" if spec.kind == "bool" else f"{spec.low:g}..{spec.high:g}")
        )
        note = "" if spec.used else " (kept, but not read by a replay with the planner yet)"
        table.add_row(f"{spec.name}{mark}", str(value), spec.unit, str(spec.default), bounds, spec.help + note)
    console = stdout()
    console.print(f"{visible(chosen.name)}: C = {chosen.available():,} tokens; * differs from the default")
    console.print(table)


def _export(chosen: Profile, path: Path, force: bool) -> None:
    write_output(path, [to_toml(chosen).encode()], force=force)
    stdout().print(f"Wrote {visible(str(path))}")
