"""Intake: recorded sessions of any known format as one Session. `open_session` is the way in."""

from ravenglass.sessions.counts import Counts, counts
from ravenglass.sessions.holder import Entry, Holder
from ravenglass.sessions.importer import Importer
from ravenglass.sessions.progress import Cancelled, Progress
from ravenglass.sessions.registry import holder_of, holders, importers, open_session

__all__ = [
    "Cancelled",
    "Counts",
    "Entry",
    "Holder",
    "Importer",
    "Progress",
    "counts",
    "holder_of",
    "holders",
    "importers",
    "open_session",
]
