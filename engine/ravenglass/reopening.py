"""A folder that a run was saved in, opened again: its session, its profile, its changes by hand, who answered.

Where saving was killed, what is there is used, from the place where it was being written too, and it is said.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ravenglass.errors import RavenglassError, StoreError
from ravenglass.presets import from_toml
from ravenglass.profile import Profile
from ravenglass.replay.asking.run import AskedRun
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepping.change_file import changes_as_json, changes_of_json
from ravenglass.replay.stepping.changes import Change, is_a_curators
from ravenglass.store.run_folder import files_aside
from ravenglass.store.run_mark import read_mark
from ravenglass.trace import Json

ORIGIN_FILE = "origin.json"
PROFILE_FILE = "profile.toml"


@dataclass(frozen=True, slots=True)
class SavedRunFolder:
    """What a saved run needs to be made again. None: the folder does not say it (any more). `tokens`: its windows."""

    folder: Path
    session: Path | None
    profile: Profile | None
    changes: tuple[Change, ...]
    asked: str
    traces: Path | None
    tokens: tuple[int, ...] | None
    notes: tuple[str, ...]

    @property
    def by_hand(self) -> tuple[Change, ...]:
        """The changes without what a policy made of the working state, which its answers make again."""
        return tuple(change for change in self.changes if not is_a_curators(change))

    def compared(self, run: SimulatedRun) -> str:
        """A sentence where a run made again is not the one that was saved; empty where it is, or nothing can tell."""
        if self.tokens is None or list(self.tokens) == list(run.window_tokens):
            return ""
        both = zip(self.tokens, run.window_tokens, strict=False)
        at = next((n for n, (old, new) in enumerate(both, start=1) if old != new), None)
        if at is None:
            return f"The session has {run.calls:,} calls now; when the run was saved it had {len(self.tokens):,}."
        return (
            f"Made again, the run is another from call {at:,} on: its session, or this program, has changed since it"
            " was saved. What was saved is under traces and in windows.jsonl."
        )


def is_saved_run(path: Path) -> bool:
    """Whether a run was saved in a folder, to the end or not."""
    try:
        return read_mark(path) is not None
    except StoreError:
        return True


def origin_of(run: SimulatedRun) -> Json:
    """What is saved of a run so that it can be made again."""
    return {
        "session": str(run.session.place.absolute()),
        "asked": run.asked,
        "answered": list(run.answered) if isinstance(run, AskedRun) else [],
        "changes": changes_as_json(run.changes),
        "window_tokens": list(run.window_tokens),
    }


def saved_run(folder: Path) -> SavedRunFolder | None:
    """What a folder holds of a saved run; None where none was saved there. Raises StoreError where its mark cannot be
    understood."""
    mark = read_mark(folder)
    if mark is None:
        return None
    notes: list[str] = []
    if not mark.complete:
        notes.append(f"{folder} is not complete: saving a run there was interrupted. What is there is shown.")
    places = [folder, *files_aside(folder)]
    origin = _origin(_first(places, ORIGIN_FILE), notes)
    named = origin.get("session")
    session = Path(named) if isinstance(named, str) and named else None
    if session is not None and not _is_there(session):
        notes.append(f"The session of the saved run, {session}, is not there any more, so only its trace is shown.")
        session = None
    elif session is None:
        notes.append(f"{folder} does not say whose session the run is of, so only its trace is shown.")
    return SavedRunFolder(
        folder,
        session,
        _profile(_first(places, PROFILE_FILE), notes),
        _changes(origin.get("changes"), folder, notes),
        str(origin.get("asked") or ""),
        _first(places, "traces"),
        _tokens(origin.get("window_tokens")),
        tuple(notes),
    )


def session_path(path: Path) -> Path:
    """The session of a saved run's folder; any other path as it is. Raises RavenglassError where it is not there."""
    saved = saved_run(path) if path.is_dir() else None
    if saved is None:
        return path
    if saved.session is None:
        raise RavenglassError(" ".join(saved.notes) + f" `ravenglass trace {path}` prints it.")
    return saved.session


def _first(places: Sequence[Path], name: str) -> Path | None:
    return next((place / name for place in places if (place / name).exists()), None)


def _is_there(session: Path) -> bool:
    """A session inside a file or folder stands behind it: its holder counts."""
    return session.exists() or any(above.is_file() for above in session.parents)


def _origin(path: Path | None, notes: list[str]) -> Json:
    if path is None:
        return {}
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        notes.append(f"{path} cannot be read ({error}).")
        return {}
    return value if isinstance(value, dict) else {}


def _profile(path: Path | None, notes: list[str]) -> Profile | None:
    if path is None:
        return None
    try:
        return from_toml(path.read_text("utf-8"), str(path))
    except (OSError, ValueError, RavenglassError) as error:
        notes.append(f"The profile of the saved run is not used: {error}")
        return None


def _tokens(values: object) -> tuple[int, ...] | None:
    """Tokens of the saved windows; None where they are not all numbers."""
    if not isinstance(values, list):
        return None
    found = tuple(value for value in values if isinstance(value, int))
    return found if len(found) == len(values) else None


def _changes(values: object, folder: Path, notes: list[str]) -> tuple[Change, ...]:
    try:
        return changes_of_json(values) if isinstance(values, list) else ()
    except (ValueError, TypeError) as error:
        notes.append(f"The changes by hand of {folder} are left out: {error}.")
        return ()
