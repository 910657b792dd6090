"""What a session's groups are about, independent of any profile: entities, files they touch, where they belong.

Made once per session on a worker and shared by every replay of it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from ravenglass.errors import Cancelled
from ravenglass.hub.files.uses import Use, source_of_group, uses
from ravenglass.hub.sizes import Progress
from ravenglass.rules import SourceName
from ravenglass.scheduler.holdings import Holdings
from ravenglass.scheduler.intent.entities import entities
from ravenglass.sessions.model.derived import Slot
from ravenglass.sessions.model.session import Group, Message, Session

_READ_CHARS = 24_000
"""Entities of a message are taken from at most this many characters: its head and its tail."""
_REQUESTS = 64
"""So many requests and goals are kept cut up into entities."""

SOURCES: Final[tuple[SourceName, ...]] = get_args(SourceName)
"""The kinds of sources, in the order of their numbers."""


class Features:
    """Per-group facts. Groups are ordered by first message, so what a call knows is always a prefix."""

    def __init__(self, session: Session, progress: Progress | None = None, previous: Features | None = None) -> None:
        """`previous` are the features of the same session when it was shorter: what has not changed is reused."""
        self.session = session
        self._previous = previous
        structure = session.structure
        self.groups: Sequence[Group] = structure.groups
        self.calls = structure.calls
        self.entities: list[frozenset[str]] = []
        self.postings: dict[str, list[int]] = {}
        self.uses: Sequence[Use] = uses(session)
        self.sources: list[SourceName] = []
        self.reused = self._continue()
        """Leading groups that were taken over from `previous`."""
        for group in self.groups[self.reused :]:
            if progress is not None and group.index % 16 == 0 and not progress(group.index, len(self.groups)):
                raise Cancelled("Reading what the messages are about was cancelled; nothing was changed.")
            self._add(group)
        self._holdings_before = previous._made_holdings if previous is not None else None
        self._made_holdings: Holdings | None = None
        self._asked: dict[tuple[str, int | None], tuple[str, ...]] = {}
        self._previous = None
        self.known: list[int] = self._known_prefixes()
        self.ready: list[int] = [self._ready(group) for group in self.groups]

    def _continue(self) -> int:
        """Take over what is the same from the first group on; how many groups that is."""
        before = self._previous
        if before is None:
            return 0
        changed = (g.index for g in self.groups[: len(before.groups)] if self._reused(g) is None)
        same = next(changed, min(len(before.groups), len(self.groups)))
        self.entities, self.sources = before.entities[:same], before.sources[:same]
        cut = ((entity, groups[: bisect_left(groups, same)]) for entity, groups in before.postings.items())
        self.postings = {entity: groups for entity, groups in cut if groups}
        return same

    def _add(self, group: Group) -> None:
        found = self._reused(group)
        if found is None:
            found = self._read(group)
        self.entities.append(found)
        for entity in found:
            self.postings.setdefault(entity, []).append(group.index)
        self.sources.append(source_of_group(self.session, group))

    def _reused(self, group: Group) -> frozenset[str] | None:
        before = self._previous
        if before is None or group.index >= len(before.groups):
            return None
        if before.groups[group.index].messages != group.messages:
            return None
        # The same ids are not enough: a message that was still being written has grown since.
        pairs = ((before.session.messages[m], self.session.messages[m]) for m in group.messages)
        same = all((old.parts, old.tool_calls) == (new.parts, new.tool_calls) for old, new in pairs)
        return before.entities[group.index] if same else None

    def _read(self, group: Group) -> frozenset[str]:
        messages = [self.session.messages[m] for m in group.messages]
        found: set[str] = set()
        for message in messages:
            found.update(entities(message.text, max_chars=_READ_CHARS))
            for call in message.tool_calls:
                found.update(entities(call.arguments, max_chars=_READ_CHARS))
        return frozenset(found)

    def _known_prefixes(self) -> list[int]:
        """known[c] = number of groups whose first message call c can see; known[0] = 0."""
        firsts = [g.messages[0] for g in self.groups]
        return [0, *(bisect_left(firsts, call.message) for call in self.calls)]

    def _ready(self, group: Group) -> int:
        """Number of the first call that sees every message of the group; calls + 1 if none does."""
        last = group.messages[-1]
        return bisect_left(self.boundaries, last + 1) + 1

    @cached_property
    def boundaries(self) -> list[int]:
        """Id of the response of every call: it sees the messages below it. Index 0 is call 1."""
        return [call.message for call in self.calls]

    def first_call(self, message: int) -> int:
        """Number of the first call that sees a message; calls + 1 if none does."""
        return bisect_left(self.boundaries, message + 1) + 1

    def boundary(self, call: int) -> int:
        """Call c sees exactly the messages with an id below this."""
        return self.calls[call - 1].message

    def idf(self, known: int, holders: int) -> float:
        """Inverse document frequency of an entity that `holders` of the first `known` groups hold."""
        return math.log(1 + known / holders) if holders else 0.0

    @property
    def holdings(self) -> Holdings:
        """The entities of every group, as numbers; made when a slow path first asks for them."""
        if self._made_holdings is None:
            self._made_holdings = Holdings(self.entities, self._holdings_before, self.reused)
            self._holdings_before = None
        return self._made_holdings

    @cached_property
    def turns(self) -> NDArray[np.int64]:
        """The turn of every group."""
        return np.array([group.turn for group in self.groups], dtype=np.int64)

    @cached_property
    def source_numbers(self) -> NDArray[np.int64]:
        """The source of every group, as its place in SOURCES."""
        numbers = {name: number for number, name in enumerate(SOURCES)}
        return np.array([numbers[name] for name in self.sources], dtype=np.int64)

    @cached_property
    def sent(self) -> NDArray[np.bool_]:
        """Whether a window may hold the group at all, of every group."""
        return np.array([not group.unsent for group in self.groups], dtype=np.bool_)

    @cached_property
    def times(self) -> list[float | None]:
        """When every call was answered; while it is not, the time of the latest message."""
        messages = self.session.messages
        return [messages[min(call.message, len(messages) - 1)].ts for call in self.calls]

    @cached_property
    def blocks(self) -> list[int]:
        """Content blocks, as a provider counts them, of all messages that a call sees. Index 0 is before the first."""
        before = [0, *accumulate(map(blocks_of, self.session.messages))]
        return [0, *(before[call.message] for call in self.calls)]

    def asked(self, request: int | None, goals: tuple[str, ...]) -> tuple[str, ...]:
        """Entities of a request (the group of its message) and of goals; many calls ask for the same ones."""
        texts: list[tuple[str, int | None]] = [(goal, None) for goal in goals]
        if request is not None:
            texts.insert(0, (self.session.messages[self.groups[request].messages[0]].text, _READ_CHARS))
        return tuple(dict.fromkeys(chain.from_iterable(self._entities(text, most) for text, most in texts)))

    def _entities(self, text: str, most: int | None) -> tuple[str, ...]:
        found = self._asked.get((text, most))
        if found is None:
            if len(self._asked) >= _REQUESTS:
                self._asked.clear()
            found = self._asked[text, most] = entities(text, max_chars=most)
        return found

    def count(self, entity: str, known: int) -> int:
        """How many of the first `known` groups hold the entity."""
        return bisect_left(self.postings.get(entity, ()), known)

    def holders(self, entity: str, known: int) -> list[int]:
        """Groups among the first `known` that hold the entity, ascending."""
        posting = self.postings.get(entity, [])
        return posting[: bisect_left(posting, known)]


def blocks_of(message: Message) -> int:
    """Content blocks of a message, as a provider counts them."""
    return max(1, bool(message.text) + message.images + len(message.tool_calls))


FEATURES = Slot[Features]("features")


def features_of(session: Session, progress: Progress | None = None) -> Features:
    """The session's features; computed at the first call, then kept with the session."""
    return FEATURES.made(session, lambda: Features(session, progress))
