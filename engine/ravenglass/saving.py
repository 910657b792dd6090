"""Writes what a run produced: windows in a provider's dialect, archive, manifest, trace, snapshots, profile.

Command line and desktop save by these functions; nothing in here asks or tells a person anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ravenglass.curator.dialects import Dialect, request
from ravenglass.errors import RavenglassError
from ravenglass.presets import to_toml
from ravenglass.reopening import ORIGIN_FILE, PROFILE_FILE, origin_of
from ravenglass.replay import Run, SimulatedRun
from ravenglass.replay.answers.manifest import manifest_item
from ravenglass.replay.answers.windows import caching
from ravenglass.replay.report import as_object
from ravenglass.replay.snapshot_files import snapshot_files
from ravenglass.safe.names import file_name
from ravenglass.store.archive.store import ArchiveRecord, ArchiveStore
from ravenglass.store.outputs import write_output
from ravenglass.store.run_folder import RunFolder
from ravenglass.store.workspace import Workspace
from ravenglass.trace import Json, logged

if TYPE_CHECKING:
    from ravenglass.store import Library


def write_windows(run: Run, path: Path, dialect: Dialect = "openai-chat", *, force: bool = False) -> None:
    """One line a call: {call, path, tokens} and the dialect's request (`messages`, ...). Raises RavenglassError
    where it cannot be written, or something is there and `force` is not given."""
    write_output(path, _windows(run, dialect), force=force)


def _windows(run: Run, dialect: Dialect) -> Iterator[bytes]:
    for call in range(1, run.calls + 1):
        window = run.window(call)
        line: Json = {"call": call, "path": window.path, "tokens": window.tokens}
        line |= request(dialect, window.messages, caching(window))
        yield json.dumps(line).encode("ascii") + b"\n"


def save_run(run: SimulatedRun, folder: Path, *, force: bool = False) -> None:
    """Write a run: origin.json, run.json, profile.toml, manifest.json, windows.jsonl, traces/SESSION/TURN.jsonl,
    snapshots/SESSION/TASK-CALL.zst and archive/YYYY-MM-DD/, where the references of manifest and trace lead to.

    Where a run was saved before, that is refused without `force`; with it the files of that run are replaced, but for
    those of the archive, which are never changed. Whatever else is in the folder is left as it is: RavenglassError
    where it is in the way.
    """
    key = file_name(run.session.id)
    try:
        with RunFolder(folder, run.session.id, run.profile.name, force=force) as place:
            place.write(ORIGIN_FILE, [json.dumps(origin_of(run)).encode()])
            place.write(PROFILE_FILE, [to_toml(run.profile).encode()])
            place.write("run.json", [json.dumps(as_object(run), indent=1).encode()])
            refs = _write_archive(run, place.workspace)
            items = [_led(manifest_item(run.row(run.calls, m)), refs) for m in range(run.rows(run.calls))]
            manifest = {"session_key": run.session.id, "items": items}
            place.write("manifest.json", [json.dumps(manifest, indent=1).encode()])
            for turn, lines in _traces(run, refs):
                place.write(f"traces/{key}/{turn:04}.jsonl", lines)
            for name, data in snapshot_files(run):
                place.write(f"snapshots/{key}/{name}", [data])
            place.write("windows.jsonl", _windows(run, "openai-chat"))
    except OSError as error:
        raise RavenglassError(f"{folder}: the run cannot be saved ({error.strerror or error})") from error


def remember_run(run: SimulatedRun, folder: Path, library: Library) -> None:
    """Put a saved run on the library's list of runs, in place of what was saved in the folder before. Raises
    StoreError."""
    library.save_run(
        run.session.place,
        profile_name=run.profile.name,
        profile=to_toml(run.profile),
        metrics=json.dumps(asdict(run.metrics)),
        folder=folder.absolute(),
    )


def _write_archive(run: SimulatedRun, workspace: Workspace) -> dict[str, str]:
    """What the run archived, on the disk. Returns where each reference of the run leads to there."""
    entries, sizes = run.archive(), run.inputs.sizes.full
    refs: dict[str, str] = {}
    with ArchiveStore(workspace, run.profile) as store:
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


def _traces(run: SimulatedRun, refs: Mapping[str, str]) -> Iterator[tuple[int, Iterator[bytes]]]:
    """The lines of every turn's trace."""
    by_turn: dict[int, list[int]] = {}
    for call in run.session.structure.calls:
        by_turn.setdefault(call.turn, []).append(call.number)
    for turn, calls in by_turn.items():
        yield turn, _trace_lines(run, calls, refs)


def _trace_lines(run: SimulatedRun, calls: list[int], refs: Mapping[str, str]) -> Iterator[bytes]:
    for call in calls:
        for event in run.trace(call):
            line = logged(event.event, _led(event.payload, refs), event.call, event.ts).to_json()
            yield f"{line}\n".encode("utf-8", "backslashreplace")
