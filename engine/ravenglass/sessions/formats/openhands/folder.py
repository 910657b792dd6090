"""Lists and reads OpenHands' conversation folders: one file an event, of either generation (formats.md, section 8)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from ravenglass.errors import SessionError
from ravenglass.sessions.formats.openhands.session import NAME, EventConversation, session_of
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.pieces import Pieces
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import mapping, text, text_or_none

_EVENT = re.compile(r"(?:event-)?(\d+)(?:-.*)?\.json\Z")
"""`17.json`, or `event-00017-<uuid>.json`: two writers may have given the same number to two events."""
_STATE = "base_state.json"
_METADATA = "metadata.json"


class OpenHandsFolder:
    """`~/.openhands/sessions/<id>/events/`, or a conversation of the software-agent-sdk with its base state."""

    name = NAME
    label = "OpenHands conversation folder"
    description = (
        "Reads a folder with `events/` (one JSON file an event; with base_state.json of the software-agent-sdk or as "
        "earlier versions had it), or a folder of such folders. Maps prompts, system prompt and tools, actions and "
        "their observations, parallel calls of one response, rejections and errors, condensations and usage; keeps the "
        "base state, state updates, requests, pauses, logs and unknown events as other records."
    )

    def recognises(self, path: Path) -> bool:
        """A conversation folder, or a folder with at least one inside."""
        try:
            return path.is_dir() and (_is_conversation(path) or any(True for _ in _conversations(path)))
        except OSError:
            return False  # what may not be looked into is told by whoever opens it

    def entries(self, path: Path) -> Iterator[HolderEntry]:
        """The conversations, from names, base states and first and last event."""
        if _is_conversation(path):
            yield _entry(path, path, "")
            return
        for folder in _conversations(path):
            yield _entry(path, folder, folder.relative_to(path).as_posix())

    def open(self, path: Path, key: str, reporter: Reporter) -> Session:
        """One conversation; `key` is its folder's name, empty for the folder itself."""
        folder = path / key if key else path
        inside = folder.resolve().is_relative_to(path.resolve())
        if not inside or not _is_conversation(folder):
            raise SessionError(
                f"{path} holds no conversation {key!r}." if key else f"{path} is no conversation folder.",
                path=str(path),
                tried=(NAME,),
            )
        return replace(_read(folder, reporter), path=path)


def _read(folder: Path, reporter: Reporter) -> Session:
    pieces, into, problems = Pieces(), EventConversation(name=folder.name), []
    events = _events(folder)
    files = [*(folder / name for name in (_STATE, _METADATA) if (folder / name).is_file()), *_in_order(events)]
    for number, path in enumerate(files):
        reporter.report(pieces.source.size, max(pieces.source.size * len(files) // max(number, 1), 1))
        try:
            data = path.read_bytes()
        except OSError as error:
            problems.append(f"{path.name} could not be read ({error.strerror}); all other files were.")
            continue
        record = pieces.add(path.relative_to(folder).as_posix(), data)
        if record is None:
            continue
        if path.name == _STATE:
            into.state(record.value, record.span)
        elif path.name == _METADATA:
            into.about(record.value, record.span)
        else:
            into.take(record.value, record.span)
    if (twice := len(events) - len({event.number for event in events})) > 0:
        problems.append(f"{twice:,} events bear the number of another one; they stand in the order of their times.")
    made = session_of(into.thread, into.name, folder, pieces.source)
    empty = () if made.messages else ("The conversation holds no messages.",)
    return replace(made, damage=tuple(pieces.damage), warnings=(*pieces.warnings(), *problems, *empty))


@dataclass(frozen=True, slots=True)
class _EventFile:
    number: int
    path: Path


def _events(folder: Path) -> list[_EventFile]:
    """The event files by number and name. Lock files and others are none."""
    found = []
    with os.scandir(folder / "events") as listing:
        for item in listing:
            match = _EVENT.match(item.name)
            if match is not None and item.is_file():
                found.append(_EventFile(int(match.group(1)), folder / "events" / item.name))
    return sorted(found, key=lambda event: (event.number, event.path.name))


def _in_order(events: list[_EventFile]) -> list[Path]:
    """By number; where one number occurs twice, by time."""
    numbers = [event.number for event in events]
    double = {number for number, following in pairwise(numbers) if number == following}
    stamps = {event.path: _time(_value(event.path)) or 0.0 for event in events if event.number in double}
    ordered = sorted(events, key=lambda event: (event.number, stamps.get(event.path, 0.0), event.path.name))
    return [event.path for event in ordered]


def _is_conversation(folder: Path) -> bool:
    events = folder / "events"
    if not events.is_dir():
        return False
    if (folder / _STATE).is_file():
        return True
    with os.scandir(events) as listing:
        return any(_EVENT.match(item.name) for item in listing)


def _conversations(folder: Path) -> Iterator[Path]:
    """Conversation folders right inside, and those of a data folder."""
    for place in (folder, folder / "sessions", folder / "conversations"):
        if place.is_dir():
            with os.scandir(place) as listing:
                inside = sorted(item.name for item in listing if item.is_dir())
            yield from (place / name for name in inside if _is_conversation(place / name))


def _entry(opened_as: Path, folder: Path, key: str) -> HolderEntry:
    events = _events(folder)
    ordered = [event.path for event in events]
    state, about = _value(folder / _STATE), _value(folder / _METADATA)
    ends = (_value(ordered[0]), _value(ordered[-1])) if ordered else ({}, {})
    model = text_or_none(mapping(mapping(state.get("agent")).get("llm")).get("model"))
    return HolderEntry(
        NAME,
        opened_as,
        key=key,
        id=text(state.get("id")) or folder.name,
        title=text(about.get("title")),
        project=text(mapping(state.get("workspace")).get("working_dir")) or text(about.get("selected_repository")),
        started=_time(ends[0]),
        updated=_time(ends[1]),
        size=sum(path.stat().st_size for path in ordered),
        model=model or text_or_none(about.get("llm_model")),
    )


def _time(value: dict[str, Any]) -> float | None:
    return seconds(value.get("timestamp"))


def _value(path: Path) -> dict[str, Any]:
    """A file's object; empty where there is none: opening the conversation says what is wrong."""
    try:
        return mapping(decode_value(path.read_bytes()))
    except (OSError, ValueError):
        return {}
