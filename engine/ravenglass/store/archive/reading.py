"""Reads archive files record by record, ours and those of the reference implementation; damage costs one record.

Lines end at 0x0A and nowhere else. What cannot be proved to be as it was written comes out as a `RecordFault`.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from ravenglass.errors import ArchiveError
from ravenglass.sessions.model.session import Message
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.values import count, mapping, sequence, text
from ravenglass.store.archive.layout import FORMAT_VERSION, HEADER_TYPE, Header, seal_holds
from ravenglass.store.archive.reference import label
from ravenglass.store.archive.text import from_chat

_ID = re.compile(rb'\s*\{\s*"id"\s*:\s*(\d{1,18})\s*,')


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as it came back."""

    id: int
    line: int
    message: Message | None
    """None where the archive holds no chat message under the id."""
    raw: bytes = field(repr=False)
    """The verbatim source record; for the reference implementation's archives the message's own JSON text."""
    digest: str
    """SHA-256 of `raw`, hexadecimal."""
    proved: bool
    """Whether the digest was recorded when the message was archived, and is the same now."""


@dataclass(frozen=True, slots=True)
class RecordFault:
    """A record that did not come back, or the header (`id` None, line 1). `file` is below the archive folder."""

    id: int | None
    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        if self.id is None and self.line == 1:
            return f"The header of {self.file} (line 1) {self.reason}; records were read without it."
        what = "A record" if self.id is None else f"Record {self.id}"
        return f"{what} of {self.file} (line {self.line}) {self.reason}; it was left out."


class _ForeignLine(msgspec.Struct):
    """A line of the reference implementation, the message's bytes untouched."""

    id: int
    message: msgspec.Raw


