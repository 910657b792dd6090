"""From an opened file to decoded records with their places, one idea for lines and for whole documents.

Bytes are split on 0x0A only. Nothing here knows a session format; nothing here raises for damaged content.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ravenglass.sessions.decode import Line, Record, decode_line, decode_value
from ravenglass.sessions.model import Damage, Span
from ravenglass.sessions.progress import Reporter
from ravenglass.sessions.scan import Member, members
from ravenglass.sessions.source import Opened

__all__ = ["Container", "Record", "Records", "read_records"]

Container = Literal["jsonl", "json"]
"""One record a line, or one JSON document over all lines."""

_BOM = b"\xef\xbb\xbf"
_HEAD_LINES = 10_000
"""Lines without any record after which a file is no session."""
_SHAPES = 256
"""Different key sets remembered; real writers use a few dozen."""


@dataclass(slots=True)
class _Log:
    damage: list[Damage] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    pending: Span | None = None


class Records:
    """Iterates once over a file's records; `damage`, `pending` and `warnings` are complete after that."""

    def __init__(self, opened: Opened, container: Container, records: Iterator[Record], log: _Log) -> None:
        self.opened = opened
        self.container: Container = container
        self._records = records
        self._log = log
        self._head: deque[Record] = deque()
        log.warnings.extend(opened.warnings)

    def __iter__(self) -> Iterator[Record]:
        while self._head:
            yield self._head.popleft()
        yield from self._records

    def peek(self, limit: int) -> tuple[Record, ...]:
        """The first records, at most `limit`; iteration still yields them."""
        while len(self._head) < limit:
            record = next(self._records, None)
            if record is None:
                break
            self._head.append(record)
        return tuple(self._head)[:limit]

    def lose(self, damage: Damage) -> None:
        """Note damage that only the importer could see, inside a record."""
        self._log.damage.append(damage)

    def warn(self, sentence: str) -> None:
        """Note something the user should know."""
        self._log.warnings.append(sentence)

    @property
    def damage(self) -> tuple[Damage, ...]:
        return tuple(self._log.damage)

    @property
    def pending(self) -> Span | None:
        """A cut last line: the writer may still finish it."""
        return self._log.pending

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(self._log.warnings)


def read_records(opened: Opened, reporter: Reporter) -> Records:
    """Read lazily, line by line; a file whose first line does not decode may be one JSON document."""
    log = _Log()
    if not _first_line_decodes(opened):
        document = _document(opened, log)
        if document is not None:
            reporter.report(opened.source.size, opened.source.size, force=True)
            return Records(opened, "json", iter((document,)), log)
    return Records(opened, "jsonl", _lines(opened, reporter, log), log)


def _first_line_decodes(opened: Opened) -> bool:
    with opened.source.open() as stream:
        for raw in stream:
            line = raw.removeprefix(_BOM).strip()
            if line:
                return bool(decode_line(line, 1, 0).records)
    return False


def _lines(opened: Opened, reporter: Reporter, log: _Log) -> Iterator[Record]:
    total = opened.source.size
    shapes: set[frozenset[str]] = set()
    offset, seen = 0, False
    with opened.source.open() as stream:
        for number, raw in enumerate(stream, start=1):
            if number > _HEAD_LINES and not seen:
                return
            data = raw[:-1] if raw.endswith(b"\n") else raw
            start = offset
            offset += len(raw)
            if number == 1 and data.startswith(_BOM):
                data, start = data[len(_BOM) :], start + len(_BOM)
            data = data.removesuffix(b"\r")
            if data and not data.isspace():
                line = _line(data, number, start, shapes, log, last=not raw.endswith(b"\n"))
                seen = seen or bool(line.records)
                yield from line.records
            reporter.report(offset, total)
    reporter.report(total, total, force=True)


def _line(
    data: bytes, number: int, start: int, shapes: set[frozenset[str]], log: _Log, *, last: bool
) -> Line:
    line = decode_line(data, number, start, shapes)
    damage = line.damage
    if last and line.rest is not None:
        log.pending = line.rest
        damage = tuple(item for item in damage if item.span != line.rest)
    log.damage.extend(damage)
    if len(line.records) > 1:
        log.warnings.append(
            f"Line {number} holds {len(line.records)} records without a line break; all were read."
        )
    if not line.damage and len(shapes) < _SHAPES:
        shapes.update(frozenset(record.value) for record in line.records if isinstance(record.value, dict))
    return line


def _document(opened: Opened, log: _Log) -> Record | None:
    """The file as one JSON document, or None if it rather looks like lines.

    A cut document counts as one if it begins as lines of JSON never do: with an array, with a lone brace, or
    with a first line that is also the last.
    """
    data = opened.source.read(Span(1, 0, opened.source.size))
    begin = len(_BOM) if data.startswith(_BOM) else 0
    body = data[begin:].strip(b" \t\r\n\x00")
    if body[:1] not in (b"[", b"{"):
        return None
    begin = data.index(body[:1], begin)
    span = Span(data.count(b"\n", 0, begin) + 1, begin, len(body))
    try:
        return Record(decode_value(body), span)
    except ValueError as error:
        value = _remains(body)
        first = body.split(b"\n", 1)[0].strip()
        if first == body and isinstance(value, dict):
            # One cut line of JSON lines looks the same; only a list of objects inside tells the two apart.
            first = (
                b"{"
                if any(isinstance(v, list) and v and isinstance(v[0], dict) for v in value.values())
                else first
            )
        if first[:1] != b"[" and first != b"{":
            return None
        log.damage.append(
            Damage(_place(span, error), "the document is cut or no valid JSON", "every whole member")
        )
        return Record(value, span, whole=False)


def _place(span: Span, error: ValueError) -> Span:
    """From the first syntax error up to the end of the document."""
    if not isinstance(error, json.JSONDecodeError):
        return span
    done = len(error.doc[: error.pos].encode("utf-8", "surrogateescape"))
    return Span(span.line + error.lineno - 1, span.offset + done, span.length - done)


def _remains(body: bytes) -> object:
    """What still decodes of a damaged document: its whole members, and those of a cut last one."""
    parts = members(body)
    if body[:1] == b"[":
        return [value for part in parts for value in _value(body, part)]
    return {part.key: value for part in parts for value in _value(body, part)}


def _value(body: bytes, part: Member) -> Iterator[object]:
    data = body[part.start : part.stop]
    try:
        yield decode_value(data)
    except ValueError:
        if data[:1] == b"[":
            yield [value for inner in members(data) for value in _value(data, inner)]
        elif part.key is not None and data[:1] == b"{":
            yield {inner.key: value for inner in members(data) for value in _value(data, inner)}
