"""`ravenglass snapshots`: what a replay took snapshots of, and what differs between two of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ravenglass.cli.items.at_call import File, ProfileName, Settings
from ravenglass.cli.loading import FormatName, choose, load_session, replayed
from ravenglass.cli.printing.console import reporting, stdout
from ravenglass.errors import RavenglassError
from ravenglass.hub.snapshots.compare import SnapshotDiff, compare
from ravenglass.hub.snapshots.format import encode
from ravenglass.hub.snapshots.snapshot import Snapshot, Taken, snapshot_name
from ravenglass.profile import Profile
from ravenglass.replay import SimulatedRun, rollback
from ravenglass.safe.visible import visible
from ravenglass.trace import Json

_WHY = {"task": "a task began", "tool_calls": "tool calls were done", "change": "context changed"}


def snapshots_command(
    file: File,
    profile: ProfileName = "default",
    settings: Settings = None,
    format_name: FormatName = "",
    pair: Annotated[
        tuple[int, int] | None, typer.Option("--diff", metavar="A B", help="What differs between two, by their steps.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the snapshots of a replay."""
    run = replayed(load_session(file, format_name), choose(profile, settings or []))
    taken = run.snapshots()
    diff = None if pair is None else compare(*(run.snapshot(_at(taken, step)) for step in pair))
    if as_json:
        told: Json = {"snapshots": [_object(*found) for found in _sized(run, taken)]}
        if diff is not None:
            told["diff"] = asdict(diff)
        sys.stdout.write(json.dumps(told) + "\n")
    elif diff is not None:
        _print_diff(diff, stdout())
    else:
        _print_list(run, taken, stdout())


def brought_back(run: SimulatedRun, step: int, profile: Profile) -> SimulatedRun:
    """The run brought back to its snapshot of a call and replayed on from there. Raises RavenglassError where there is
    none, or no call comes after it."""
    taken = _at(run.snapshots(), step)
    if step >= run.calls:
        raise RavenglassError(f"No call comes after the snapshot of call {step:,}, so there is nothing to go on with.")
    with reporting("Replaying on from the snapshot") as report:
        return rollback(run, run.snapshot(taken), profile, progress=report)


def _at(taken: Iterable[Taken], step: int) -> Taken:
    """The snapshot taken after a call. Raises RavenglassError naming the nearest ones."""
    known = {one.step: one for one in taken}
    if step not in known:
        near = sorted(sorted(known, key=lambda other: abs(other - step))[:4])
        there = f"the nearest are of {', '.join(f'{other:,}' for other in near)}" if near else "this run has none"
        raise RavenglassError(f"There is no snapshot of call {step:,}; {there}.")
    return known[step]


def _sized(run: SimulatedRun, taken: Iterable[Taken]) -> Iterable[tuple[Taken, int]]:
    """Each with its bytes as it is stored; those of a task follow the whole one that they differ from."""
    base: Snapshot | None = None
    for one in taken:
        held = run.snapshot(one)
        if one.kind == "full":
            base = held
        yield one, len(encode(held, None if one.kind == "full" else base))


def _object(taken: Taken, size: int) -> Json:
    return {
        "step": taken.step, "task": taken.task + 1, "name": taken.name, "kind": taken.kind, "trigger": taken.trigger,
        "base": None if taken.kind == "full" else snapshot_name(taken.task, taken.base), "bytes": size,
    }  # fmt: skip


def _print_list(run: SimulatedRun, taken: tuple[Taken, ...], console: Console) -> None:
    every = len(run.snapshots_taken())
    console.print(f"{len(taken):,} snapshots; {every:,} were taken, the first and the latest of a task stay.")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("step", "task", "why it was taken", "kind", "bytes"):
        table.add_column(name, justify="left" if name in ("why it was taken", "kind") else "right", no_wrap=True)
    for one, size in _sized(run, taken):
        table.add_row(f"{one.step:,}", f"{one.task + 1:,}", _WHY[one.trigger], one.kind, f"{size:,}")
    console.print(table)


def _print_diff(diff: SnapshotDiff, console: Console) -> None:
    console.print(f"From {visible(diff.first)} to {visible(diff.second)}:")
    if diff.empty:
        console.print("Nothing differs.")
        return
    said = [name for name in ("instruction", "working_state", "summary") if getattr(diff, name)]
    if said:
        console.print(f"other: {', '.join(said).replace('_', ' ')}")
    for name, ids in (("came into the window", diff.entered), ("left the window", diff.left)):
        if ids:
            console.print(f"{name}: {' '.join(f'#{m}' for m in ids)}", soft_wrap=True)
    for mark, entries in (("+", diff.added), ("-", diff.removed)):
        for entry in entries:
            console.print(f"{mark} #{entry.message} {visible(entry.context_id)}", soft_wrap=True)
    for moved in diff.moved:
        console.print(
            f"  #{moved.message} {visible(moved.context_id)}: {moved.before} -> {moved.after}", soft_wrap=True
        )
