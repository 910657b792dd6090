"""The one thread that opens, uses and closes the library; every other thread asks it, or tells it what to keep.

It begins with the first question, and imports the database then: the window does not wait for it. Questions and facts
are taken in the order in which they come.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ravenglass.errors import StoreError
from ravenglass.tokens import TokenCount

if TYPE_CHECKING:
    from ravenglass.store.library.library import Library

T = TypeVar("T")

_log = logging.getLogger(__name__)

PATIENCE_S = 1.0
"""How long a replay waits for counts that are known: counting again takes longer than that only in large sessions."""


class LibraryOwner:
    """`path` is another database than the user's own. `close` must be called before the application ends."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._library: Library | None = None
        self._sentences: list[str] = []
        self._closed = False
        self._thread = ThreadPoolExecutor(1, "ravenglass library")
        self.counts = OwnedCounts(self)
        """Token counts of long texts, for any thread."""

    def ask(self, act: Callable[[Library], T]) -> Future[T]:
        """Use the library in its thread; the answer may be waited for anywhere else. Raises StoreError once closed."""
        if self._closed:
            raise StoreError("The library is closed: the program ends. Nothing was read or written.")
        return self._thread.submit(lambda: act(self._opened()))

    def tell(self, act: Callable[[Library], object]) -> None:
        """Use the library when its turn comes; nobody waits, and what cannot be kept is only worked out again."""
        if not self._closed:
            self._thread.submit(self._kept, act)

    def complaints(self) -> list[str]:
        """Sentences about the opening that nobody has been told yet."""
        told, self._sentences = self._sentences, []
        return told

    def close(self) -> None:
        """Take what was told before, then close; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._thread.submit(self._end)
            self._thread.shutdown()

    # -- in the owner's thread -------------------------------------------------------------------------------

    def _opened(self) -> Library:
        if self._library is None:
            from ravenglass.store.library.library import Library

            try:
                self._library = Library.open(self._path)
            except (StoreError, OSError) as error:
                self._library = Library.in_memory()
                self._sentences.append(f"{error} The list of opened sessions is kept in memory until the program ends.")
            self._sentences += self._library.warnings
        return self._library

    def _kept(self, act: Callable[[Library], object]) -> None:
        try:
            act(self._opened())
        except StoreError as error:
            _log.info("%s", error)
        except Exception:  # a defect of ours may not go unseen where nobody waits for an answer
            _log.exception("the library was not used")

    def _end(self) -> None:
        if self._library is not None:
            self._library.close()
            self._library = None


class OwnedCounts:
    """A `tokens.CountStore` that a replay need not wait for: what it counts is written in one piece when the library
    has time, and what is known is waited for only shortly, and not at all while an earlier question has no answer."""

    def __init__(self, owner: LibraryOwner) -> None:
        self._owner = owner
        self._lock = threading.Lock()
        self._waiting: dict[str, dict[bytes, TokenCount]] = {}
        self._asked: Future[Mapping[bytes, TokenCount]] | None = None

    def get_many(self, encoding: str, digests: Sequence[bytes]) -> Mapping[bytes, TokenCount]:
        """The counts that are known among `digests`, as far as can be told at once."""
        if not digests or (self._asked is not None and not self._asked.done()):
            return {}
        wanted = tuple(digests)
        try:
            self._asked = self._owner.ask(lambda library: library.counts.get_many(encoding, wanted))
            return self._asked.result(PATIENCE_S)
        except TimeoutError:
            _log.info("The library was busy; token counts are made without it.")
        except StoreError as error:
            _log.info("%s Tokens are counted without it.", error)
        return {}

    def put_many(self, encoding: str, counts: Mapping[bytes, TokenCount]) -> None:
        """Keep `counts`, when the library has time."""
        with self._lock:
            first = not self._waiting
            self._waiting.setdefault(encoding, {}).update(counts)
        if first:
            self._owner.tell(self._write)

    def _write(self, library: Library) -> None:
        with self._lock:
            taken, self._waiting = self._waiting, {}
        for encoding, counts in taken.items():
            library.counts.put_many(encoding, counts)
