"""What two snapshots of a run differ in, made from a twin of the run, away from the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.vocabulary import Snapshot, Taken, compare, encode
from ravenglass_gui.text.numbers import amount
from ravenglass_gui.views.snapshots.diff_text import diff_text

FIRST = "This is the first snapshot."


@dataclass(frozen=True, slots=True)
class Difference:
    """`facts`: entries and size of the chosen snapshot; `text`: what differs from the other one."""

    facts: str
    text: str


class Differences:
    """Remembers what it made for a run; used from one thread."""

    def __init__(self, run: SimulatedRun) -> None:
        self._run = run
        self._twin: SimulatedRun | None = None
        self._held: dict[int, Snapshot] = {}

    def between(self, taken: Taken, other: Taken | None, full: Taken | None) -> Difference:
        """`full` is the whole snapshot that `taken` is a difference from, where it is one."""
        held = self._snapshot(taken)
        size = len(encode(held, None if full is None else self._snapshot(full)))
        facts = f"{amount(len(held.entries), 'entry', 'entries')} · {size:,} bytes, {taken.kind}"
        return Difference(facts, FIRST if other is None else diff_text(compare(self._snapshot(other), held)))

    def _snapshot(self, taken: Taken) -> Snapshot:
        if self._twin is None:
            self._twin = self._run.twin()
        if taken.step not in self._held:
            self._held[taken.step] = self._twin.snapshot(taken)
        return self._held[taken.step]
