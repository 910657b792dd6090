"""Writes trace logs: `traces/{session}/{turn}.jsonl`, one event a line. What was read is written as it stood."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ravenglass.errors import RavenglassError
from ravenglass.safe.names import file_name, key_name
from ravenglass.safe.private import append, create, folders
from ravenglass.trace import TraceEvent
from ravenglass.traces.grouping import FOLDER
from ravenglass.traces.model import TraceRecord, TraceTurn


def log_path(folder: Path, session: str, turn: str) -> Path:
    """Where the log of a turn stands in a workspace. What is no good name becomes one."""
    return folder / FOLDER / key_name(session) / f"{file_name(turn)}.jsonl"


def line_of(record: TraceRecord | TraceEvent) -> bytes:
    """The line of an event, without its line ending; a record that was read, byte for byte."""
    if isinstance(record, TraceRecord):
        return record.raw
    return record.to_json().encode("utf-8", "backslashreplace")


def write_log(path: Path, records: Iterable[TraceRecord | TraceEvent]) -> None:
    """Write a whole log, replacing what is there only once all of it is on disk. Raises RavenglassError."""
    _replace(path, (line_of(record) for record in records))


def write_turn(path: Path, turn: TraceTurn) -> None:
    """Write a turn that was read, its damaged lines too, as they stood. Raises RavenglassError."""
    _replace(path, turn.lines())


def append_log(path: Path, records: Iterable[TraceRecord | TraceEvent]) -> None:
    """Add events to a log, which is made where it is missing. Raises RavenglassError where it cannot be written.

    A line that a crash has cut stays as it is; the new events begin on a line of their own.
    """
    data = b"".join(line_of(record) + b"\n" for record in records)
    try:
        folders(path.parent)
        with append(path) as file:
            if file.seek(0, os.SEEK_END) > 0:
                file.seek(-1, os.SEEK_END)
                data = data if file.read(1) == b"\n" else b"\n" + data
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
    except OSError as error:
        raise RavenglassError(_unwritten(path, error)) from error


def _replace(path: Path, lines: Iterable[bytes]) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        folders(path.parent)
        with create(draft) as file:
            file.writelines(line + b"\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):  # the first error is told; a draft that stays does no harm
            draft.unlink()
        raise RavenglassError(_unwritten(path, error)) from error


def _unwritten(path: Path, error: OSError) -> str:
    return f"{path}: the trace cannot be written ({error.strerror or error}); what was there before is unchanged."
