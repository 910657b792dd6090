"""Tells where in a file of JSON lines another session begins that has nothing to do with the one before it.

Agents write one session a file; two stand in one after someone glued them. A record belongs to another format where no
mark of this one is on it and one that only the other writes is. Within a format a session begins with a header of
another id, or with a first message of another id that follows none. What refers to the session before (a fork, a
resume, a compaction) goes on with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ravenglass.sessions.catalogue.signs import likely
from ravenglass.sessions.importing.importer import Head, Importer
from ravenglass.sessions.records.reader import Record
from ravenglass.sessions.records.values import mapping, text
from ravenglass.trace import Json

Began = Callable[[Json], str]
"""The id of the session that begins with a record; empty where none does."""


def _chained(value: Json) -> str:
    """A first message: it follows none, and none stands before it under another name."""
    first = "parentUuid" in value and value["parentUuid"] is None and value.get("type") == "user"
    goes_on = value.get("logicalParentUuid") or value.get("isSidechain") or value.get("isMeta")
    return text(value.get("sessionId")) if first and not goes_on else ""


def _rollout(value: Json) -> str:
    meta = mapping(value.get("payload")) if value.get("type") == "session_meta" else {}
    return text(meta.get("id"))


def _header(kind: str, name: str) -> Began:
    return lambda value: text(value.get(name)) if value.get("type") == kind else ""


BEGINNINGS: dict[str, Began] = {
    "claude-code": _chained,
    "qwen-code": _chained,
    "codex": _rollout,
    "raven": lambda value: text(value.get("key")) if value.get("_type") == "metadata" else "",
    "gemini-cli": lambda value: text(value.get("sessionId")) if "projectHash" in value else "",
    "pi": _header("session", "id"),
    "droid": _header("session_start", "id"),
}
"""Name of an importer -> what begins one of its sessions."""


class Seams:
    """Looks at the records of a file one after the other."""

    def __init__(self, importer: Importer, importers: Sequence[Importer]) -> None:
        self._importers = importers
        self._begin(importer)

    def _begin(self, importer: Importer) -> None:
        self._importer = importer
        self._began = BEGINNINGS.get(importer.name)
        self._ids: set[str] = set()
        self._shapes: dict[tuple[str, ...], Importer | None] = {}
        self._said = ""
        """All that the records say with which a session began: who forks or spawns another names it there."""

    def at(self, record: Record) -> Importer | None:
        """The importer of the session that begins with a record; None where the one before goes on."""
        value = record.value
        if not isinstance(value, dict):
            return None
        shape = (text(value.get("type")), *value)
        if shape not in self._shapes:
            self._shapes[shape] = self._other(value)
        other = self._shapes[shape]
        if other is None and not self._is_another(value):
            return None
        self._begin(other or self._importer)
        self._is_another(value)
        return self._importer

    def _other(self, value: Json) -> Importer | None:
        """Another format whose mark is on a record that has none of this one's."""
        head = Head("jsonl", (value,))
        if self._importer.sniff(head) > 0:
            return None
        others = likely(head, self._importers)
        return next((one for one in others if one is not self._importer and one.sniff(head) >= 1), None)

    def _is_another(self, value: Json) -> bool:
        session = self._began(value) if self._began is not None else ""
        if not session or " " in session or session in self._ids:
            return False  # an id with a blank in it is a note in an id's place
        said = str(value)
        known = bool(self._ids) and session not in self._said and not any(one in said for one in self._ids)
        self._ids.add(session)
        self._said += said
        return known