def open_regular(path: Path) -> BinaryIO:
    """Open a plain file for reading; OSError for links, and without waiting for pipes."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, name, 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path.name} is no plain file")
    return os.fdopen(descriptor, "rb")


def read_header(path: Path, name: str) -> Header | None:
    """The header of an archive file; None where it is damaged. ArchiveError if the file cannot be read at all."""
    try:
        with open_regular(path) as stream:
            return parse_header(_stripped(stream.readline()), name)
    except OSError as error:
        raise _unreadable(name, error) from error


def parse_header(line: bytes, name: str) -> Header | None:
    """The header in a line; None where it is none or its seal is broken. ArchiveError if a newer program wrote it."""
    if b'"_type"' not in line:
        return None
    try:
        value = mapping(decode_value(line))
    except ValueError:
        return None
    if value.get("_type") != HEADER_TYPE:
        return None
    version = count(value.get("format_version"))
    if version is not None and version > FORMAT_VERSION:
        raise ArchiveError(
            f"{name} was written by a newer Ravenglass (archive format {version}, this program knows "
            f"{FORMAT_VERSION}); it was left as it is."
        )
    if seal_holds(line) is not (None if version is None else True):
        return None
    return Header(
        session_key=text(value.get("session_key")),
        reason=text(value.get("reason")),
        tags=tuple(tag for tag in sequence(value.get("tags")) if isinstance(tag, str)),
        summary=text(value.get("summary")),
        created_at=text(value.get("created_at")),
        ids=tuple(number for item in sequence(value.get("ids")) if (number := count(item)) is not None),
        digests=tuple(text(item) for item in sequence(value.get("sha256"))),
        tokens=count(value.get("tokens")),
        version=version,
    )


def read_records(path: Path, name: str, first: int, last: int) -> Iterator[StoredRecord | RecordFault]:
    """The records with ids `first` to `last`, in file order, each as it is or as what is wrong with it.

    `name` is the file's path below the archive folder, for sentences. ArchiveError if it cannot be read at all.
    """
    try:
        with open_regular(path) as stream:
            yield from _Reading(name, first, last).records(stream)
    except OSError as error:
        raise _unreadable(name, error) from error


def read_ids(path: Path, name: str) -> tuple[int, ...]:
    """Ids of all records of a file, by how their lines begin; nothing is decoded or checked."""
    try:
        with open_regular(path) as stream:
            return tuple(int(found[1]) for line in stream if (found := _ID.match(line)))
    except OSError as error:
        raise _unreadable(name, error) from error


class _Reading:
    """One pass over one file."""

    def __init__(self, name: str, first: int, last: int) -> None:
        self._name = name
        self._wanted = range(first, last + 1)
        self._header: Header | None = None
        self._expected: dict[int, str] = {}
        self._seen: set[int] = set()

    def records(self, stream: BinaryIO) -> Iterator[StoredRecord | RecordFault]:
        number = 0
        for number, raw in enumerate(stream, start=1):
            line = _stripped(raw)
            if number == 1:
                self._header = parse_header(line, self._name)
                if self._header is not None:
                    self._expected = dict(zip(self._header.ids, self._header.digests, strict=False))
                    continue
                if not _ID.match(line):
                    yield RecordFault(None, self._name, 1, "is damaged")
                    continue
            if line.strip():
                yield from self._record(line, number)
        yield from self._missing(number)

    def _record(self, line: bytes, number: int) -> Iterator[StoredRecord | RecordFault]:
        found = _ID.match(line)
        told = int(found[1]) if found else None
        place = self._at(number)
        if told is not None and told not in self._wanted and place in (told, None):
            self._seen.add(told)
            return
        what = self._decoded(line, number, told)
        if isinstance(what, str):
            # A damaged line is named by its place where the header knows it: the digits of its id may be damaged.
            known = place if place is not None and place not in self._seen else told
            if known is None or known in self._wanted:
                self._seen.update([] if known is None else [known])
                yield RecordFault(known, self._name, number, what)
        elif what.id not in self._seen:
            self._seen.add(what.id)
            if what.id in self._wanted:
                yield what

    def _decoded(self, line: bytes, number: int, told: int | None) -> StoredRecord | str:
        """The record, or what is wrong with its line."""
        ours = seal_holds(line)
        if ours is False:
            return "is altered: its checksum does not match"
        try:
            value = mapping(decode_value(line))
        except ValueError:
            return "is cut or altered: it is no valid JSON"
        if ours is None and (self._expected or "sha256" in value):
            return "is altered: its checksum is missing"
        number_in_line = count(value.get("id"))
        if number_in_line is None or "message" not in value or (told is not None and told != number_in_line):
            return "is altered: it has no id or no message"
        message = from_chat(value["message"], number_in_line)
        raw = _verbatim(value) if ours else _message_bytes(line)
        if raw is None:
            return "is altered: its verbatim bytes are missing"
        digest = hashlib.sha256(raw).hexdigest()
        if ours and digest != value.get("sha256"):
            return "is altered: the SHA-256 of its verbatim bytes does not match"
        if ours and self._expected and self._expected.get(number_in_line) != digest:
            return "is not the record that the header names"
        return StoredRecord(number_in_line, number, message, raw, digest, ours is True)

    def _at(self, line: int) -> int | None:
        """The id that stands on a line according to the header."""
        ids = self._header.ids if self._header is not None else ()
        return ids[line - 2] if 0 <= line - 2 < len(ids) else None

    def _missing(self, lines: int) -> Iterator[RecordFault]:
        """What the header, or the name of the file, promises and the file does not hold."""
        promised = [(number, line) for line, number in enumerate(self._expected, start=2)]
        ends = label(self._name)
        if not promised and ends is not None:
            promised = [(number, lines + 1) for number in dict.fromkeys(ends)]
        for number, line in promised:
            if number in self._wanted and number not in self._seen:
                yield RecordFault(number, self._name, line, "is missing")


def _verbatim(value: dict[str, Any]) -> bytes | None:
    raw, encoded = value.get("raw"), value.get("raw_base64")
    if isinstance(raw, str):
        return raw.encode()
    if not isinstance(encoded, str):
        return None
    try:
        return base64.b64decode(encoded, validate=True)
    except ValueError:
        return None


def _message_bytes(line: bytes) -> bytes:
    """The text of `message` as it stands in a line that decodes; the whole line where the strict decoder refuses."""
    try:
        return bytes(msgspec.json.decode(line, type=_ForeignLine).message)
    except (msgspec.DecodeError, RecursionError):
        return line


def _stripped(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _unreadable(name: str, error: OSError) -> ArchiveError:
    return ArchiveError(f"The archive file {name} cannot be read: {error.strerror or error}.")
