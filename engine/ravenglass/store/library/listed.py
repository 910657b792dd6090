"""The sessions of listed folders and databases as they were last seen, so that the next start shows them at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sqlmodel import col, delete, select

from ravenglass.store.library.access import Access
from ravenglass.store.library.records import ListedSession
from ravenglass.store.library.tables import ListedRow
from ravenglass.store.texts import path_text


class ListedSessions:
    """The lists by their root: the folder, file or database that was listed. Belongs to the thread of its library."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def of(self, root: Path) -> tuple[ListedSession, ...]:
        """What was last known of a root, in the order of a list: newest first. Empty where nothing was."""
        with self._access.reading() as session:
            rows = session.exec(select(ListedRow).where(ListedRow.root == path_text(root)))
            found = [row.record() for row in rows]
        return tuple(sorted(found, key=lambda item: (item.stamp or 0.0, item.entry.id), reverse=True))

    def replace(self, root: Path, listed: Iterable[ListedSession]) -> None:
        """What a root holds now; everything else that was known of it is forgotten."""
        name = path_text(root)
        rows = {(row.path, row.key): row for row in (ListedRow.of(name, item) for item in listed)}
        with self._access.writing() as session:
            session.connection().execute(delete(ListedRow).where(col(ListedRow.root) == name))
            session.add_all(rows.values())

    def keep(self, root: Path, listed: Iterable[ListedSession]) -> None:
        """Put sessions in the place of what was known of them."""
        name = path_text(root)
        with self._access.writing() as session:
            for item in listed:
                session.merge(ListedRow.of(name, item))

    def forget(self, root: Path) -> None:
        """Drop what is known of a root; its files stay."""
        self.replace(root, ())
