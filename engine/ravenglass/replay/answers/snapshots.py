"""Snapshots of a replay: when they are taken, what they hold, and how a replay stands there again.

A run keeps no snapshots; it keeps the changes, from which each is made on demand. A running engine writes their bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from ravenglass.errors import StoreError
from ravenglass.hub.item import Form, State
from ravenglass.hub.live import Live
from ravenglass.hub.snapshots.snapshot import Snapshot, SnapshotClock, Standpoint, Taken
from ravenglass.replay.answers.registering import registry
from ravenglass.replay.answers.windows import blocks
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Moment
from ravenglass.replay.stepping.step import Stepper


class Watch:
    """Takes the snapshots of a run call by call. `taken` are all so far, also those that retention has deleted."""

    def __init__(self) -> None:
        self.taken: list[Taken] = []
        self._clock = self._earlier = SnapshotClock()
        """After the latest call, and after the one before it."""

    def follow(self, inputs: Inputs, log: ChangeLog, call: int) -> None:
        """Go on to the next call, which is recorded."""
        self._earlier = replace(self._clock)
        found = self._tick(self._clock, inputs, call, _moved(log, call))
        if found is not None:
            self.taken.append(found)

    def back(self, call: int) -> None:
        """Stand before this call again, which was the latest; not twice in a row."""
        self._clock = self._earlier
        if self.taken and self.taken[-1].step == call:
            self.taken.pop()

    def due(self, inputs: Inputs, call: int, moved: Iterable[int]) -> Taken | None:
        """The snapshot that the next call takes, if it does. `moved`: groups whose state or form it changed."""
        return self._tick(replace(self._clock), inputs, call, moved)

    def _tick(self, clock: SnapshotClock, inputs: Inputs, call: int, moved: Iterable[int]) -> Taken | None:
        features, messages = inputs.features, inputs.session.messages
        clock.every_calls, clock.every_tokens = inputs.profile.snapshot_every_calls, inputs.profile.snapshot_tokens
        before = features.boundary(call - 1) if call > 1 else 0
        answered = sum(messages[m].role == "tool" for m in range(before, features.boundary(call)))
        return clock.tick(call, task_at(inputs, call), answered, sum(inputs.standing.full[g] for g in moved))


def _moved(log: ChangeLog, call: int) -> Iterator[int]:
    for g in log.changed.get(call, ()):
        track = log.tracks[g]
        if track.at(call) != track.at(call - 1):
            yield g


def task_at(inputs: Inputs, call: int) -> int:
    """The task that a call belongs to: that of the newest group it knows."""
    known = inputs.features.known[call]
    return inputs.standing.task_of[known - 1] if known else 0


def snapshot(inputs: Inputs, log: ChangeLog, call: int, task: int) -> Snapshot:
    """What is true right after a call."""
    moment = Moment(inputs, log, call)
    prompt = inputs.standing.tasks[task].prompt
    return Snapshot(
        step=call, task=task, request=prompt,
        instruction="" if prompt is None else inputs.session.messages[prompt].text,
        entries=registry(inputs, log, moment).entries, places=tuple(places(moment.live, moment.view.known)),
        working_state=log.versions[call - 1], latest=tuple(_latest(inputs, log, call)), summary=log.summary(call),
    )  # fmt: skip


def places(live: Live, known: int) -> Iterator[Standpoint]:
    """The places of the first groups."""
    for g in range(known):
        yield Standpoint(State(live.states[g]), Form(live.forms[g]), live.caps.get(g, 0), live.out_since[g])


def _latest(inputs: Inputs, log: ChangeLog, call: int) -> Iterator[int]:
    boundary, groups = inputs.features.boundary(call), inputs.features.groups
    shown = (groups[block.group].messages for block in blocks(inputs, log, call) if block.group >= 0)
    return (m for m in chain.from_iterable(shown) if m < boundary)


def restored(inputs: Inputs, held: Snapshot) -> Stepper:
    """A stepper that stands right after the snapshot's call, as if the replay had never left it.

    Raises StoreError where the snapshot is not of this session.
    """
    if not 1 <= held.step <= len(inputs.features.calls) or inputs.features.known[held.step] != len(held.places):
        raise StoreError(
            f"The snapshot {held.name} is of a session with {len(held.places):,} groups at call {held.step:,}; this one"
            " has another number there. Nothing was restored."
        )
    if held.working_state >= len(inputs.versions):
        raise StoreError(
            f"The snapshot {held.name} holds a working state that this session does not have; nothing was restored."
        )
    live = Live(len(inputs.features.groups))
    for g, place in enumerate(held.places):
        live.states[g], live.forms[g], live.out_since[g] = place.state, place.form, place.out_since
        if place.cap:
            live.caps[g] = place.cap
    return Stepper.standing_at(inputs, live, held.step, held.working_state, held.summary)
