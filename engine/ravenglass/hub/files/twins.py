"""Tool results that say the same: the same text twice, or a newer version of a file that was read whole before."""

from __future__ import annotations

import difflib
import hashlib
from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain

from ravenglass.hub.files.content import NUMBERED
from ravenglass.hub.files.uses import Use
from ravenglass.sessions.model.session import Session

_MOST_LINES = 4_000
"""Versions with more lines are not compared: the difference would take longer than it saves."""


class Twins:
    """Made once per session. Messages are tool results, by id."""

    def __init__(self, session: Session, uses: Sequence[Use]) -> None:
        self._session = session
        self._digest: dict[int, bytes] = {}
        self._same: dict[bytes, list[int]] = {}
        for message in session.messages:
            if message.role == "tool" and message.text and message.id not in session.structure.never_sent:
                digest = hashlib.blake2b(message.text.encode("utf-8", "replace"), digest_size=16).digest()
                self._digest[message.id] = digest
                self._same.setdefault(digest, []).append(message.id)
        self._first_read: dict[str, int] = {}
        self._path: dict[int, str] = {}
        for use in uses:
            if use.use.op == "read" and not use.use.part and use.result is not None:
                self._path[use.result] = use.use.path
                self._first_read.setdefault(use.use.path, use.result)
        self._patches: dict[int, str] = {}
        group_of = session.structure.group_of
        alike = (m for same in self._same.values() if len(same) > 1 for m in same)
        again = (m for m, path in self._path.items() if self._first_read[path] < m)
        self.groups: frozenset[int] = frozenset(group_of[m] for m in chain(alike, again))
        """Groups with a result that says what another one says, or is a newer version of it."""

    def later(self, message: int, boundary: int) -> int | None:
        """The latest result with the same text and an id below `boundary`, if it is later than the message."""
        digest = self._digest.get(message)
        if digest is None:
            return None
        same = self._same[digest]
        latest = same[max(0, bisect_left(same, boundary) - 1)]
        return latest if message < latest < boundary else None

    def base(self, message: int) -> int | None:
        """The first whole read of the file that this result reads whole again."""
        first = self._first_read.get(self._path.get(message, ""))
        return first if first is not None and first < message else None

    def patch(self, message: int) -> str:
        """Unified diff from `base(message)` to the message; empty where there is none or it is too long to make."""
        known = self._patches.get(message)
        if known is None:
            known = self._patches[message] = self._patch(message)
        return known

    def _patch(self, message: int) -> str:
        base = self.base(message)
        if base is None:
            return ""
        old, new = (NUMBERED.sub("", self._session.messages[m].text).split("\n") for m in (base, message))
        if max(len(old), len(new)) > _MOST_LINES:
            return ""
        lines = difflib.unified_diff(old, new, f"#{base}", f"#{message}", lineterm="")
        return "\n".join(lines)
