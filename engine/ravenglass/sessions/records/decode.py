"""One line of bytes to the records it holds, however damaged (formats.md, section 0, rule 2).

A whole line of JSON is one record. Else NUL runs are taken out, glued records (`}{`) are separated, and after
a truncated beginning the next whole record is searched for; what is left over is `Damage`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import msgspec

from ravenglass.sessions.model.session import Damage, Span
from ravenglass.sessions.records.escapes import BACKSLASH, restored, without_invalid
from ravenglass.sessions.records.values import clean

_SPACE = re.compile("[ \\t\\r\\n\ufeff]*")
_NULS = re.compile(rb"\x00+")
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_SURROGATES = re.compile("\\\\u[dD][89a-fA-F]|[\udc80-\udcff]")
_FIRST_KEY = re.compile(r'\{"([^"\\]{1,80})"\s*:')
_SLACK = 8
"""Characters before a syntax error where the record after a truncated one may begin: a cut inside a string
is only noticed after the next record's first quote, a cut inside `\\uXXXX` a little later."""

_FAST: msgspec.json.Decoder[object] = msgspec.json.Decoder(object)


def _whole_number(digits: str) -> int | str:
    """The number; one with more digits than Python makes an integer of stays as it is written."""
    try:
        return int(digits)
    except ValueError:
        return digits


TOLERANT = json.JSONDecoder(strict=False, parse_int=_whole_number)


_INVALID = "Invalid \\"
"""How the decoder's message on an escape begins that is none."""

Shapes = AbstractSet[frozenset[str]]
"""Key sets of the records read so far."""


@dataclass(frozen=True, slots=True)
class Record:
    """A decoded JSON value and where it stood."""

    value: object
    span: Span


@dataclass(frozen=True, slots=True)
class SourceLine:
    """What one line held."""

    records: tuple[Record, ...]
    damage: tuple[Damage, ...] = ()
    rest: Span | None = None
    """Undecodable end of the line, also in `damage`: in a file's last line a record still being written."""


def decode_value(data: bytes) -> object:
    """The JSON value of these bytes, lone surrogates and undecodable bytes replaced by U+FFFD.

    Accepts NaN, infinities, control characters in strings and escapes that are none. Raises ValueError.
    """
    return decoded(data)[0]


def decoded(data: bytes) -> tuple[object, int]:
    """Like `decode_value`, and how many backslashes stand where they begin no escape."""
    try:
        return _FAST.decode(data), 0
    except (msgspec.DecodeError, RecursionError):
        pass  # the tolerant decoder decides
    words = data.decode("utf-8", "surrogateescape")
    try:
        return clean(TOLERANT.decode(words)), 0
    except json.JSONDecodeError as error:
        mended, count = without_invalid(words) if error.msg.startswith(_INVALID) else (words, 0)
        if not count:
            raise
        return clean(restored(_decoded_as(mended, words))), count
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _decoded_as(mended: str, words: str) -> object:
    """The value of a mended text; an error tells its place in the text as it stood."""
    try:
        return TOLERANT.decode(mended)
    except json.JSONDecodeError as error:
        raise json.JSONDecodeError(error.msg, words, error.pos) from error


def decode_line(data: bytes, line: int, offset: int, shapes: Shapes = frozenset()) -> SourceLine:
    """The records of one line, without its line ending.

    `line` and `offset` say where the line stands in the file. `shapes` are the key sets of records read so
    far: an object inside a truncated record is taken for a record only if it looks like one of those.
    """
    try:
        return SourceLine((Record(_FAST.decode(data), Span(line, offset, len(data))),))
    except (msgspec.DecodeError, RecursionError):
        return _Torn(data, line, offset, shapes).decode()


def escape_damage(span: Span, count: int) -> Damage:
    """So many backslashes inside strings begin no escape."""
    what = "1 invalid escape" if count == 1 else f"{count:,} invalid escapes"
    return Damage(span, what, "everything, the backslashes as they stand")


