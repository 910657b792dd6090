"""Where the needs of a session were in the windows that were really sent. Of a profile they depend only on
`need_exchanges`."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.profile import Profile
from ravenglass.replay.figures import PlacedNeed, Where
from ravenglass.replay.measures.needs.need import Need
from ravenglass.replay.measures.needs.session import SessionNeeds, needs_of
from ravenglass.sessions.model.derived import Slot
from ravenglass.sessions.model.presence import Presence
from ravenglass.sessions.model.session import Session


@dataclass(frozen=True, slots=True)
class RecordedNeed:
    """A need, and where it was in the recorded window of its call."""

    call: int
    response: int
    need: Need
    where: Where
    groups: tuple[int, ...]
    """The groups of its sources."""
    stands: PlacedNeed
    """How it counts in a window that holds all of its sources in full, and for a name one of them."""


class RecordedNeeds:
    """Needs of every call in order, with where they were."""

    def __init__(self, session: Session, most_exchanges: int) -> None:
        self.needs: SessionNeeds = needs_of(session, most_exchanges)
        self._never = session.structure.never_sent
        self._presence = Presence(session.markers)
        group_of = session.structure.group_of
        self.by_call: tuple[tuple[RecordedNeed, ...], ...] = tuple(
            tuple(
                RecordedNeed(
                    call.number,
                    call.message,
                    need,
                    self._where(call.message, need),
                    tuple(group_of[m] for m in need.sources),
                    _verbatim(call.number, need),
                )
                for need in self.needs.of(call.message)
            )
            for call in session.structure.calls
        )
        """Index 0 is call 1."""

    def holds(self, boundary: int, message: int) -> bool:
        """Whether a message stood in full in the window of the call that sees those below `boundary`."""
        epoch = self._presence.at(boundary)
        return (
            message < boundary and message not in self._never and epoch.holds(message) and message not in epoch.cleared
        )

    def _where(self, boundary: int, need: Need) -> Where:
        if need.stands(lambda source, _: self.holds(boundary, source)):
            return "verbatim"
        if any(self.holds(boundary, mention) for mention in need.mentions):
            return "mentioned"
        return "never_there" if all(source in self._never for source in need.sources) else "gone"


def _verbatim(call: int, need: Need) -> PlacedNeed:
    if need.kind == "name":
        return PlacedNeed(call, "name", "verbatim")
    return PlacedNeed(call, "fetch_again", "verbatim", need.sources, need.sources)


_RECORDED = Slot[RecordedNeeds]("recorded needs")


def recorded_needs(session: Session, profile: Profile) -> RecordedNeeds:
    """Worked out at the first call, then kept with the session."""
    most = profile.need_exchanges
    return _RECORDED.made(session, lambda: RecordedNeeds(session, most), most)
