"""Opens a path and gives random access to its (decompressed) bytes. Knows nothing of JSON."""

from __future__ import annotations

import io
import shutil
import stat
import tempfile
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, BinaryIO, Protocol

from ravenglass.errors import SessionError
from ravenglass.safe.limits import grown_too_large
from ravenglass.safe.private import create
from ravenglass.sessions.model.session import Span
from ravenglass.sessions.model.texts import Spool
from ravenglass.sessions.records.decompress import TooLargeError, compression, decompress
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.unchanged import Blocks, feeding

_STREAM = 1 << 20
"""Bytes that are read at once."""
_IN_MEMORY = 64 << 20
"""Bytes up to which a plain file is held in memory; larger ones are read on demand."""

_MAGIC = (
    (b"SQLite format 3\x00", "a SQLite database without opencode's tables"),
    (b"PK\x03\x04", "a zip archive (Inspect logs are some)"),
    (b"\x89PNG", "a PNG picture"),
    (b"%PDF", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
)


@dataclass(frozen=True, slots=True)
class MemorySource:
    """Bytes held in memory."""

    data: bytes = field(repr=False)

    @property
    def size(self) -> int:
        return len(self.data)

    def read(self, span: Span) -> bytes:
        """The span's bytes."""
        return self.data[span.offset : span.offset + span.length]

    def open(self) -> BinaryIO:
        """A fresh stream over all bytes."""
        return io.BytesIO(self.data)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class FileSource:
    """A plain file that is too large for memory. Opened anew for each read, so that no handle stays open."""

    path: Path
    size: int
    folder: object = field(default=None, repr=False, compare=False)
    """What keeps a temporary copy on disk as long as this source is in use."""
    blocks: Blocks = field(default_factory=Blocks, repr=False, compare=False)
    """What the file held when it was read."""

    def read(self, span: Span) -> bytes:
        """The span's bytes; raises `SessionError` if the file is gone, was shortened or changed there meanwhile."""
        begin, end = self.blocks.around(span.offset, span.length)
        try:
            with self.path.open("rb") as file:
                file.seek(begin)
                around = file.read(end - begin)
        except OSError as error:
            raise SessionError(
                f"{self.path.name} can no longer be read ({error.strerror}); line {span.line} was wanted.",
                path=str(self.path),
                line=span.line,
            ) from error
        data = around[span.offset - begin : span.offset - begin + span.length]
        self.blocks.feed(begin, around)
        if len(data) < span.length:
            raise SessionError(
                f"{self.path.name} was shortened after it was opened; line {span.line} is no longer whole.",
                path=str(self.path),
                line=span.line,
            )
        if not self.blocks.hold(begin, around):
            raise SessionError(
                f"{self.path.name} was changed after it was opened; what stands at line {span.line} now is not what was"
                " read, so it is neither shown nor saved. Open the file again.",
                path=str(self.path),
                line=span.line,
            )
        return data

    def open(self) -> BinaryIO:
        """A fresh stream over all bytes."""
        return feeding(self.path.open("rb", buffering=0), self.blocks, _STREAM)


class ByteSource(Protocol):
    """A `Source` of known size that can be read from its beginning."""

    @property
    def size(self) -> int:
        """Bytes."""
        ...

    def read(self, span: Span) -> bytes:
        """The span's bytes."""
        ...

    def open(self) -> BinaryIO:
        """A fresh stream over all bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Opened:
    """A readable, non-empty file and what there is to say about it."""

    path: Path
    source: ByteSource
    warnings: tuple[str, ...] = ()
    spool: Spool | None = None
    """Where the long texts of a large file are kept; None where they stay in memory."""


def open_path(path: Path, reporter: Reporter) -> Opened:
    """Open a plain, .gz or .zst file, told by its content.

    Raises `SessionError` with a sentence for a missing, unreadable or empty path, a directory, a device.
    """
    try:
        info = path.stat()
        if stat.S_ISDIR(info.st_mode):
            raise _refused(path, "is a directory; a session is one file, so open a file inside it")
        if not stat.S_ISREG(info.st_mode):
            raise _refused(path, "is no regular file (a pipe, a socket or a device); save its content to a file first")
        if info.st_size == 0:
            raise _refused(path, "is empty (0 bytes)")
        with path.open("rb") as file:
            head = file.read(16)
        return _load(path, info.st_size, head, reporter)
    except FileNotFoundError as error:
        raise _refused(path, "does not exist") from error
    except PermissionError as error:
        raise _refused(path, "may not be read (permission denied)") from error
    except OSError as error:
        raise _refused(path, f"cannot be read ({error.strerror or error})") from error


def known_binary(head: bytes) -> str | None:
    """What a file's first bytes say it is, where that is surely no session; else None."""
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def _load(path: Path, size: int, head: bytes, reporter: Reporter) -> Opened:
    name = compression(head)
    if name is not None:
        return _decompressed(path, name, reporter)
    if size > _IN_MEMORY:
        return Opened(path, FileSource(path, size), spool=Spool())
    return Opened(path, MemorySource(path.read_bytes()))


def _decompressed(path: Path, name: str, reporter: Reporter) -> Opened:
    """In memory if it is small; else in a file without a name of its own, which ends with the source."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as out:
        try:
            problem = decompress(path, name, reporter, out)
        except TooLargeError as error:
            raise _refused(path, grown_too_large(name, error.packed, error.most)) from None
        size = out.tell()
        if not size:
            raise _refused(path, f"holds no bytes once decompressed ({name})" + (f". {problem}" if problem else ""))
        warnings = (problem,) if problem else ()
        out.seek(0)
        if size <= _IN_MEMORY:
            return Opened(path, MemorySource(out.read()), warnings)
        return Opened(path, _on_disk(out, size), warnings, Spool())


def _on_disk(data: IO[bytes], size: int) -> FileSource:
    folder = tempfile.TemporaryDirectory(prefix="ravenglass-")
    place = Path(folder.name) / "decompressed"
    with create(place) as file:
        shutil.copyfileobj(data, file, 1 << 20)
    source = FileSource(place, size, folder)
    weakref.finalize(source, folder.cleanup)
    return source


def _refused(path: Path, why: str) -> SessionError:
    return SessionError(f"{path} {why}.", path=str(path), tried=("opening the file",))
