"""The mutable state of a replay: state and form of every group, and the log of its changes.

The log is what a Run keeps: it grows with the changes, not with calls x groups, and gives the state after any
call by bisection.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from ravenglass.hub.item import Form, State, change


def code(state: int, form: int) -> int:
    """State and form in one small integer."""
    return state | form << 3


_DECODED = {code(state, form): (state, form) for state in State for form in Form}


def decode(value: int) -> tuple[State, Form]:
    """State and form of a code, by table: a replay asks for them at every group of every call."""
    return _DECODED[value]


class Track:
    """Changes of one group: `calls` ascending, `codes` what held from that call on."""

    __slots__ = ("calls", "caps", "codes")

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.codes: list[int] = []
        self.caps: dict[int, int] = {}

    def at(self, call: int) -> int:
        """The code after `call`; 0 (registered, out) before the first change."""
        position = bisect_right(self.calls, call)
        return self.codes[position - 1] if position else 0

    def state_at(self, call: int) -> State:
        """The state after `call`."""
        return decode(self.at(call))[0]

    def form_at(self, call: int) -> Form:
        """How the group stands in the window of `call`; OUT is falsy."""
        return decode(self.at(call))[1]

    def latest(self, back: int = 0) -> tuple[State, Form]:
        """State and form that the log ends with, or ended with `back` changes ago; registered and out before any."""
        return decode(self.codes[-1 - back] if len(self.codes) > back else 0)

    def cap_at(self, call: int) -> int:
        """Tokens that a shrunk group may take after `call`."""
        position = bisect_right(self.calls, call)
        return self.caps.get(self.calls[position - 1], 0) if position else 0

    def out_since(self, call: int) -> int:
        """The call since which the group is out of the window, seen from after `call`; 0 if it is in or not known."""
        position = bisect_right(self.calls, call)
        since = 0
        while position and decode(self.codes[position - 1])[1] is Form.OUT:
            since = self.calls[position - 1]
            position -= 1
        return since

    def last_in(self, call: int) -> int | None:
        """The latest call up to `call` whose window held the group; None where none did."""
        until = call
        for position in range(bisect_right(self.calls, call) - 1, -1, -1):
            if decode(self.codes[position])[1]:
                return until
            until = self.calls[position] - 1
        return None

    def cut(self, call: int) -> Track:
        """A copy with the changes up to `call` only."""
        position = bisect_right(self.calls, call)
        copy = Track()
        copy.calls, copy.codes = self.calls[:position], self.codes[:position]
        copy.caps = {c: cap for c, cap in self.caps.items() if c <= call}
        return copy

    def copy(self) -> Track:
        """A copy with all changes."""
        copy = Track()
        copy.calls, copy.codes, copy.caps = list(self.calls), list(self.codes), dict(self.caps)
        return copy

    def forget(self, call: int) -> None:
        """Take back the latest change, made at `call`."""
        self.calls.pop()
        self.codes.pop()
        self.caps.pop(call, None)


class Live:
    """State and form of every group while a replay runs. Every state change goes through the state machine."""

    def __init__(self, count: int) -> None:
        self.states = bytearray(count)
        self.forms = bytearray(count)
        self.caps: dict[int, int] = {}
        self.out_since: list[int] = [0] * count
        """Call since which a group is out of the window; 0 while it is in, and before it was placed."""
        self._returned: dict[int, int] = {}
        self.touched: set[int] = set()

    def grow(self, count: int) -> None:
        """Make room for more groups."""
        more = count - len(self.states)
        if more > 0:
            self.states.extend(bytes(more))
            self.forms.extend(bytes(more))
            self.out_since.extend([0] * more)

    def move(self, group: int, state: State) -> None:
        """Change the state; staying is allowed. Raises TransitionError for a step that does not exist."""
        before = State(self.states[group])
        if before is not state:
            self.states[group] = change(before, state)
            self.touched.add(group)

    def place(self, group: int, form: Form, call: int, cap: int = 0) -> None:
        """Put the group into the window in a form, or take it out."""
        if self.forms[group] != form or self.caps.get(group, 0) != cap:
            if form is Form.OUT:
                # What comes in and leaves again within one call was out all the time.
                self.out_since[group] = self._returned.pop(group, call)
            elif self.out_since[group]:
                self._returned[group] = self.out_since[group]
                self.out_since[group] = 0
            self.forms[group] = form
            if cap:
                self.caps[group] = cap
            else:
                self.caps.pop(group, None)
            self.touched.add(group)

    def commit(self, tracks: list[Track], call: int) -> list[int]:
        """Write this call's changes to the log; returns the groups that really differ from before, ascending."""
        changed = []
        for group in sorted(self.touched):
            now = code(self.states[group], self.forms[group])
            track = tracks[group]
            cap = self.caps.get(group, 0)
            if (track.codes[-1] if track.codes else 0) != now or (
                track.calls and track.caps.get(track.calls[-1], 0) != cap
            ):
                track.calls.append(call)
                track.codes.append(now)
                if cap:
                    track.caps[call] = cap
                changed.append(group)
        self.touched.clear()
        self._returned.clear()
        return changed

    def take_over(self, tracks: list[Track], groups: Iterable[int], call: int) -> None:
        """Take over what a log says of these groups after `call`; `out_since` is left as it is."""
        for group in groups:
            self.states[group], self.forms[group] = decode(tracks[group].at(call))
            self.caps.pop(group, None)
            if cap := tracks[group].cap_at(call):
                self.caps[group] = cap

    def take_back(self, tracks: list[Track], groups: Iterable[int], call: int) -> None:
        """Take over what a log says of these groups after `call`, which later calls had changed."""
        self.take_over(tracks, groups, call)
        for group in groups:
            self.out_since[group] = 0 if self.forms[group] else tracks[group].out_since(call)

    @classmethod
    def restore(cls, tracks: list[Track], call: int, known: int) -> Live:
        """The state as it was after `call`; only the first `known` groups can differ from new ones."""
        live = cls(len(tracks))
        for group in range(known):
            track = tracks[group]
            live.states[group], live.forms[group] = decode(track.at(call))
            cap = track.cap_at(call)
            if cap:
                live.caps[group] = cap
            if not live.forms[group]:
                live.out_since[group] = track.out_since(call)
        return live
