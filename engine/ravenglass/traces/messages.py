"""What a log alone says about the session's messages: the least that its decisions can be shown with.

Nothing is made up: a figure that no event holds is None, a message that no event describes has nothing but its id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, mapping, sequence, text_or_none
from ravenglass.trace import Json
from ravenglass.traces.manifests import listed
from ravenglass.traces.model import TraceRecord
from ravenglass.traces.verdicts import ids

_TOOL_GROUP = "tool:"


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """A message as the log describes it, anywhere in it. None: not said."""

    id: int
    role: str | None = None
    tokens: int | None = None
    ts: float | None = None
    tier: str | None = None
    group: str | None = None
    """The log's own name of the group: `tool:` and call ids, or the ids of all its messages."""
    snippet: str | None = None
    relevance: float | None = None
    protected: bool | None = None
    address: str | None = None


class LoggedMessages:
    """The messages that a call of a log mentions; behaves like a small read-only session."""

    def __init__(self, records: Iterable[TraceRecord]) -> None:
        self._known: dict[int, LoggedMessage] = {}
        self.count: int | None = None
        """How many messages the curator knew at its start; None where the log does not say."""
        for record in records:
            self._read(record)

    def __getitem__(self, message: int) -> LoggedMessage:
        """What is known of a message; of one that the log only names, its id."""
        return self._known.get(message, LoggedMessage(message))

    def __iter__(self) -> Iterator[LoggedMessage]:
        """Described messages in the order of their ids."""
        return (self._known[message] for message in sorted(self._known))

    def __len__(self) -> int:
        return len(self._known)

    def together(self, one: int, other: int) -> bool | None:
        """Whether two messages belong to one group; None where the log does not say."""
        a, b = self[one].group, self[other].group
        if a is None or b is None:
            return None
        return bool(calls_of(a) & calls_of(b))

    def _read(self, record: TraceRecord) -> None:
        payload = record.payload
        if record.event == "curator_start":
            self.count = count(payload.get("message_count"))
        elif record.event == "item_registered":
            self._registered(payload)
        elif record.event == "curator_tool_result":
            result = mapping(payload.get("result"))
            for hit in map(mapping, (*sequence(result.get("hits")), *sequence(result.get("matches")))):
                self._item(hit)
        for item in listed(record):
            self._item(item)

    def _registered(self, payload: Json) -> None:
        messages = ids(payload.get("messages"))
        group = ",".join(map(str, messages)) or None
        for message in messages:
            self._merge(
                LoggedMessage(
                    message, tier=text_or_none(payload.get("tier")), group=group,
                    tokens=count(payload.get("tokens")) if len(messages) == 1 else None,
                    address=text_or_none(payload.get("address")) if message == messages[-1] else None,
                )
            )  # fmt: skip

    def _item(self, item: Json) -> None:
        several = ids(item.get("ids")) or ids(item.get("message_ids"))
        one = count(item.get("id")) if item.get("id") is not None else count(item.get("message_id"))
        messages = several or ((one,) if one is not None else ())
        group = text_or_none(item.get("group_id"))
        for message in messages:
            first = message == messages[0]
            self._merge(
                LoggedMessage(
                    message, role=text_or_none(item.get("role")) if first else None,
                    tokens=count(item.get("tokens")) if len(messages) == 1 else None, ts=seconds(item.get("ts")),
                    tier=text_or_none(item.get("tier")), group=group or (",".join(map(str, several)) or None),
                    snippet=text_or_none(item.get("snippet")) if first else None,
                    relevance=_share(item.get("relevance")), protected=_flag(item.get("protected")),
                )
            )  # fmt: skip

    def _merge(self, new: LoggedMessage) -> None:
        """Later events add to and override earlier ones."""
        old = self._known.get(new.id, LoggedMessage(new.id))
        said = {name: value for name in _FIELDS if (value := getattr(new, name)) is not None}
        self._known[new.id] = replace(old, **said)


_FIELDS = ("role", "tokens", "ts", "tier", "group", "snippet", "relevance", "protected", "address")


def calls_of(group: str) -> set[str]:
    """The call ids in a group's name, or the name itself: groups of the log that share one are one group here."""
    return set(group.removeprefix(_TOOL_GROUP).split(",")) if group.startswith(_TOOL_GROUP) else {group}


def _share(value: object) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and 0 <= value <= 1 else None  # type: ignore[arg-type, operator]


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
