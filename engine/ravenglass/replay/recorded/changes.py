"""All that happened to a writer's window: the markers of the record, and changes that only the figures tell."""

from __future__ import annotations

from collections.abc import Iterator

from ravenglass.replay.measures.fitting.fitted import Fidelity
from ravenglass.sessions.model.session import Marker, Session


def with_shifts(session: Session, found: Fidelity | None) -> tuple[Marker, ...]:
    """The markers of a session and one for each shift, in order. What a shift changed is not known, so it takes no
    message out of a window; it says that the window is not what the record shows."""
    shifted = _markers(session, found) if found is not None else ()
    return tuple(sorted((*session.markers, *shifted), key=lambda marker: marker.before))


def _markers(session: Session, found: Fidelity) -> Iterator[Marker]:
    calls = session.structure.calls
    for shift in found.shifts:
        # It stands before the first message that came since the call before, so that it is at that call.
        before = calls[shift.call - 2].message + 1 if shift.call > 1 else 0
        size = f"{abs(shift.tokens):,} tokens"
        if shift.tokens < 0:
            note = f"the reported figure fell by {size} here more than the record explains; it does not say why"
            yield Marker("fall", before, note, None)
        else:
            note = (
                f"the reported figure rose by {size} here more than the record explains; it does not say what came in"
            )
            yield Marker("rise", before, note, None)
