"""From an opened file to decoded records with their places, one idea for lines and for whole documents.

Bytes are split on 0x0A only. Nothing here knows a session format; nothing here raises for damaged content.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ravenglass.safe.limits import RECORD, LongLine, lines, most_record
from ravenglass.sessions.model.session import Damage, Span
from ravenglass.sessions.records.broken_lines import BrokenLine, RawLine
from ravenglass.sessions.records.decode import Record, SourceLine, decode_line, decoded, escape_damage
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.salvage import salvage
from ravenglass.sessions.records.scan import members
from ravenglass.sessions.records.source import Opened

__all__ = ["Container", "LineReader", "Record", "Records", "read_records", "unfinished_records"]

Container = Literal["jsonl", "json"]
"""One record a line, or one JSON document over all lines."""

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n\x00"
_OBJECTS = re.compile(rb"\[\s*\{")
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


def unfinished_records(opened: Opened) -> tuple[Records, LineReader]:
    """Records of lines that are taken by hand, for a file that still grows."""
    log = _Log()
    return Records(opened, "jsonl", iter(()), log), LineReader(log)


def read_records(opened: Opened, reporter: Reporter) -> Records:
    """Read lazily, line by line; a file whose first line does not decode may be one JSON document."""
    log = _Log()
    first = _first_lines(opened)
    if first and not _decodes(first[0]):
        document = _document(opened, first, log)
        if document is not None:
            reporter.report(opened.source.size, opened.source.size, force=True)
            return Records(opened, "json", document, log)
    return Records(opened, "jsonl", _lines(opened, reporter, log), log)


def _first_lines(opened: Opened) -> list[bytes]:
    """The first two lines that are not blank."""
    found: list[bytes] = []
    with opened.source.open() as stream:
        for raw in lines(stream, most_record()):
            if isinstance(raw, LongLine):
                break
            line = raw.removeprefix(_BOM).strip(_BLANK)
            if line:
                found.append(line)
            if len(found) == 2:
                break
    return found


def _decodes(line: bytes) -> bool:
    """Whether the line holds records and nothing else."""
    decoded = decode_line(line, 1, 0)
    return bool(decoded.records) and not decoded.damage


def _lines(opened: Opened, reporter: Reporter, log: _Log) -> Iterator[Record]:
    total = opened.source.size
    reader = LineReader(log)
    most = most_record()
    with opened.source.open() as stream:
        for raw in lines(stream, most):
            if reader.number >= _HEAD_LINES and not reader.seen:
                return
            if isinstance(raw, LongLine):
                yield from reader.pass_over(raw, most)
            else:
                yield from reader.take(raw)
            reporter.report(reader.offset, total)
    yield from reader.finish()
    reporter.report(total, total, force=True)


class LineReader:
    """Records of a file's lines, one line after the other, also of a file that still grows."""

    def __init__(self, log: _Log) -> None:
        self._log = log
        self._shapes: set[frozenset[str]] = set()
        self.number = 0
        """Lines taken."""
        self.offset = 0
        """Bytes taken."""
        self.seen = False
        """Whether any line held a record."""
        self.unsettled = False
        """Whether the last lines were given up as damage although lines after them could make them whole."""
        self._ended = True
        self._broken: BrokenLine | None = None

    def take(self, raw: bytes) -> tuple[Record, ...]:
        """The records of the next line, which comes with its line feed; only the last line of a file may have none.

        What follows a line without one stands on the same line. A line that ends inside a string waits for the next.
        """
        line = self._next(raw)
        self.number, self.offset, self._ended = line.number, self.offset + len(raw), line.ended
        self._log.pending = None
        broken = self._broken
        if broken is None:
            return self._begin(line)
        goes_on = broken.continues(line)
        if goes_on and line.ended:
            return ()
        whole = broken.whole() if goes_on is False else None
        self._broken = None
        if whole is not None:
            return self._told(whole, broken.lines[0].number)
        given_up = self._given_up(broken, without=line)
        return (*given_up, *self._begin(line))

    def finish(self) -> tuple[Record, ...]:
        """The records of lines that waited for more, now that there is none."""
        broken, self._broken = self._broken, None
        self.unsettled = broken is not None
        return () if broken is None else self._given_up(broken)

    def is_whole(self, raw: bytes) -> bool:
        """Whether a line without a line feed is a whole record all the same: most writers' last line."""
        if self._broken is not None:
            return self._broken.with_last(self._next(raw)) is not None
        line = decode_line(raw, 1, 0)
        return bool(line.records) and not line.damage and all(isinstance(record.value, dict) for record in line.records)

    def pass_over(self, line: LongLine, most: int) -> tuple[Record, ...]:
        """The next line is longer than a record may be; nothing of it is read. The records of lines that waited."""
        waited = self.finish()
        self.number += self._ended
        reason = f"it is longer than a record may be ({most:,} bytes; {RECORD} sets another limit)"
        self._log.damage.append(Damage(Span(self.number, self.offset, line.length - line.ended), reason, "nothing"))
        self._log.pending = None
        self.offset += line.length
        self._ended = line.ended
        return waited

    def wait(self, length: int) -> None:
        """The next line is not whole yet; so many bytes of it are there."""
        self._log.pending = Span(self.number + self._ended, self.offset, length)

    def _next(self, raw: bytes) -> RawLine:
        ended, start, number = raw.endswith(b"\n"), self.offset, self.number + self._ended
        data = raw[:-1] if ended else raw
        if number == 1 and data.startswith(_BOM):
            data, start = data[len(_BOM) :], start + len(_BOM)
        return RawLine(data, number, start, ended)

    def _begin(self, line: RawLine) -> tuple[Record, ...]:
        """A line that no line before it waits for."""
        data = line.data.removesuffix(b"\r")
        if not data or data.isspace():
            return ()
        alone = decode_line(data, line.number, line.offset, self._shapes)
        self._broken = BrokenLine.begun(line, alone)
        return self._told(alone, line.number, last=not line.ended) if self._broken is None else ()

    def _given_up(self, broken: BrokenLine, *, without: RawLine | None = None) -> tuple[Record, ...]:
        """What the lines hold one by one; `without` is taken as a beginning of its own."""
        found = list(self._told(broken.alone, broken.lines[0].number))
        for line in broken.lines[1:]:
            data = line.data.removesuffix(b"\r")
            if line is not without and data and not data.isspace():
                alone = decode_line(data, line.number, line.offset, self._shapes)
                found += self._told(alone, line.number, last=not line.ended)
        return tuple(found)

    def _told(self, line: SourceLine, number: int, *, last: bool = False) -> tuple[Record, ...]:
        """The records of a line; what is wrong with it is noted."""
        damage, log, shapes = line.damage, self._log, self._shapes
        if last and line.rest is not None:
            log.pending = line.rest
            damage = tuple(item for item in damage if item.span != line.rest)
        log.damage.extend(damage)
        if len(line.records) > 1:
            log.warnings.append(f"Line {number} holds {len(line.records)} records without a line break; all were read.")
        if not line.damage and len(shapes) < _SHAPES:
            shapes.update(frozenset(record.value) for record in line.records if isinstance(record.value, dict))
        self.seen = self.seen or bool(line.records)
        return line.records


