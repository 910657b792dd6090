"""Opens trace logs, Raven's and ours: `{"ts", "event", "payload"}`, one a line, by the rules that sessions are read by.

Damage never fails a log: what decodes is read, what does not is kept and named with its line and offset.
"""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records.progress import Progress, Reporter
from ravenglass.sessions.records.reader import Record, Records, read_records
from ravenglass.sessions.records.source import Opened, open_path
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import dump, kind_of, mapping, text
from ravenglass.traces.grouping import by_call, session_of
from ravenglass.traces.model import TraceLog, TraceRecord, TraceTurn

_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")
_HEAD = 20
"""Records that are enough to tell the format."""


def open_trace(path: Path, *, progress: Progress | None = None) -> TraceLog:
    """Read one log, or all logs in a folder and the folders in it.

    Raises SessionError for a path that cannot be read and for a file in which no line is an event; Cancelled when
    `progress` returns False. Files of a folder that are no logs are left out with a warning.
    """
    if not path.is_dir():
        return TraceLog(path, (_turn(path, progress),))
    try:
        files = sorted(file for file in path.rglob("*") if file.name.endswith(_SUFFIXES) and file.is_file())
    except OSError as error:
        raise SessionError(f"{path} cannot be read ({error.strerror or error}).", path=str(path)) from error
    turns: list[TraceTurn] = []
    refused: list[SessionError] = []
    for file in files:
        try:
            turns.append(_turn(file, progress))
        except SessionError as error:
            refused.append(error)
    if not turns:
        why = str(refused[0]) if refused else f"{path} holds no trace logs (files that end in .jsonl)."
        raise refused[0] if refused else SessionError(why, path=str(path), tried=("trace log",))
    # Turns without a time keep the place that their name gives them.
    turns.sort(key=lambda turn: (str(turn.path.parent), turn.started or 0.0, turn.name))
    if refused:
        left_out = tuple(f"{error} It was left out." for error in refused)
        turns[0] = _warned(turns[0], left_out)
    return TraceLog(path, tuple(turns))


def is_trace_log(path: Path) -> bool:
    """Whether one of the first records of a file is an event. False where nothing can be read: reading it says why."""
    try:
        records = read_records(open_path(path, Reporter(None, path.name)), Reporter(None, path.name))
        return any({"ts", "event", "payload"} <= mapping(record.value).keys() for record in records.peek(_HEAD))
    except (OSError, SessionError):
        return False


def _warned(turn: TraceTurn, sentences: tuple[str, ...]) -> TraceTurn:
    return TraceTurn(
        turn.name, turn.session, turn.path, turn.records, turn.calls, turn.damage, turn.pending, turn.lost,
        (*turn.warnings, *sentences),
    )  # fmt: skip


def _turn(path: Path, progress: Progress | None) -> TraceTurn:
    reporter = Reporter(progress, path.name)
    try:
        opened = open_path(path, reporter)
        decoded = read_records(opened, reporter)
        records = tuple(record for item in decoded for record in _records(opened, decoded, item))
        lost = tuple((span, opened.source.read(span)) for span in _lost(decoded, records))
    except OSError as error:
        reason = error.strerror or str(error)
        raise SessionError(f"{path} could not be read to its end ({reason}).", path=str(path)) from error
    if not any(record.event for record in records):
        found = f"line {records[0].span.line} holds {kind_of(_value(records[0]))}" if records else "no line decodes"
        raise SessionError(
            f'{path} is no trace log: no line is an event with the keys "ts", "event" and "payload"; {found}.',
            path=str(path),
            tried=("trace log",),
        )
    name = path.name.split(".jsonl", 1)[0]
    return TraceTurn(
        name, session_of(path, records), path, records, by_call(records), decoded.damage, decoded.pending, lost,
        (*decoded.warnings, *_sentences(path, decoded)),
    )  # fmt: skip


def _records(opened: Opened, decoded: Records, item: Record) -> list[TraceRecord]:
    if decoded.container == "jsonl":
        return [_record(item.value, opened.source.read(item.span), item.span)]
    # One JSON document: its members have no lines of their own, so each gets the one it would have had.
    values = item.value if isinstance(item.value, list) else [item.value]
    return [
        _record(value, dump(value).encode("utf-8", "backslashreplace"), Span(item.span.line, item.span.offset + n, 0))
        for n, value in enumerate(values)
    ]


def _record(value: object, raw: bytes, span: Span) -> TraceRecord:
    fields = mapping(value)
    if not text(fields.get("event")):
        return TraceRecord("", {"value": value}, None, raw, span)
    return TraceRecord(text(fields.get("event")), mapping(fields.get("payload")), seconds(fields.get("ts")), raw, span)


def _value(record: TraceRecord) -> object:
    return record.payload if record.event else record.payload["value"]


def _lost(decoded: Records, records: tuple[TraceRecord, ...]) -> list[Span]:
    """Spans of which nothing was read; damage inside a line that was read all the same is in its record's bytes."""
    starts = [record.span.offset for record in records]
    spans = [item.span for item in decoded.damage]
    spans += [decoded.pending] if decoded.pending is not None else []
    return [s for s in spans if bisect_left(starts, s.offset) == bisect_left(starts, s.offset + s.length)]


def _sentences(path: Path, decoded: Records) -> tuple[str, ...]:
    found = [
        f"{path.name}, line {item.span.line}, offset {item.span.offset:,}: {item.reason}; kept: {item.kept}."
        for item in decoded.damage
    ]
    if decoded.pending is not None:
        span = decoded.pending
        found.append(f"{path.name}, line {span.line}, offset {span.offset:,}: the last line is cut; it was kept.")
    return tuple(found)
