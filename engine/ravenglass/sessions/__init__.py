"""Intake: recorded sessions of any known format as one Session. `open_session` is the way in."""

from typing import TYPE_CHECKING

from ravenglass.lazy import lazily

if TYPE_CHECKING:
    from ravenglass.sessions.catalogue.registry import holder_of, holders, importers, open_session
    from ravenglass.sessions.importing.holder import Holder, HolderEntry
    from ravenglass.sessions.importing.importer import Importer
    from ravenglass.sessions.model.counts import Counts, counts
    from ravenglass.sessions.records.progress import Cancelled, Progress

__all__ = [
    "Cancelled",
    "Counts",
    "Holder",
    "HolderEntry",
    "Importer",
    "Progress",
    "counts",
    "holder_of",
    "holders",
    "importers",
    "open_session",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        {
            "Cancelled": "ravenglass.sessions.records.progress",
            "Counts": "ravenglass.sessions.model.counts",
            "Holder": "ravenglass.sessions.importing.holder",
            "HolderEntry": "ravenglass.sessions.importing.holder",
            "Importer": "ravenglass.sessions.importing.importer",
            "Progress": "ravenglass.sessions.records.progress",
            "counts": "ravenglass.sessions.model.counts",
            "holder_of": "ravenglass.sessions.catalogue.registry",
            "holders": "ravenglass.sessions.catalogue.registry",
            "importers": "ravenglass.sessions.catalogue.registry",
            "open_session": "ravenglass.sessions.catalogue.registry",
        },
    )
