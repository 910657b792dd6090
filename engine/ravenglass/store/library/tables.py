"""The library's tables. Rows stay inside `store/`; `records.py` is what leaves it.

A change here needs a new step in `migrations.py`: a test compares what the steps build with these classes.
"""

from __future__ import annotations

from sqlmodel import Field, SQLModel

from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.store.library.records import ListedSession, OpenedSession, SavedRun
from ravenglass.store.texts import path_text, storable, text_path


class SessionRow(SQLModel, table=True):
    """An opened session, one row a path."""

    __tablename__ = "opened_session"

    path: str = Field(primary_key=True)
    format: str
    title: str
    project: str
    messages: int
    calls: int
    size: int
    mtime: float
    started: float | None
    last_opened: float = Field(index=True)
    model: str | None

    @classmethod
    def of(cls, opened: OpenedSession) -> SessionRow:
        return cls(
            path=path_text(opened.path),
            format=opened.format,
            title=storable(opened.title),
            project=storable(opened.project),
            messages=opened.messages,
            calls=opened.calls,
            size=opened.size,
            mtime=opened.mtime,
            started=opened.started,
            last_opened=opened.last_opened,
            model=None if opened.model is None else storable(opened.model),
        )

    def record(self) -> OpenedSession:
        return OpenedSession(
            path=text_path(self.path),
            format=self.format,
            title=self.title,
            project=self.project,
            messages=self.messages,
            calls=self.calls,
            size=self.size,
            mtime=self.mtime,
            started=self.started,
            last_opened=self.last_opened,
            model=self.model,
        )


class ListedRow(SQLModel, table=True):
    """A session of a listed folder or database, `root`; see `ListedSession`."""

    __tablename__ = "listed_session"

    root: str = Field(primary_key=True)
    path: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    format: str
    session: str
    title: str
    project: str
    parent: str | None
    started: float | None
    updated: float | None
    size: int | None
    calls: int | None
    model: str | None
    stamp: float | None
    detailed: bool
    fault: str

    @classmethod
    def of(cls, root: str, listed: ListedSession) -> ListedRow:
        entry = listed.entry
        return cls(
            root=root,
            path=path_text(entry.path),
            key=storable(entry.key),
            format=entry.format,
            session=storable(entry.id),
            title=storable(entry.title),
            project=storable(entry.project),
            parent=None if entry.parent is None else storable(entry.parent),
            started=entry.started,
            updated=entry.updated,
            size=entry.size,
            calls=entry.calls,
            model=None if entry.model is None else storable(entry.model),
            stamp=listed.stamp,
            detailed=listed.detailed,
            fault=storable(listed.fault),
        )

    def record(self) -> ListedSession:
        entry = HolderEntry(
            format=self.format,
            path=text_path(self.path),
            key=self.key,
            id=self.session,
            title=self.title,
            project=self.project,
            parent=self.parent,
            started=self.started,
            updated=self.updated,
            size=self.size,
            calls=self.calls,
            model=self.model,
        )
        return ListedSession(entry, self.stamp, self.detailed, self.fault)


class CountRow(SQLModel, table=True):
    """The token count of a long text under one encoding; `digest` is `Tokenizer.digest(text)`."""

    __tablename__ = "token_count"

    encoding: str = Field(primary_key=True)
    digest: bytes = Field(primary_key=True)
    count: int
    how: str


class RunRow(SQLModel, table=True):
    """A saved run. Its session may have been forgotten or moved, so the path is no foreign key."""

    __tablename__ = "saved_run"

    id: int | None = Field(default=None, primary_key=True)
    session: str = Field(index=True)
    profile_name: str
    profile: str
    created: float
    metrics: str
    folder: str | None

    def record(self) -> SavedRun:
        """The run as it leaves the store; the row must have been written, so that it has its id."""
        if self.id is None:
            raise ValueError("a run that was not written yet has no id")
        return SavedRun(
            id=self.id,
            session=text_path(self.session),
            profile_name=self.profile_name,
            profile=self.profile,
            created=self.created,
            metrics=self.metrics,
            folder=None if self.folder is None else text_path(self.folder),
        )
