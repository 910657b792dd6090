"""Where the user's data lives."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

LIBRARY_FILE = "library.sqlite3"


def data_dir() -> Path:
    """Folder of the library and of saved runs: RAVENGLASS_DATA if set, else the system's place for it.

    Nothing is created here.
    """
    override = os.environ.get("RAVENGLASS_DATA")
    if override:
        return Path(override).expanduser()
    return platformdirs.user_data_path("ravenglass", appauthor=False)
