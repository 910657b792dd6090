"""Saves a run into a folder that may hold other people's files: none of them is ever replaced or removed.

Everything is written aside first, `.ravenglass-saving-*`, and then moved to its place; until then an earlier saved run
stays whole. The mark (run_mark.py) is incomplete from the first move to the last.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from ravenglass.errors import RavenglassError, StoreError
from ravenglass.safe.private import create, folder, folders
from ravenglass.store.durable import put
from ravenglass.store.run_mark import MARK_FILE, RunMark, digest_of, read_mark, write_mark
from ravenglass.store.workspace import Workspace

_ASIDE: Final = ".ravenglass-saving-"


def refuse_saved(place: Path, *, force: bool) -> RunMark | None:
    """The mark of what was saved in a folder before. Raises RavenglassError where it may not be replaced."""
    if os.path.lexists(place) and not place.is_dir():
        raise RavenglassError(f"{place} is no folder, so no run can be saved there; it was left as it is.")
    earlier = read_mark(place)
    if earlier is None or force:
        return earlier
    what = "a saved run" if earlier.complete else "a run that was not saved to its end"
    raise RavenglassError(f"{place} holds {what} already and was left as it is; --force replaces it.")


def files_aside(place: Path) -> list[Path]:
    """Folders with files of a run whose saving was killed before they were moved to their place."""
    return [aside / "files" for aside in sorted(place.glob(f"{_ASIDE}*")) if (aside / "files").is_dir()]


class RunFolder:
    """A context: `write` as often as needed; leaving it without an error moves everything to its place.

    Raises RavenglassError where a file in the way is not Ravenglass's own, StoreError where another process saves
    there or nothing can be written, OSError; then what was there is as it was, unless the last moves had begun.
    """

    def __init__(self, place: Path, session: str, profile: str, *, force: bool = False) -> None:
        self.place = place
        self._mark = RunMark(session, profile)
        self._earlier = refuse_saved(place, force=force)
        self._force = force
        self._digests: dict[str, str] = {}
        self._moving = False

    def __enter__(self) -> Self:
        folders(self.place)
        self.workspace = Workspace.open(self.place)
        try:
            if not self.workspace.writable:
                raise StoreError(f"The run was not saved. {self.workspace.read_only}")
            self._earlier = refuse_saved(self.place, force=self._force)  # looked at again, under the lock
            self._tidy()
            if self._earlier is None:
                write_mark(self.place, self._mark, fresh=True)
            self._aside = self.place / f"{_ASIDE}{secrets.token_hex(4)}"
            folder(self._aside)
            create(self._aside / MARK_FILE).close()
        except BaseException:
            self.workspace.close()
            raise
        return self

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a file of the run, `name` with `/` between its parts. Raises OSError."""
        path = self._aside / "files" / name
        folders(path.parent)
        digest = hashlib.sha256()
        with create(path) as file:
            for chunk in chunks:
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        self._digests[name] = digest.hexdigest()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._check()
                self._move()
        finally:
            with suppress(OSError):
                shutil.rmtree(self._aside)
            if self._earlier is None and not self._moving:
                with suppress(OSError):  # nothing was saved, so nothing says that something was
                    (self.place / MARK_FILE).unlink()
            self.workspace.close()

    def _check(self) -> None:
        """Raise RavenglassError where something is in the way that Ravenglass did not write."""
        earlier = self._earlier or self._mark
        for name in {*self._digests, *earlier.files}:
            path = self.place / name
            link = next((above for above in path.parents if above != self.place and above.is_symlink()), None)
            if link is not None and link.is_relative_to(self.place):
                raise RavenglassError(f"The run was not saved: {link} is a link that leads elsewhere.")
            if os.path.lexists(path) and not earlier.owns(self.place, name):
                raise RavenglassError(
                    f"The run was not saved: {path} is there already and not as Ravenglass wrote it, so it and all of"
                    f" {self.place} were left as they are. Save into another folder, or move that file away."
                )

    def _move(self) -> None:
        earlier = self._earlier.files if self._earlier is not None else {}
        both = {
            name: tuple(dict.fromkeys((*earlier.get(name, ()), *self._new(name))))
            for name in {*earlier, *self._digests}
        }
        write_mark(self.place, RunMark(self._mark.session, self._mark.profile, False, both))
        self._moving = True
        for name in self._digests:
            folders((self.place / name).parent)
            put(self._aside / "files" / name, self.place / name, replace=name in earlier)
        for name in earlier.keys() - self._digests.keys():
            self._remove(self.place / name, earlier[name])
        new = {name: self._new(name) for name in self._digests}
        write_mark(self.place, RunMark(self._mark.session, self._mark.profile, True, new))

    def _new(self, name: str) -> tuple[str, ...]:
        return (self._digests[name],) if name in self._digests else ()

    def _remove(self, path: Path, known: tuple[str, ...]) -> None:
        if digest_of(path) in known:
            path.unlink()
            with suppress(OSError):  # it holds other things
                if path.parent != self.place:
                    path.parent.rmdir()

    def _tidy(self) -> None:
        """Remove what killed writers left aside; the lock is ours, so none is at work."""
        for left in self.place.glob(f"{_ASIDE}*"):
            if left.is_dir() and not left.is_symlink() and ((left / MARK_FILE).exists() or not any(left.iterdir())):
                shutil.rmtree(left)
