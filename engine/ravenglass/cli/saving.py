"""Writes what a run produced: windows in a provider's dialect, manifest, trace, profile."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import typer

from ravenglass.cli.report import as_object
from ravenglass.curator.dialects import DIALECTS, Dialect, request
from ravenglass.errors import RavenglassError
from ravenglass.presets import to_toml
from ravenglass.replay import Run
from ravenglass.replay.manifest import manifest_item
from ravenglass.replay.snapshot_files import SUFFIX, snapshot_files
from ravenglass.store import Library
from ravenglass.trace import Json


def dialect_named(name: str) -> Dialect:
    """The dialect of that name. Raises typer's usage error where there is none."""
    for dialect in DIALECTS:
        if dialect == name:
            return dialect
    raise typer.BadParameter(f"there is no dialect {name!r}; there are {', '.join(DIALECTS)}", param_hint="--dialect")


def write_windows(run: Run, path: Path, dialect: Dialect = "openai-chat") -> None:
    """One line a call: {call, path, tokens} and the dialect's request (`messages`, ...). Raises RavenglassError
    where it cannot be written."""
    try:
        with path.open("w", encoding="ascii") as file:
            for call in range(1, run.calls + 1):
                window = run.window(call)
                line: Json = {"call": call, "path": window.path, "tokens": window.tokens}
                line |= request(dialect, window.messages)
                file.write(json.dumps(line) + "\n")
    except OSError as error:
        raise RavenglassError(f"{path} cannot be written ({error.strerror or error})") from error


def save_run(run: Run, folder: Path) -> None:
    """Write a run: run.json, profile.toml, manifest.json, windows.jsonl, traces/SESSION/TURN.jsonl and
    snapshots/SESSION/TASK-CALL.zst.

    Files of an earlier save are replaced; nothing else in the folder is touched.
    """
    key = run.session.id.replace(":", "_").replace("/", "_") or "session"
    try:
        traces = folder / "traces" / key
        traces.mkdir(parents=True, exist_ok=True)
        (folder / "profile.toml").write_text(to_toml(run.profile), encoding="utf-8")
        (folder / "run.json").write_text(json.dumps(as_object(run), indent=1), encoding="utf-8")
        items = [manifest_item(run.row(run.calls, m)) for m in range(run.rows(run.calls))]
        manifest = {"session_key": run.session.id, "items": items}
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        _write_traces(run, traces)
        _write_snapshots(run, folder / "snapshots" / key)
    except OSError as error:
        raise RavenglassError(f"{folder}: the run cannot be saved ({error.strerror or error})") from error
    write_windows(run, folder / "windows.jsonl")


def remember_run(run: Run, folder: Path, library: Library) -> None:
    """Put a saved run on the library's list of runs. Raises StoreError."""
    library.save_run(
        run.session.path,
        profile_name=run.profile.name,
        profile=to_toml(run.profile),
        metrics=json.dumps(asdict(run.metrics)),
        folder=folder.absolute(),
    )


def _write_snapshots(run: Run, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    files = dict(snapshot_files(run))
    for left in folder.glob(f"*{SUFFIX}"):
        if left.name not in files:
            left.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)


def _write_traces(run: Run, folder: Path) -> None:
    by_turn: dict[int, list[int]] = {}
    for call in run.session.structure.calls:
        by_turn.setdefault(call.turn, []).append(call.number)
    for turn, calls in by_turn.items():
        lines = [event.to_json() for call in calls for event in run.loop(call).run()]
        (folder / f"{turn:04}.jsonl").write_bytes(
            "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
        )
