"""What the hub knows of a context item: its state, the form it takes in a window, and its standing flags."""

from __future__ import annotations

from enum import IntEnum

from ravenglass.errors import TransitionError


class State(IntEnum):
    """Life of a context item. The integer is how the replay stores it; users see `label`."""

    REGISTERED = 0
    ACTIVE = 1
    STANDBY = 2
    EXPIRED = 3
    ARCHIVED = 4

    @property
    def label(self) -> str:
        return self.name.lower()


TRANSITIONS: dict[State, frozenset[State]] = {
    State.REGISTERED: frozenset({State.ACTIVE, State.STANDBY, State.EXPIRED}),
    State.ACTIVE: frozenset({State.STANDBY, State.EXPIRED}),
    State.STANDBY: frozenset({State.ACTIVE, State.ARCHIVED, State.EXPIRED}),
    State.EXPIRED: frozenset({State.ARCHIVED}),
    State.ARCHIVED: frozenset({State.STANDBY}),
}


def change(before: State, after: State) -> State:
    """`after`, if the state machine has that step. Raises TransitionError naming both states."""
    if after not in TRANSITIONS[before]:
        allowed = ", ".join(s.label for s in sorted(TRANSITIONS[before]))
        raise TransitionError(f"an item that is {before.label} cannot become {after.label}; it can become {allowed}")
    return after


class Form(IntEnum):
    """How a group stands in the window."""

    OUT = 0
    FULL = 1
    OFFLOADED = 2
    """Results over `offload_tokens` are stubs, the rest is verbatim."""
    STUB = 3
    """Every result is a stub (a released look-up)."""
    SHRUNK = 4
    """The largest results were cut to what was left of the budget."""
    REFERENCE = 5
    """Results that stand again later are references, newer versions of a file are differences."""
    PARTIAL = 6
    """Only in a recorded run: the writer left a part of it in its window, or a note in place of a result."""
    UPDATED = 7
    """Whole reads of files that were edited since are shown as the edits left the files."""

    @property
    def label(self) -> str:
        return self.name.lower()


WITH_CAP = frozenset({Form.SHRUNK, Form.REFERENCE, Form.UPDATED})
"""Forms whose text also depends on a number that is kept with them: tokens, or what the group was told by."""
