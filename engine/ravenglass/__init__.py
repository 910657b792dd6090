"""Ravenglass, the engine: a recorded agent session goes in; for every model call it says what the model would see,
what it would not see, and why. Nothing in here imports Qt.
"""

from ravenglass.errors import ProfileError, RavenglassError, SessionError
from ravenglass.profile import Profile
from ravenglass.replay import HandChange, Run, replay
from ravenglass.sessions import open_session

__all__ = [
    "HandChange",
    "Profile",
    "ProfileError",
    "RavenglassError",
    "Run",
    "SessionError",
    "open_session",
    "replay",
]
