"""What a Gemini CLI session says of itself: header, patches of it, and what stands beside the file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.reader import Records
from ravenglass.sessions.records.scan import members
from ravenglass.sessions.records.values import mapping, sequence, text, text_or_none

KNOWN = frozenset(
    {
        *("sessionId", "projectHash", "startTime", "lastUpdated", "start_time", "messages", "history", "summary"),
        *("kind", "directories", "meta"),
    }
)
"""Members of a document that are read, or say nothing that the messages do not say."""

_HASH = re.compile("[0-9a-f]{64}")
_ROOT_FILE = ".project_root"
_LONGEST_PATH = 4096
_CHATS = "chats"
_LEVELS = 3
"""Folders above a file up to which `chats` is looked for: a sub-agent's file stands in a folder of its session."""


@dataclass(slots=True)
class About:
    """The metadata so far; the last word counts."""

    id: str = ""
    title: str = ""
    directory: str = ""
    model: str | None = None
    kind: str = ""
    _searched: bool = False

    def note(self, fields: dict[str, Any]) -> None:
        """A header or a patch."""
        self.id = text(fields.get("sessionId")) or self.id
        self.title = text(fields.get("summary")) or self.title
        self.kind = text(fields.get("kind")) or self.kind
        self.directory = next((item for item in map(text, sequence(fields.get("directories"))) if item), self.directory)
        self.model = text_or_none(mapping(fields.get("meta")).get("model")) or self.model

    def complete(self, records: Records) -> None:
        """Of a document that is cut, whose outermost object does not decode: what stands before the cut."""
        if self._searched or self.id or records.container != "json":
            return
        self._searched = True
        source = records.opened.source
        data = source.read(Span(1, 0, source.size))
        found: dict[str, Any] = {}
        for item in members(data, max(data.find(b"{"), 0)):
            if item.key in KNOWN and item.complete and item.key not in ("messages", "history"):
                try:
                    found[item.key] = decode_value(data[item.start : item.stop])
                except ValueError:
                    continue
        self.note(found)


def project_of(path: Path) -> str:
    """The working directory that the writer keeps beside its `chats` folder, else the folder's name; "" for a hash."""
    chats = next((folder for folder in list(path.parents)[:_LEVELS] if folder.name == _CHATS), None)
    if chats is None:
        return ""
    try:
        root = (chats.parent / _ROOT_FILE).read_bytes()[:_LONGEST_PATH].decode("utf-8", "replace").strip()
    except OSError:
        root = ""  # older versions write none
    return root or ("" if _HASH.fullmatch(chats.parent.name) else chats.parent.name)


def parent_of(path: Path) -> str | None:
    """For a sub-agent's file: id of the session that started it, which is the name of the folder below `chats`."""
    names = [folder.name for folder in list(path.parents)[:_LEVELS]]
    place = names.index(_CHATS) if _CHATS in names else 0
    return names[place - 1] if place > 0 and not names[place - 1].startswith(".") else None


def twin_of(path: Path) -> str | None:
    """A sentence where the session goes on in another file: a document that was resumed is written on as lines."""
    beside = path.with_name(f"{path.name}l")
    if path.suffix != ".json" or not beside.is_file():
        return None
    return f"This session was resumed; {beside.name} holds all of it and what came after."
