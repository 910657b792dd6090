"""Writes what a run produced: windows in a provider's dialect, archive, manifest, trace, snapshots, profile.

Command line and desktop save by these functions; nothing in here asks or tells a person anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ravenglass.curator.dialects import Dialect, request
from ravenglass.errors import RavenglassError
from ravenglass.presets import to_toml
from ravenglass.replay import Run, SimulatedRun
from ravenglass.replay.answers.manifest import manifest_item
from ravenglass.replay.report import as_object
from ravenglass.replay.snapshot_files import SUFFIX, snapshot_files
from ravenglass.store import Library
from ravenglass.store.archive.store import ArchiveRecord, ArchiveStore
from ravenglass.trace import Json


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


def save_run(run: SimulatedRun, folder: Path) -> None:
    """Write a run: run.json, profile.toml, manifest.json, windows.jsonl, traces/SESSION/TURN.jsonl,
    snapshots/SESSION/TASK-CALL.zst and archive/YYYY-MM-DD/, where the references of manifest and trace lead to.

    Files of an earlier save are replaced, but for those of the archive, which are never changed; nothing else in the
    folder is touched.
    """
    key = run.session.id.replace(":", "_").replace("/", "_") or "session"
    try:
        traces = folder / "traces" / key
        traces.mkdir(parents=True, exist_ok=True)
        (folder / "profile.toml").write_text(to_toml(run.profile), encoding="utf-8")
        (folder / "run.json").write_text(json.dumps(as_object(run), indent=1), encoding="utf-8")
        refs = _write_archive(run, folder)
        items = [_led(manifest_item(run.row(run.calls, m)), refs) for m in range(run.rows(run.calls))]
        manifest = {"session_key": run.session.id, "items": items}
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        _write_traces(run, traces, refs)
        _write_snapshots(run, folder / "snapshots" / key)
    except OSError as error:
        raise RavenglassError(f"{folder}: the run cannot be saved ({error.strerror or error})") from error
    write_windows(run, folder / "windows.jsonl")


def remember_run(run: SimulatedRun, folder: Path, library: Library) -> None:
    """Put a saved run on the library's list of runs. Raises StoreError."""
    library.save_run(
        run.session.place,
        profile_name=run.profile.name,
        profile=to_toml(run.profile),
        metrics=json.dumps(asdict(run.metrics)),
        folder=folder.absolute(),
    )


def _write_snapshots(run: SimulatedRun, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    files = dict(snapshot_files(run))
    for left in folder.glob(f"*{SUFFIX}"):
        if left.name not in files:
            left.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)


def _write_archive(run: SimulatedRun, folder: Path) -> dict[str, str]:
    """What the run archived, on the disk. Returns where each reference of the run leads to there."""
    entries, sizes = run.archive(), run.inputs.sizes.full
    if not entries:
        return {}
    refs: dict[str, str] = {}
    with ArchiveStore(folder, run.profile) as store:
        for entry in entries:
            records = [ArchiveRecord.of(run.session, m, sizes[m]) for m in entry.messages]
            created = run.facts_at(entry.call).time_of(entry.call) or _written_at(run)
            refs[entry.ref] = store.write(run.session.id, records, reason=entry.reason, created=created)
    return refs


def _written_at(run: SimulatedRun) -> float | None:
    """When a session that records no times was last written, so that saving it again gives the same files; None where
    it is no file."""
    try:
        return run.session.path.stat().st_mtime
    except OSError:
        return None


def _led(value: Any, refs: Mapping[str, str]) -> Any:
    """A JSON value with the references of a run replaced by those of the archive on the disk."""
    if isinstance(value, str):
        return refs.get(value, value)
    if isinstance(value, dict):
        return {key: _led(inner, refs) for key, inner in value.items()}
    return [_led(inner, refs) for inner in value] if isinstance(value, list | tuple) else value


def _write_traces(run: SimulatedRun, folder: Path, refs: Mapping[str, str]) -> None:
    by_turn: dict[int, list[int]] = {}
    for call in run.session.structure.calls:
        by_turn.setdefault(call.turn, []).append(call.number)
    for turn, calls in by_turn.items():
        events = (event for call in calls for event in run.loop(call).run())
        lines = [replace(event, payload=_led(event.payload, refs)).to_json() for event in events]
        (folder / f"{turn:04}.jsonl").write_bytes(
            "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
        )
