"""Ravenglass, the engine: a recorded agent session goes in; for every model call it says what the model would see,
what it would not see, and why. `Engine` does the same inside a running agent. Nothing in here imports Qt.

Every name is imported when it is asked for: the running engine brings a database along that replays do without.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from ravenglass.lazy import lazily

if TYPE_CHECKING:
    from ravenglass.embed import AsyncEngine, Engine
    from ravenglass.errors import ProfileError, RavenglassError, SessionError
    from ravenglass.profile import Profile
    from ravenglass.replay import HandChange, Run, replay
    from ravenglass.sessions import open_session

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

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        {
            "AsyncEngine": "ravenglass.embed",
            "Engine": "ravenglass.embed",
            "HandChange": "ravenglass.replay",
            "Profile": "ravenglass.profile",
            "ProfileError": "ravenglass.errors",
            "RavenglassError": "ravenglass.errors",
            "Run": "ravenglass.replay",
            "SessionError": "ravenglass.errors",
            "open_session": "ravenglass.sessions",
        },
    )

    class _Package(ModuleType):
        """`ravenglass.replay` is the function. A package of that name is there as well, and Python would put it in the
        function's place whenever something inside of it is imported."""

        @property
        def replay(self):
            from ravenglass.replay import replay

            return replay

        @replay.setter
        def replay(self, package):
            """Python hands over the package; it is found by its full name all the same."""

    sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
