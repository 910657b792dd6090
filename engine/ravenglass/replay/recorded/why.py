"""Why a message is in or out of a recorded window: what the writer did, never what the engine would have done."""

from __future__ import annotations

from collections.abc import Iterator

from ravenglass.hub.item import Form, State
from ravenglass.replay.frame import LifeSpan, Why
from ravenglass.replay.recorded.windows import RecordedWindows
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Moment
from ravenglass.sessions.model.session import Marker

_WORDS = {
    "compaction": "compacted its window",
    "clearing": "cleared results from its window",
    "rollback": "went back",
    "consolidated": "moved the older part of the session out of its window",
    "resume": "read its own transcript back",
    "new_chain": "cleared its context and began anew",
}


def what(marker: Marker) -> str:
    """What the writer did, with what it said of it; of a change that only the figures tell, its note."""
    if marker.kind not in _WORDS:
        return marker.note
    note = f" ({marker.note})" if marker.note else ""
    return f"the writer {_WORDS[marker.kind]}{note}"


def taken_by(windows: RecordedWindows, call: int, message: int) -> Marker | None:
    """The latest marker that took a message out of the window, or cleared it, seen from a call."""
    if windows.clears(call, message):
        marks = (epoch.marker for epoch in windows.up_to(call))
        return next((m for m in marks if m is not None and message in m.cleared), None)
    if windows.holds(call, message):
        return None
    last: Marker | None = None
    held = True
    for epoch in windows.up_to(call):
        if epoch.before > message and held != epoch.holds(message):
            held, last = not held, epoch.marker
    return last


class RecordedWhy:
    """Explains one message at one call of a recorded run."""

    def __init__(self, inputs: Inputs, windows: RecordedWindows, moment: Moment, message: int) -> None:
        self._inputs, self._windows, self._moment, self._message = inputs, windows, moment, message

    def why(self) -> Why:
        """Scores are this engine's and decided nothing here; the reasons say so."""
        g, call, profile = (
            self._inputs.session.structure.group_of[self._message],
            self._moment.call,
            self._inputs.profile,
        )
        scores = self._moment.scores
        reasons = tuple(self._reasons())
        return Why(
            message=self._message, call=call, included=self._windows.holds(call, self._message), headline=reasons[0],
            relevance=scores.relevance[g], recency=scores.recency[g], reliability=scores.reliability[g],
            weights=(profile.weight_relevance, profile.weight_recency, profile.weight_source), score=scores.total[g],
            decided_at=self._decided_at(), rank=None, ranked=0, cut_rank=None, cut_score=None, reasons=reasons[1:],
            matched=(), life=life(self._inputs, self._windows, self._message),
        )  # fmt: skip

    def _marker(self) -> Marker | None:
        return taken_by(self._windows, self._moment.call, self._message)

    def _decided_at(self) -> int:
        """The first call that was made under the marker; 0 where none touched the message."""
        marker = self._marker()
        if marker is None:
            return 0
        return self._windows.first_call(marker.before)

    def _reasons(self) -> Iterator[str]:
        """Complete sentences; the first is the one that decided."""
        call, message, windows = self._moment.call, self._message, self._windows
        marker, at = self._marker(), self._decided_at()
        if not windows.sent(message):
            yield f"It is out because {windows.never[message]}."
        elif marker is None and windows.holds(call, message):
            kept = windows.epoch(call)
            if message < kept.start and kept.marker is not None:
                yield f"It is in because it stayed when {what(kept.marker)}."
            else:
                yield "It is in because the writer sends everything since it last changed its window."
        elif marker is not None and windows.holds(call, message):
            yield f"It is in as a note only: before call {at} {what(marker)}."
        elif marker is not None:
            yield f"It is out because before call {at} {what(marker)}."
        else:
            yield "It is out; the record does not say why."
        for epoch in self._windows.up_to(call):
            told = epoch.marker
            if told is not None and told.kind == "fall" and message < told.before and windows.holds(call, message):
                yield f"It may have left before call {windows.first_call(told.before)}: {told.note}."
        yield "This is what was recorded; no score, quota or threshold of this engine had a part in it."


def life(inputs: Inputs, windows: RecordedWindows, message: int) -> tuple[LifeSpan, ...]:
    """In and out of the window over the calls that know the message."""
    calls = len(inputs.features.calls)
    first = windows.first_call(message + 1)
    spans: list[LifeSpan] = []
    for begin, end in windows.stretches(first, calls):
        state = State.ACTIVE if windows.holds(begin, message) else State.STANDBY
        form = Form.OUT if state is State.STANDBY else Form.FULL
        if windows.clears(begin, message):
            form = Form.PARTIAL
        if spans and (spans[-1].state, spans[-1].form) == (state, form):
            begin = spans.pop().first
        spans.append(LifeSpan(begin, end, state, form))
    return tuple(spans)
