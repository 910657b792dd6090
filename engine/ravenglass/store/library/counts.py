"""Token counts of long texts in the library: a `tokens.CountStore`."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import cast

from sqlalchemy.dialects.sqlite import insert
from sqlmodel import col, select

from ravenglass.errors import StoreError
from ravenglass.store.library.access import Access
from ravenglass.store.library.tables import CountRow
from ravenglass.tokens import CountStore, How, TokenCount

_LOG = logging.getLogger(__name__)

_BATCH = 500
"""Digests asked for in one statement; older SQLite takes at most 999 parameters."""


class LibraryCounts:
    """The library's counts; they belong to the thread of their library."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def get_many(self, encoding: str, digests: Sequence[bytes]) -> Mapping[bytes, TokenCount]:
        """The counts that are known among `digests`."""
        found: dict[bytes, TokenCount] = {}
        with self._access.reading() as session:
            for start in range(0, len(digests), _BATCH):
                rows = session.exec(
                    select(CountRow.digest, CountRow.count, CountRow.how).where(
                        CountRow.encoding == encoding,
                        col(CountRow.digest).in_(digests[start : start + _BATCH]),
                    )
                )
                for digest, count, how in rows:
                    found[digest] = TokenCount(count, cast(How, how))
        return found

    def put_many(self, encoding: str, counts: Mapping[bytes, TokenCount]) -> None:
        """Keep `counts`: all of them or, if that fails, none."""
        if not counts:
            return
        statement = insert(CountRow)
        statement = statement.on_conflict_do_update(
            index_elements=["encoding", "digest"],
            set_={"count": statement.excluded["count"], "how": statement.excluded["how"]},
        )
        rows = [
            {"encoding": encoding, "digest": digest, "count": count.value, "how": count.how}
            for digest, count in counts.items()
        ]
        with self._access.writing() as session:
            session.connection().execute(statement, rows)


class CountsAtHand:
    """The counts of a library as far as they are at hand: where it cannot be used now, nothing is known and nothing is
    kept, and a replay goes on without. The first failure is the last question."""

    def __init__(self, counts: CountStore) -> None:
        self._counts: CountStore | None = counts

    def get_many(self, encoding: str, digests: Sequence[bytes]) -> Mapping[bytes, TokenCount]:
        """The counts that are known among `digests`, as far as can be told."""
        if self._counts is not None:
            try:
                return self._counts.get_many(encoding, digests)
            except StoreError as error:
                self._give_up(error)
        return {}

    def put_many(self, encoding: str, counts: Mapping[bytes, TokenCount]) -> None:
        """Keep `counts`, if that can be done."""
        if self._counts is not None:
            try:
                self._counts.put_many(encoding, counts)
            except StoreError as error:
                self._give_up(error)

    def _give_up(self, error: StoreError) -> None:
        _LOG.info("%s Tokens are counted without it.", error)
        self._counts = None
