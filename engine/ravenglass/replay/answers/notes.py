"""What a trace says besides decisions: a snapshot was taken, the run stands at one again, importance fell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ravenglass.hub.snapshots.snapshot import Taken, dropped, kept, snapshot_name
from ravenglass.replay.answers.snapshots import Watch
from ravenglass.replay.measures.importance import FactsAt, drop, mean_score
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.changes import Change, RollBack
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Rerun, differing
from ravenglass.trace.items import Diagnosis, Offer, RolledBack, SnapshotTaken

Note = RolledBack | SnapshotTaken | Diagnosis

_PLACES = 4
"""Decimal places of a score."""


class Notes:
    """Notes on the calls of one run. `arrivals`: call -> the snapshot that the run stands at again just before it."""

    def __init__(self, facts_at: FactsAt, log: ChangeLog, arrivals: dict[int, RolledBack] | None = None) -> None:
        self._facts_at = facts_at
        self._log = log
        self._arrivals = arrivals or {}
        self._watch = Watch()
        self._followed = 0
        self.mean: tuple[int, float] | None = None
        """The latest call that was looked at, and the mean score of what is active after it."""
        self._is_back = False
        """Whether the watch went one call back and not on since."""

    @classmethod
    def of(cls, inputs: Inputs, log: ChangeLog) -> Notes:
        """Notes on a run that is under the same facts from its first call on."""
        return cls(lambda _: inputs, log)

    def opening(self, call: int) -> Iterator[Note]:
        """Before anything is taken in."""
        if call in self._arrivals:
            yield self._arrivals[call]

    def closing(self, rerun: Rerun) -> Iterator[Note]:
        """After everything is decided; the call need not be recorded yet."""
        call = rerun.result.call
        inputs = self._facts_at(call)
        watch = self._before(call)
        moved = differing(rerun.before, rerun.after, inputs.features.known[call])
        taken = watch.due(inputs, call, moved)
        if taken is not None:
            yield self._taken(watch.taken, taken, inputs.profile.snapshot_keep)
        fall = None
        if call > inputs.profile.rollback_calls:
            self.mean = call, mean_score(inputs, call, rerun.after[0])
            fall = drop(self._facts_at, self._log, call, rerun.before[0], self.mean[1])
        if fall is not None:
            there = kept(watch.taken, inputs.profile.snapshot_keep)
            # The newest by step: tasks follow one another, so it is of the latest task.
            offer = max(there, key=lambda t: t.step, default=None)
            yield Diagnosis(
                rule="importance_drop",
                mean_score=round(fall.now, _PLACES),
                mean_before=round(fall.before, _PLACES),
                calls=inputs.profile.rollback_calls,
                limit=inputs.profile.rollback_drop,
                offer=None if offer is None else Offer(rollback=offer.name, step=offer.step),
            )

    def taken(self, last: int) -> list[Taken]:
        """Every snapshot taken up to a call, oldest first."""
        return list(self._before(last + 1).taken)

    def _before(self, call: int) -> Watch:
        """The watch as it stands before a call."""
        if self._followed == call and not self._is_back:
            self._watch.back(call)
            self._is_back, self._followed = True, call - 1
        elif self._followed >= call:
            self._watch, self._followed, self._is_back = Watch(), 0, False
        for number in range(self._followed + 1, call):
            self._watch.follow(self._facts_at(number), self._log, number)
            self._is_back = False
        self._followed = call - 1
        return self._watch

    def _taken(self, before: list[Taken], taken: Taken, keep: int) -> SnapshotTaken:
        gone = dropped(before, taken, keep)
        return SnapshotTaken(
            snapshot=taken.name,
            step=taken.step,
            task=taken.task,
            kind=taken.kind,
            trigger=taken.trigger,
            base=None if taken.kind == "full" else snapshot_name(taken.task, taken.base),
            deleted=[] if gone is None else [gone.name],
        )


def arrivals_of(changes: Iterable[Change]) -> dict[int, RolledBack]:
    """Call -> what the trace says before it, where a person brought the run back to a snapshot."""
    return {
        c.call: RolledBack(snapshot=c.snapshot, step=c.call - 1, task=c.task, from_call=c.from_call)
        for c in changes
        if isinstance(c, RollBack)
    }
