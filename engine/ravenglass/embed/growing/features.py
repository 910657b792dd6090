"""What the groups of a growing conversation are about: `scheduler.features`, group by group and message by message."""

from __future__ import annotations

from bisect import insort

import numpy as np

from ravenglass.hub.files.uses import Use, source_of_group, uses_of_group
from ravenglass.scheduler.features import SOURCES, Features, blocks_of
from ravenglass.scheduler.rows import Rows
from ravenglass.sessions.model.session import Group, Message, Session


class GrowingFeatures(Features):
    """Of a session that grows in place. What is made of all groups at once grows with them."""

    uses: list[Use]

    def __init__(self, session: Session) -> None:
        """`session` has no message yet; its next call is there."""
        super().__init__(session)
        self.uses = []
        self.boundaries = [0]
        self.blocks = [0, 0]
        self._first_use: list[int] = []
        self._rows = {"turns": Rows(np.int64), "source_numbers": Rows(np.int64), "sent": Rows(np.bool_)}
        self._show()

    def see(self, message: Message, group: int) -> None:
        """The latest message, which is in the session already with its group. If it answers the latest call, there is
        another one behind that."""
        if message.role == "assistant":
            self.boundaries[-1], self.known[-1] = message.id, group
            self.boundaries.append(0)
            self.known.append(0)
            self.blocks.append(self.blocks[-1])
        self.boundaries[-1], self.known[-1] = message.id + 1, len(self.groups)
        self.blocks[-1] += blocks_of(message)

    def take(self, group: Group) -> int:
        """Take in the next group. Returns the number of its first tool call among all."""
        g, source = group.index, source_of_group(self.session, group)
        self.sources.append(source)
        for name, value in (
            ("turns", group.turn), ("source_numbers", SOURCES.index(source)), ("sent", not group.unsent),
        ):  # fmt: skip
            self._rows[name].extend([value])
        self._show()
        self.entities.append(frozenset())
        self.ready.append(0)
        self._first_use.append(len(self.uses))
        self._learn(group)
        self.uses.extend(uses_of_group(self.session, group))
        return self._first_use[g]

    def again(self, group: Group) -> int:
        """A group that was taken in has more results now. Returns the number of its first tool call."""
        self._learn(group)
        first, found = self._first_use[group.index], uses_of_group(self.session, group)
        self.uses[first : first + len(found)] = found
        return first

    def _learn(self, group: Group) -> None:
        """Read what the group is about, and who sees all of it."""
        g, found = group.index, self._read(group)
        for entity in found - self.entities[g]:
            insort(self.postings.setdefault(entity, []), g)
        self.entities[g] = found
        self.ready[g] = self._ready(group)
        if self._made_holdings is not None:
            self._made_holdings.put(g, found)

    def _show(self) -> None:
        self.turns, self.source_numbers, self.sent = (rows.values for rows in self._rows.values())
        self.__dict__.pop("times", None)