class _Torn:
    """A line that the strict decoder refused."""

    def __init__(self, data: bytes, line: int, offset: int, shapes: Shapes) -> None:
        self.line, self.offset, self.shapes = line, offset, shapes
        self.whole = Span(line, offset, len(data))
        body, self.removed = _without_nuls(data)
        self.nuls = len(data) - len(body)
        self.text = body.decode("utf-8", "surrogateescape")
        self.ascii = self.text.isascii()
        self.dirty = _SURROGATES.search(self.text) is not None
        self.escaped: str | None = None
        """The text with escapes that are none made readable, where it was asked for."""
        self.mark = (0, 0)
        self.budget = 4 * len(self.text) + (1 << 16)
        self.records: list[Record] = []
        self.damage: list[Damage] = []
        self.rest: Span | None = None

    def decode(self) -> SourceLine:
        position, end = self._skip(0), len(self.text)
        while position < end:
            found = self._record_at(position)
            if isinstance(found, _Failure):
                start = self._next_record(position, found)
                span = self._span(position, end if start is None else start)
                self.damage.append(Damage(span, found.reason, ""))
                if start is None:
                    self.rest = span
                    break
                position = start
                continue
            value, stop = found
            self.records.append(Record(value, self._span(position, stop)))
            position = self._skip(stop)
        return SourceLine(tuple(self.records), self._damage(), self.rest)

    def _damage(self) -> tuple[Damage, ...]:
        """What was lost; damage around records that are whole concerns the line."""
        number = len(self.records)
        if self.damage:
            kept = "nothing" if not number else "one whole record" if number == 1 else f"{number} whole records"
            return tuple(Damage(item.span, item.reason, kept) for item in self.damage)
        if self.nuls:
            kept = "everything but the NUL bytes" if number else "nothing, there was nothing else"
            return (Damage(self.whole, f"{self.nuls:,} NUL bytes", kept),)
        if self.escaped is not None and (count := self.escaped.count(BACKSLASH)):
            return (escape_damage(self.whole, count),)
        if _ESCAPED_BYTE.search(self.text):
            return (Damage(self.whole, "bytes that are no UTF-8", "everything but those bytes"),)
        return ()

    def _record_at(self, position: int) -> tuple[object, int] | _Failure:
        try:
            value, end = TOLERANT.raw_decode(self.text, position)
            value = clean(value) if self.dirty else value
        except json.JSONDecodeError as error:
            mended = self._mended(position) if error.msg.startswith(_INVALID) else None
            if mended is None:
                return _Failure(error.pos, "it is cut" if error.pos >= len(self.text) else "it is no valid JSON")
            value, end = mended
        except RecursionError:
            return _Failure(position, "it is nested too deeply")
        except ValueError as error:
            return _Failure(position, str(error))
        if not isinstance(value, (dict, list)) and (position > self._skip(0) or self._skip(end) < len(self.text)):
            return _Failure(position, "it is no valid JSON")
        return value, end

    def _mended(self, position: int) -> tuple[object, int] | None:
        """A record whose only fault are escapes that are none; they are counted once it is taken."""
        if self.escaped is None:
            self.escaped = without_invalid(self.text)[0]
        try:
            value, end = TOLERANT.raw_decode(self.escaped, position)
            return clean(restored(value)), end
        except (ValueError, RecursionError):
            return None

    def _next_record(self, position: int, failure: _Failure) -> int | None:
        """Where the next whole record begins, or None. Total work is linear in the line's length."""
        # Before the error, objects belong to the failed record, unless that was cut right before a value.
        known = {key for shape in self.shapes for key in shape}
        spare, self.budget = self.budget, self.budget // 4
        for start in self._candidates(position + 1, failure.position):
            key = _FIRST_KEY.match(self.text, start)
            if key and key.group(1) in known and self._is_record(start, failure, known_shape=True):
                return start
        self.budget += spare * 3 // 4
        fresh = self._candidates(max(position + 1, failure.position - _SLACK), len(self.text))
        return next((start for start in fresh if self._is_record(start, failure)), None)

    def _is_record(self, start: int, failure: _Failure, *, known_shape: bool = False) -> bool:
        found = self._record_at(start)
        if isinstance(found, _Failure):
            # The decoder counts lines up to the error, which costs a little for every byte before it.
            self.budget -= found.position - start + found.position // 32 + 64
            return False
        value, stop = found
        self.budget -= stop - start + 64
        after = self._skip(stop)
        # An object that belongs to a truncated record is followed by a comma or a closing bracket.
        if not isinstance(value, dict) or (after < len(self.text) and self.text[after] != "{"):
            return False
        return frozenset(value) in self.shapes if known_shape else stop > failure.position

    def _candidates(self, start: int, stop: int) -> Iterator[int]:
        start = self.text.find('{"', start, stop)
        while start >= 0 and self.budget > 0:
            yield start
            start = self.text.find('{"', start + 1, stop)

    def _skip(self, position: int) -> int:
        match = _SPACE.match(self.text, position)
        return match.end() if match else position

    def _span(self, start: int, stop: int) -> Span:
        first = self._in_line(self._byte(start))
        # The last byte's place plus one, so that NULs after the record stay outside.
        last = self._in_line(self._byte(stop) - 1) + 1 if stop > start else first
        return Span(self.line, self.offset + first, last - first)

    def _byte(self, position: int) -> int:
        """Byte position of a character; asked with rising positions, so all calls together are linear."""
        if self.ascii:
            return position
        chars, size = self.mark if self.mark[0] <= position else (0, 0)
        size += len(self.text[chars:position].encode("utf-8", "surrogateescape"))
        self.mark = (position, size)
        return size

    def _in_line(self, position: int) -> int:
        """Position in the line as it stands in the file, NUL bytes included."""
        index = bisect_right(self.removed, (position, self.nuls))
        return position + (self.removed[index - 1][1] if index else 0)


@dataclass(frozen=True, slots=True)
class _Failure:
    position: int
    reason: str


def _without_nuls(data: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """The bytes without NULs, and for each run (position in the result, NULs removed up to there)."""
    if b"\x00" not in data:
        return data, []
    removed: list[tuple[int, int]] = []
    total = 0
    for run in _NULS.finditer(data):
        removed.append((run.start() - total, total + run.end() - run.start()))
        total += run.end() - run.start()
    return data.replace(b"\x00", b""), removed
