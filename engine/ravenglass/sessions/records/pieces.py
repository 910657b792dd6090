"""Records that stand in files or rows of their own: each is decoded alone, so that damage loses only one."""

from __future__ import annotations

from dataclasses import dataclass, field

from ravenglass.sessions.model.session import Damage
from ravenglass.sessions.records.decode import Record, decode_value
from ravenglass.sessions.records.joined import JoinedSource

_BOM = b"\xef\xbb\xbf"
_NAMED = 5
"""Damaged pieces that are named one by one; the rest is counted."""


@dataclass(slots=True)
class Pieces:
    """A source that grows by records, each under the name a person finds it by."""

    source: JoinedSource = field(default_factory=JoinedSource)
    damage: list[Damage] = field(default_factory=list)

    def add(self, name: str, data: bytes) -> Record | None:
        """Take in a piece; None, and a damage, where nothing of it decodes. Its span is the whole piece."""
        span = self.source.add(name, data)
        body = data.removeprefix(_BOM).strip(b" \t\r\n")
        try:
            return Record(decode_value(body), span)
        except ValueError:
            pass  # NUL bytes are the one damage that can be taken out
        nuls = body.count(b"\x00")
        try:
            value = decode_value(body.replace(b"\x00", b" "))
        except ValueError:
            self.damage.append(Damage(span, _reason(body), "every other record"))
            return None
        self.damage.append(Damage(span, f"{nuls:,} NUL bytes", "everything but the NUL bytes"))
        return Record(value, span)

    def warnings(self) -> tuple[str, ...]:
        """A sentence for every damaged piece, with its name; the rest of many is counted."""
        found = [self._sentence(item) for item in self.damage[:_NAMED]]
        if (more := len(self.damage) - _NAMED) > 0:
            found.append(f"{more:,} more records could not be decoded; all others were read.")
        return tuple(found)

    def _sentence(self, item: Damage) -> str:
        name = self.source.name_of(item.span)
        return f"{name} is damaged ({item.reason}, {item.span.length:,} bytes); kept: {item.kept}."


def _reason(body: bytes) -> str:
    if not body.strip(b" \t\r\n\x00"):
        return "it holds nothing but blanks" if body else "it is empty"
    return "it is no valid JSON"
