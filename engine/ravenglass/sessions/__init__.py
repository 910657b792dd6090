"""Intake: recorded sessions of any known format as one Session. `open_session` is the way in."""

from ravenglass.sessions.counts import Counts, counts
from ravenglass.sessions.importer import Importer
from ravenglass.sessions.progress import Cancelled, Progress
from ravenglass.sessions.registry import importers, open_session

__all__ = ["Cancelled", "Counts", "Importer", "Progress", "counts", "importers", "open_session"]
