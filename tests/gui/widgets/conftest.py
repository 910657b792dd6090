"""Widgets are tested with a session that gets trimmed."""

from tests.gui.replayed import loaded, run, session, show

__all__ = ["loaded", "run", "session", "show"]
