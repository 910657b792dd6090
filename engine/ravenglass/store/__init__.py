"""What Ravenglass remembers between runs: opened and listed sessions, token counts, saved runs.

    with Library.open() as library:
        library.remember(OpenedSession.of(session))
        library.recent(20)

Nothing here is needed to replay a session; a library that cannot be opened is a sentence, not an end.
"""

from typing import TYPE_CHECKING

from ravenglass.lazy import lazily

if TYPE_CHECKING:
    from ravenglass.store.library.library import Library
    from ravenglass.store.library.location import LIBRARY_FILE, data_dir
    from ravenglass.store.library.records import ListedSession, OpenedSession, SavedRun

__all__ = ["LIBRARY_FILE", "Library", "ListedSession", "OpenedSession", "SavedRun", "data_dir"]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        {
            "LIBRARY_FILE": "ravenglass.store.library.location",
            "Library": "ravenglass.store.library.library",
            "ListedSession": "ravenglass.store.library.records",
            "OpenedSession": "ravenglass.store.library.records",
            "SavedRun": "ravenglass.store.library.records",
            "data_dir": "ravenglass.store.library.location",
        },
    )
