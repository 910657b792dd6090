"""The trace of a call in a recorded run: what the writer did to its window, and what came back. No decision of ours."""

from __future__ import annotations

from collections.abc import Iterator

from ravenglass.replay.answers.events import response_event
from ravenglass.replay.recorded.windows import RecordedWindows
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.sessions.model.session import Marker
from ravenglass.trace import EventName, TraceEvent
from ravenglass.trace.items import FiguresJumped, WriterDropped, WriterOffloaded, WriterRolledBack, WriterSummarized

EVENT_OF: dict[str, EventName] = {
    "compaction": "summarized",
    "consolidated": "summarized",
    "clearing": "offloaded",
    "rollback": "rolled_back",
    "resume": "rolled_back",
    "new_chain": "rolled_back",
    "fall": "diagnosis",
    "rise": "diagnosis",
}
"""What a marker is called in a trace; the payload says that the writer did it, and its own word for it."""

_MADE: dict[EventName, type[WriterSummarized | WriterOffloaded | WriterRolledBack | FiguresJumped]] = {
    made.event: made for made in (WriterSummarized, WriterOffloaded, WriterRolledBack, FiguresJumped)
}


def recorded_events(inputs: Inputs, windows: RecordedWindows, call: int) -> Iterator[TraceEvent]:
    """Events of one call, in order."""
    ts = inputs.time_of(call)
    for marker in windows.markers(call):
        yield TraceEvent(_payload(marker), call, ts, marker.cleared or (marker.keep or ()))
    left = tuple(m for m in windows.left(call))
    if left:
        yield TraceEvent(WriterDropped(), call, ts, left)
    response = inputs.response(call)
    if response is not None:
        yield response_event(response, call)


def _payload(marker: Marker) -> WriterSummarized | WriterOffloaded | WriterRolledBack | FiguresJumped:
    return _MADE[EVENT_OF[marker.kind]](
        by="figures" if marker.kind in ("fall", "rise") else "writer",
        kind=marker.kind,
        note=marker.note,
        kept=None if marker.keep is None else len(marker.keep),
        cleared=len(marker.cleared),
        tokens_before=marker.tokens_before,
        tokens_after=marker.tokens_after,
    )
