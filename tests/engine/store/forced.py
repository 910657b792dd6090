"""Which files and folders were forced to the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


class Forced:
    """Notes what `os.fsync` is called for, and still does it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._noted: list[tuple[int, int]] = []
        real = os.fsync

        def noting(descriptor: int) -> None:
            status = os.fstat(descriptor)
            self._noted.append((status.st_dev, status.st_ino))
            real(descriptor)

        monkeypatch.setattr(os, "fsync", noting)

    def __contains__(self, path: Path) -> bool:
        status = path.stat()
        return (status.st_dev, status.st_ino) in self._noted
