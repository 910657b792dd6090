"""The log of changes that VS Code keeps of a chat: states, settings, additions and deletions, one a line."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records.values import count, mapping, sequence

STATE, SET, PUSH, DELETE = 0, 1, 2, 3


def is_entry(value: object) -> bool:
    """Whether a record is an entry of such a log."""
    fields = mapping(value)
    kind = fields.get("kind")
    if kind == STATE and not isinstance(kind, bool):
        return isinstance(fields.get("v"), dict)
    return kind in (SET, PUSH, DELETE) and not isinstance(kind, bool) and isinstance(fields.get("k"), list)


class ChatState:
    """The state that the entries so far make, and which entry each request came from."""

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}
        self.spans: list[list[Span]] = []
        """Entries that made each request, in its order."""

    def take(self, entry: dict[str, Any], span: Span) -> bool:
        """Apply an entry; False where its path leads nowhere, which changes nothing."""
        kind = entry.get("kind")
        if kind == STATE:
            self.value = dict(mapping(entry.get("v")))
            self.spans = [[span] for _ in sequence(self.value.get("requests"))]
            return True
        path = sequence(entry.get("k"))
        if not path:
            return False
        if not self._applied(path, entry):
            return False
        self._trace(path, span)
        return True

    def _applied(self, path: list[Any], entry: dict[str, Any]) -> bool:
        holder: Any = self.value
        for step in path[:-1]:
            holder = _inside(holder, step)
        last, kind = path[-1], entry.get("kind")
        if kind == PUSH:
            known = _inside(holder, last)
            items = known if isinstance(known, list) else []
            start = count(entry.get("i"))
            grown = [*(items if start is None else items[:start]), *sequence(entry.get("v"))]
            return _put(holder, last, grown)
        if kind == DELETE:
            if isinstance(holder, dict):
                holder.pop(last, None)
                return True
            return False
        return _put(holder, last, entry.get("v"))

    def _trace(self, path: list[Any], span: Span) -> None:
        requests = sequence(self.value.get("requests"))
        if path[0] != "requests":
            return
        index = path[1] if len(path) > 1 and isinstance(path[1], int) else None
        before = len(self.spans)
        self.spans = self.spans[: len(requests)] + [[span] for _ in range(before, len(requests))]
        if index is not None and index < len(self.spans) and self.spans[index][-1:] != [span]:
            self.spans[index].append(span)


def _inside(holder: Any, step: object) -> Any:
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.get(step)
    if isinstance(holder, list) and isinstance(step, int) and 0 <= step < len(holder):
        return holder[step]
    return None


def _put(holder: Any, step: object, value: Any) -> bool:
    if isinstance(holder, dict) and isinstance(step, str):
        holder[step] = value
        return True
    if isinstance(holder, list) and isinstance(step, int) and 0 <= step < len(holder):
        holder[step] = value
        return True
    return False
