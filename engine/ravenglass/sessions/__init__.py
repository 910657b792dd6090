"""Intake: recorded sessions of any known format as one Session. `open_session` is the way in."""

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
