"""What Ravenglass remembers between runs: opened and listed sessions, token counts, saved runs.

    with Library.open() as library:
        library.remember(OpenedSession.of(session))
        library.recent(20)

Nothing here is needed to replay a session; a library that cannot be opened is a sentence, not an end.
"""

from ravenglass.store.library.library import Library
from ravenglass.store.library.location import LIBRARY_FILE, data_dir
from ravenglass.store.library.records import ListedSession, OpenedSession, SavedRun

__all__ = ["LIBRARY_FILE", "Library", "ListedSession", "OpenedSession", "SavedRun", "data_dir"]
