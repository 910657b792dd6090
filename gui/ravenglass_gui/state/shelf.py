"""One listed folder of the session browser: its sessions, and what is asked of them again and again, kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ravenglass.sessions.catalogue.places import AgentPlace
from ravenglass.store.library.records import ListedSession


@dataclass(slots=True, eq=False)
class Shelf:
    """`items` are in the order of the list, newest first, by what opens them."""

    place: AgentPlace
    opened: bool
    """The person opened it; places of agents are found."""
    items: dict[Path, ListedSession] = field(default_factory=dict)
    listing: bool = True
    """It is being listed; `items` are what is known so far."""
    fault: str = ""
    """Why it could not be listed, as a sentence."""
    left_out: tuple[tuple[Path, str], ...] = ()
    """What is called like a session but could not be looked at, and why: `is a link that leads to itself`."""
    folder: bool = True
    """Whether the root is a folder, and no database."""
    _roots: list[Path] | None = None
    _children: dict[str, list[Path]] = field(default_factory=dict)
    _texts: dict[Path, str] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.place.path

    def fill(self, items: Iterable[ListedSession]) -> None:
        """What is there now."""
        self.items = {item.entry.place: item for item in items}
        self._roots = None
        self._texts.clear()

    def update(self, items: Iterable[ListedSession]) -> tuple[ListedSession, ...]:
        """Details of sessions that are there; those that are."""
        known = tuple(item for item in items if item.entry.place in self.items)
        for item in known:
            place = item.entry.place
            before, self.items[place] = self.items[place].entry, item
            self._texts.pop(place, None)
            if (before.id, before.parent) != (item.entry.id, item.entry.parent):
                self._roots = None
        return known

    @property
    def sessions(self) -> list[ListedSession]:
        """Sessions that stand for themselves: no sub-agent of one that is listed."""
        return [self.items[place] for place in self._families()]

    def agents(self, item: ListedSession) -> list[ListedSession]:
        """The sub-agents that a session started."""
        self._families()
        return [self.items[place] for place in self._children.get(item.entry.id, ())] if item.entry.id else []

    @property
    def unread(self) -> int:
        """Sessions whose details are still to be read; sub-agents are not counted."""
        return sum(not item.detailed and item.entry.calls is None for item in self.sessions)

    def matches(self, item: ListedSession, words: Sequence[str]) -> bool:
        """Whether every word stands somewhere in what is known of the session or its sub-agents."""
        if not words:
            return True
        agents = self.agents(item)
        text = self._text(item)
        if agents:
            text = " ".join([text, *map(self._text, agents)])
        return all(word in text for word in words)

    def _text(self, item: ListedSession) -> str:
        entry = item.entry
        place = entry.place
        if place not in self._texts:
            said = f"{entry.title} {entry.project} {entry.format} {self.place.agent} {entry.model or ''} {place.name}"
            self._texts[place] = said.casefold()
        return self._texts[place]

    def _families(self) -> list[Path]:
        if self._roots is not None:
            return self._roots
        ids = {item.entry.id for item in self.items.values() if item.entry.id}
        roots: list[Path] = []
        children: dict[str, list[Path]] = {}
        for place, item in self.items.items():
            parent = item.entry.parent
            if parent and parent in ids and parent != item.entry.id:
                children.setdefault(parent, []).append(place)
            else:
                roots.append(place)
        reached: set[str] = set()
        waiting = [self.items[place].entry.id for place in roots] if children else []
        while waiting:
            name = waiting.pop()
            if name and name not in reached:
                reached.add(name)
                waiting += [self.items[child].entry.id for child in children.get(name, ())]
        # Sessions that name each other as their parents would be under nobody.
        for name in [name for name in children if name not in reached]:
            roots += children.pop(name)
        self._roots, self._children = roots, children
        return roots
