"""The manifest file of a running engine: one item a message, in the layout of the reference implementation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from ravenglass.replay.answers.manifest import manifest_item
from ravenglass.replay.run import SimulatedRun
from ravenglass.trace import Json


class ManifestFile:
    """Makes the file's content. Keywords never change, so each message's are found once."""

    def __init__(self) -> None:
        self._keywords: dict[int, tuple[str, ...]] = {}

    def document(self, run: SimulatedRun, now: float) -> Json:
        """Every message that the latest call of the run knows, as it stands right after that call."""
        call = run.calls
        return {
            "session_key": run.session.id,
            "updated_at": datetime.fromtimestamp(now, UTC).isoformat(),
            "items": [self._item(run, call, m) for m in range(run.rows(call))],
        }

    def _item(self, run: SimulatedRun, call: int, message: int) -> Json:
        row = run.row(call, message)
        return manifest_item(replace(row, keywords_of=lambda: self._words(message, row.keywords_of)))

    def _words(self, message: int, find: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
        if message not in self._keywords:
            self._keywords[message] = find()
        return self._keywords[message]
