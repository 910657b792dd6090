"""Ravenglass, the engine: a recorded agent session goes in; for every model call it says what the model would see,
what it would not see, and why. `Engine` does the same inside a running agent. Nothing in here imports Qt.
"""

from typing import TYPE_CHECKING

from ravenglass.errors import ProfileError, RavenglassError, SessionError
from ravenglass.profile import Profile
from ravenglass.replay import HandChange, Run, replay
from ravenglass.sessions import open_session

if TYPE_CHECKING:
    from ravenglass.embed import AsyncEngine, Engine

__all__ = [
    "AsyncEngine",
    "Engine",
    "HandChange",
    "Profile",
    "ProfileError",
    "RavenglassError",
    "Run",
    "SessionError",
    "open_session",
    "replay",
]


def __getattr__(name: str) -> object:
    """The running engine is imported when it is asked for: it brings a database along that replays do without."""
    if name in ("AsyncEngine", "Engine"):
        from ravenglass import embed

        return getattr(embed, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
