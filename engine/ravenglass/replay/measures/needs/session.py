"""What every response of a session needs: made once, carried on when the session grows. Of a profile it depends only on
`need_exchanges`."""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat
from threading import Lock

from ravenglass.profile import Profile
from ravenglass.replay.measures.needs.again import Fetches
from ravenglass.replay.measures.needs.names import Names
from ravenglass.replay.measures.needs.need import Need
from ravenglass.scheduler.features import Features
from ravenglass.sessions.model.derived import Slot
from ravenglass.sessions.model.session import Session

_LOCK = Lock()
_EXCHANGES: int = Profile.model_fields["need_exchanges"].default
_OPEN_CALLS = 2
"""The last calls of a session may still change: they are read anew when it grows."""


class SessionNeeds:
    """Needs by the id of the response, and the results that can be fetched again."""

    def __init__(
        self, session: Session, before: SessionNeeds | None = None, same: int = 0, most_exchanges: int = _EXCHANGES
    ) -> None:
        """`before` is that of the same session when it was shorter; its first `same` messages are what they were."""
        self._names, self._fetches, self._read = Names(most_exchanges), Fetches(session.project), 0
        self._found: dict[int, tuple[Need, ...]] = {}
        if before is not None and before._read <= same:
            self._names, self._fetches, self._read = before._names, before._fetches, before._read
            self._found = {response: found for response, found in before._found.items() if response < self._read}
        calls = session.structure.calls
        responses = frozenset(call.message for call in calls)
        settled = calls[-_OPEN_CALLS].message if len(calls) > _OPEN_CALLS else 0
        with _LOCK:
            self._go_on(session, responses, self._names, self._fetches, max(settled, self._read))
            self._read = max(settled, self._read)
            # The end is read by copies, so that what is settled can be carried on when the session grows.
            names, fetches = self._names.over(), self._fetches.copy()
        self._go_on(session, responses, names, fetches, len(session.messages), self._read)
        fetches.settle(len(session.messages))
        self._names_at_end = names
        self._again = {
            response: tuple(map(self._with_mentions, found, repeat(response)))
            for response, found in fetches.found.items()
        }
        self.shown: dict[int, tuple[str, int]] = fetches.shown
        """Result that can be fetched again -> what it shows, and the message since which it may be out of date (-1: it
        never was)."""

    def _go_on(
        self, session: Session, responses: frozenset[int], names: Names, fetches: Fetches, end: int, start: int = -1
    ) -> None:
        for message in session.messages[self._read if start < 0 else start : end]:
            if message.id in responses:
                self._found[message.id] = names.needed(session, message)
            if message.id not in session.structure.never_sent:
                names.read(message)
                fetches.read(message)

    def _with_mentions(self, need: Need, response: int) -> Need:
        named = self.naming(need.what, response)
        return replace(need, mentions=tuple(m for m in named if m not in need.sources)) if named else need

    def naming(self, what: str, before: int) -> tuple[int, ...]:
        """Messages before one that hold a term in any spelling, ascending; none for what is no term (a command, a
        pattern of words)."""
        return self._names_at_end.naming(what, before)

    def of(self, response: int) -> tuple[Need, ...]:
        """Needs of a response: names in the order that it says them, then fetches again."""
        return (*self._found.get(response, ()), *self._again.get(response, ()))


_NEEDS = Slot[SessionNeeds]("needs")


def needs_of(session: Session, most_exchanges: int = _EXCHANGES) -> SessionNeeds:
    """What the responses of a session need under a profile's `need_exchanges`; worked out at the first call, then kept
    with the session."""
    return _NEEDS.made(session, lambda: SessionNeeds(session, most_exchanges=most_exchanges), most_exchanges)


def carry_over(before: Features, after: Features, most_exchanges: int) -> None:
    """Keep what is known of a session that has grown; `after` is made of `before`."""
    known = _NEEDS.get(before.session, most_exchanges)
    if known is None:
        return
    groups = after.groups
    same = groups[after.reused].messages[0] if after.reused < len(groups) else len(after.session.messages)
    same = min(same, len(before.session.messages))
    _NEEDS.keep(after.session, SessionNeeds(after.session, known, same, most_exchanges), most_exchanges)