def _document(opened: Opened, first: list[bytes], log: _Log) -> Iterator[Record] | None:
    """The file as one JSON document, or None if it rather looks like lines.

    A document that does not decode counts as one if it begins as lines of JSON never do.
    """
    if opened.source.size > most_record():
        return None
    data = opened.source.read(Span(1, 0, opened.source.size))
    body = data.removeprefix(_BOM).strip(_BLANK)
    if body[:1] not in (b"[", b"{"):
        return None
    begin = data.index(body[:1])
    span = Span(data.count(b"\n", 0, begin) + 1, begin, len(body))
    try:
        value, escapes = decoded(body.replace(b"\x00", b" "))
    except ValueError as error:
        if not _looks_like_document(body, first):
            return None
        log.damage.append(Damage(_place(span, error), "the document is cut or no valid JSON", "every whole object"))
        return salvage(body, span)
    if (nuls := body.count(b"\x00")) > 0:
        log.damage.append(Damage(span, f"{nuls:,} NUL bytes", "everything but the NUL bytes"))
    if escapes:
        log.damage.append(escape_damage(span, escapes))
    return iter((Record(value, span),))


def _looks_like_document(body: bytes, first: list[bytes]) -> bool:
    """Whether a text that does not decode is a document: an array, a lone brace first, or lists of objects."""
    if len(first) > 1:
        return (first[0][:1] == b"[" or first[0] == b"{") and not _decodes(first[1])
    # One cut line of JSON lines looks the same; only a list of objects right inside tells the two apart.
    return body[:1] == b"[" or any(_OBJECTS.match(body, item.start) for item in members(body))


def _place(span: Span, error: ValueError) -> Span:
    """From the first syntax error up to the end of the document."""
    if not isinstance(error, json.JSONDecodeError):
        return span
    done = len(error.doc[: error.pos].encode("utf-8", "surrogateescape"))
    return Span(span.line + error.lineno - 1, span.offset + done, span.length - done)
