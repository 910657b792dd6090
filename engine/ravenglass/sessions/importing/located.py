"""A decoded JSON value together with the bytes it stands at, to walk into a document and keep exact places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ravenglass.sessions.importing.place import RecordPlace
from ravenglass.sessions.model.session import OtherRecord, Span
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.scan import Member, members
from ravenglass.sessions.records.values import mapping, sequence


@dataclass(slots=True)
class Located:
    """A value and its place. Ask for spans in file order: lines are counted from the last place asked for."""

    value: object
    member: Member
    place: RecordPlace
    _fields: dict[str, Located] | None = field(default=None, repr=False)

    @property
    def object(self) -> dict[str, Any]:
        """The value if it is an object, else an empty one."""
        return mapping(self.value)

    @property
    def span(self) -> Span:
        """Where the value stands."""
        return self.place.span(self.member)

    def fields(self) -> dict[str, Located]:
        """The members of an object by key, the last of equal keys; empty for anything else."""
        if self._fields is None:
            value = self.object
            found = {item.key: item for item in self._members() if item.key is not None} if value else {}
            # A key that cannot be told apart in damaged bytes has the object's own place.
            self._fields = {key: Located(value[key], found.get(key, self.member), self.place) for key in value}
        return self._fields

    def get(self, key: str) -> Located | None:
        """One member of an object, or None."""
        return self.fields().get(key)

    def items(self) -> list[Located]:
        """The elements of an array; empty for anything else."""
        values = sequence(self.value)
        if not values:
            return []
        found = self._members()
        places = found if len(found) == len(values) else [self.member] * len(values)
        return [Located(value, item, self.place) for value, item in zip(values, places, strict=True)]

    def elements(self, key: str) -> list[Located]:
        """The elements of a member that is an array; empty where there is none."""
        inner = self.get(key)
        return inner.items() if inner is not None else []

    def others(self, *known: str, prefix: str = "") -> list[OtherRecord]:
        """The members that are not among the known ones, as other records, in file order."""
        rest = [(key, inner) for key, inner in self.fields().items() if key not in known]
        rest.sort(key=lambda pair: pair[1].member.start)
        return [OtherRecord(f"{prefix}{key}", inner.span) for key, inner in rest]

    def text(self) -> str:
        """The value's bytes as text, verbatim."""
        return self.place.data[self.member.start : self.member.stop].decode("utf-8", "replace")

    def _members(self) -> list[Member]:
        return members(self.place.data, self.member.start, self.member.stop)


def located(records: Records, record: Record) -> Located:
    """A record as the value to start from."""
    data = records.opened.source.read(record.span)
    return within(record.value, data, record.span)


def within(value: object, data: bytes, span: Span) -> Located:
    """A value that `data` holds, which stands at `span`."""
    return Located(value, Member(None, 0, len(data)), RecordPlace(data, span))
