"""The windows of a recorded run as messages, in the order of the record, and what differs between two of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ravenglass.replay.frame import Window, WindowMessage
from ravenglass.replay.recorded.sizes import RecordedSizes
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.sessions.model.presence import Epoch, Presence
from ravenglass.sessions.model.session import Marker, Session


@dataclass(frozen=True, slots=True)
class Seen:
    """A message in a window; equal ones are the same bytes for a provider."""

    message: int
    cleared: bool


class RecordedWindows:
    """Which messages a call's window held. Calls are numbered from 1."""

    def __init__(self, session: Session, markers: Sequence[Marker] | None = None) -> None:
        """`markers`: those of the session, and what the figures tell besides; the session's alone if None."""
        given = session.markers if markers is None else markers
        self.all_markers = tuple(sorted(given, key=lambda marker: marker.before))
        self.never = session.structure.never_sent
        """Messages that were in no window, and why."""
        self._presence = Presence(self.all_markers)
        self._boundaries = [call.message for call in session.structure.calls]

    def boundary(self, call: int) -> int:
        """The call sees messages with an id below this, if they were in the window."""
        return self._boundaries[call - 1]

    def epoch(self, call: int) -> Epoch:
        """What the writer had done to its window by then."""
        return self._presence.at(self.boundary(call))

    def up_to(self, call: int) -> Sequence[Epoch]:
        """All epochs that had begun by the call, in order."""
        return self._presence.epochs[: self._presence.place(self.boundary(call)) + 1]

    def first_call(self, boundary: int) -> int:
        """The first call that sees every message below `boundary`; calls + 1 where none does."""
        return bisect_left(self._boundaries, boundary) + 1

    def stretches(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """(first call, last call) under one epoch each, from one call to another."""
        begin = first
        while begin <= last:
            end = begin
            later = self._presence.place(self.boundary(begin)) + 1
            following = self._presence.epochs[later].before if later < len(self._presence.epochs) else None
            end = last if following is None else min(last, self.first_call(following) - 1)
            yield begin, end
            begin = end + 1

    def sent(self, message: int) -> bool:
        """Whether the message was meant for the model at all."""
        return message not in self.never

    def holds(self, call: int, message: int) -> bool:
        """Whether the message is in the window of the call."""
        return message < self.boundary(call) and self.sent(message) and self.epoch(call).holds(message)

    def clears(self, call: int, message: int) -> bool:
        """Whether only a note is left of the message."""
        return self.holds(call, message) and message in self.epoch(call).cleared

    def seen(self, call: int) -> Iterator[Seen]:
        """The window in order."""
        epoch = self.epoch(call)
        return (Seen(m, m in epoch.cleared) for m in epoch.ids(self.boundary(call)) if self.sent(m))

    def same(self, call: int) -> int:
        """How many messages at the start of a window are those of the window before."""
        if call <= 1:
            return 0
        before, now = self.epoch(call - 1), self.epoch(call)
        if before is now:
            return sum(1 for _ in self.seen(call - 1))
        pairs = zip(self.seen(call - 1), self.seen(call), strict=False)
        return next(
            (place for place, (a, b) in enumerate(pairs) if a != b),
            min(sum(1 for _ in self.seen(call - 1)), sum(1 for _ in self.seen(call))),
        )

    def markers(self, call: int) -> tuple[Marker, ...]:
        """What the writer did to its window between the call before and this one, in order."""
        begun = self.up_to(call)[len(self.up_to(call - 1)) if call > 1 else 1 :]
        return tuple(epoch.marker for epoch in begun if epoch.marker is not None)

    def left(self, call: int) -> tuple[int, ...]:
        """Messages of the window before that are not in this one, ascending."""
        if call <= 1 or self.epoch(call - 1) is self.epoch(call):
            return ()
        return tuple(seen.message for seen in self.seen(call - 1) if not self.holds(call, seen.message))

    def changed(self, call: int, message: int) -> bool:
        """Whether the message stood otherwise in the window before: in, out, or as a note."""
        if message >= self.boundary(call):
            return False
        now = (self.holds(call, message), self.clears(call, message))
        if call <= 1:
            return now[0]
        return now != (self.holds(call - 1, message), self.clears(call - 1, message))

    def changes(self, call: int) -> tuple[int, ...]:
        """All messages that changed, ascending."""
        first = 0 if call <= 1 or self.epoch(call - 1) is not self.epoch(call) else self.boundary(call - 1)
        return tuple(m for m in range(first, self.boundary(call)) if self.changed(call, m))

    def broken_by(self, call: int) -> int | None:
        """The first message of the window before that does not stand at its place any more; None: all of it does."""
        if call <= 1:
            return None
        same = self.same(call)
        return next((seen.message for seen in islice(self.seen(call - 1), same, None)), None)


def window(inputs: Inputs, sizes: RecordedSizes, windows: RecordedWindows, call: int) -> Window:
    """The window of a call, with what is new in it against the previous call."""
    same = windows.same(call)
    known = set(windows.seen(call - 1)) if call > 1 else set()
    messages = tuple(_message(inputs, sizes, seen, added=seen not in known) for seen in windows.seen(call))
    return Window(
        call, "recorded", messages, sum(m.tokens for m in messages), same, sum(m.tokens for m in messages[:same])
    )


def _message(inputs: Inputs, sizes: RecordedSizes, seen: Seen, *, added: bool) -> WindowMessage:
    message = inputs.session.messages[seen.message]
    shown = sizes.left(seen.message, cleared=seen.cleared)
    group = inputs.session.structure.group_of[seen.message]
    return WindowMessage(
        id=message.id,
        role=message.role,
        text=shown.text,
        tokens=shown.tokens,
        section="instruction" if message.role in ("system", "developer") else "history",
        verbatim=shown.verbatim,
        group=group,
        label=message.tool_name or message.role if message.role == "tool" else message.role,
        thinking=message.thinking,
        tool_calls=tuple((c.id, c.name, c.arguments) for c in message.tool_calls),
        tool_call_id=message.tool_call_id,
        added=added,
    )


def ranges(windows: RecordedWindows, call: int) -> list[tuple[int, int]]:
    """The ids of a window as (first, last) stretches, ascending."""
    found: list[tuple[int, int]] = []
    for seen in windows.seen(call):
        if found and found[-1][1] == seen.message - 1:
            found[-1] = (found[-1][0], seen.message)
        else:
            found.append((seen.message, seen.message))
    return found
