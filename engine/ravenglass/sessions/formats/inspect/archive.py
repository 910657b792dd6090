"""Lists and reads Inspect AI logs written as `.eval`: zip archives, one JSON file a sample (formats.md, section 11)."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard

from ravenglass.errors import SessionError
from ravenglass.safe.limits import RECORD, grown_too_large, most_record, most_unpacked
from ravenglass.sessions.formats.inspect.log import MAPPED, InspectLog
from ravenglass.sessions.formats.inspect.sample import EvalLog, identity, key_of_sample, log_of
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.importing.importer import read
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import read_records
from ravenglass.sessions.records.source import MemorySource, Opened
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import mapping, sequence, text, text_or_none

_SAMPLE = re.compile(r"samples/(?P<key>.+_epoch_-?\d+)\.json")
_HEADERS = ("header.json", "_journal/start.json")
_ZSTANDARD = 93
_LOCAL = struct.Struct("<4s22xHH")
"""Header before a member: magic, then the lengths of its name and of its extra field, which end it."""
_TITLE = 80
_QUOTED = 200
"""Characters of a decompressor's own words, which may quote damaged bytes."""
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    zstandard.ZstdError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)
"""What the decompressors raise for damaged, encrypted or unknown members."""


class InspectArchive:
    """Inspect AI logs, `.eval`."""

    name = "inspect"
    label = "an Inspect AI log (.eval)"
    description = MAPPED

    def recognises(self, path: Path) -> bool:
        """A zip archive with a header of a log."""
        try:
            if not path.is_file():
                return False  # opening a pipe would wait for its writer
            with path.open("rb") as file:
                if file.read(4) != b"PK\x03\x04":
                    return False
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
        except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
            return False
        return any(header in names for header in _HEADERS)

    def entries(self, path: Path) -> Iterator[HolderEntry]:
        """Its samples in the order of the archive; titles and times come from its summaries."""
        with _opened(path) as archive:
            log = _log(archive, path)
            summaries = {key_of_sample(item): item for item in _summaries(archive, path)}
            for member in archive.infolist():
                match = _SAMPLE.fullmatch(member.filename)
                if match is not None:
                    yield _entry(path, match["key"], member.file_size, summaries.get(match["key"], {}), log)

    def open(self, path: Path, key: str, reporter: Reporter) -> Session:
        """The sample of that key."""
        with _opened(path) as archive:
            keys = [match["key"] for name in archive.namelist() if (match := _SAMPLE.fullmatch(name))]
            if not key and len(keys) == 1:
                key = keys[0]
            if key not in keys:
                known = ", ".join(keys[:5]) or "none"
                raise _refused(path, f"holds no sample {key}; its samples are: {known}")
            data = _content(archive, f"samples/{key}.json", path)
            log = _log(archive, path)
        if not data.strip():
            raise _refused(path, f"holds the sample {key}, but it is empty")
        records = read_records(Opened(path, MemorySource(data)), reporter)
        return read(InspectLog(log), records)


def _entry(path: Path, key: str, size: int, summary: dict[str, Any], log: EvalLog) -> HolderEntry:
    asked = summary.get("input")
    if isinstance(asked, list):
        asked = next((mapping(item).get("content") for item in asked if mapping(item).get("role") == "user"), "")
    return HolderEntry(
        format=InspectArchive.name,
        path=path,
        key=key,
        id=identity(summary, log) if summary else f"{log.id}/{key}" if log.id else key,
        title=" ".join(text(asked).split())[:_TITLE],
        project=log.task,
        started=seconds(summary.get("started_at")),
        updated=seconds(summary.get("completed_at")),
        size=size,
        model=text_or_none(mapping(summary.get("output")).get("model")) or log.model,
    )


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise _refused(path, f"is a damaged zip archive ({str(error)[:_QUOTED]})") from error


def _log(archive: zipfile.ZipFile, path: Path) -> EvalLog:
    return log_of(mapping(next(_values(archive, path, *_HEADERS), None)))


def _summaries(archive: zipfile.ZipFile, path: Path) -> Iterator[dict[str, Any]]:
    """The samples' summaries; a log that is still written has them in pieces."""
    pieces = [name for name in archive.namelist() if name.startswith("_journal/summaries/")]
    for value in _values(archive, path, "summaries.json", *pieces):
        for item in sequence(value):
            if isinstance(item, dict):
                yield item


def _values(archive: zipfile.ZipFile, path: Path, *names: str) -> Iterator[object]:
    """What the members of these names hold, where they are there and whole: they only describe the samples."""
    for name in names:
        if name in archive.namelist():
            try:
                yield decode_value(_content(archive, name, path))
            except (SessionError, ValueError):
                continue


def _content(archive: zipfile.ZipFile, name: str, path: Path) -> bytes:
    """A member's bytes, also where it is compressed with zstandard, which `zipfile` does not know."""
    member = archive.getinfo(name)
    if member.file_size > (most := most_unpacked(member.compress_size)):
        raise _refused(path, grown_too_large(f"the compression of {name}", member.compress_size, most))
    if member.file_size > (most := most_record()):
        raise _refused(path, f"holds {name} with {member.file_size:,} bytes, over the limit of {most:,} ({RECORD})")
    try:
        if member.compress_type != _ZSTANDARD:
            return archive.read(member)
        with path.open("rb") as file:
            file.seek(member.header_offset)
            magic, name_size, extra_size = _LOCAL.unpack(file.read(_LOCAL.size))
            if magic != b"PK\x03\x04":
                raise _refused(path, f"is damaged: the header of {name} is not where it should be")
            file.seek(name_size + extra_size, 1)
            packed = file.read(member.compress_size)
        with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
            data = stream.read(member.file_size)
    except _BROKEN as error:
        raise _refused(path, f"is damaged: {name} could not be decompressed ({str(error)[:_QUOTED]})") from error
    if len(data) < member.file_size:
        raise _refused(path, f"is damaged: {name} ends after {len(data):,} of {member.file_size:,} bytes")
    return data


def _refused(path: Path, why: str) -> SessionError:
    return SessionError(f"{path} {why}.", path=str(path), tried=(InspectArchive.name,))
