"""Changes at a call, nearly all made by a person: they make a branch (a new run), the record is never touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ravenglass.curator.plan import Plan
from ravenglass.curator.policies.manual import Submission
from ravenglass.curator.working_state.edits import StateEdit, StateUpdate
from ravenglass.errors import PlanError
from ravenglass.scheduler.budget import Budget

ChangeKind = Literal["pin", "unpin", "protect", "unprotect", "archive", "retrieve", "relevance"]


@dataclass(frozen=True, slots=True)
class HandChange:
    """From `call` on, `kind` holds for the group of `message`. `value` is the relevance, 0..1, for `relevance`."""

    call: int
    kind: ChangeKind
    message: int
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Rating:
    """The relevance, 0..1, that a curator set for the group of `message` at `call`: it holds from the next call on,
    until it is set again, by whoever."""

    call: int
    message: int
    value: float

    def held(self) -> HandChange:
        """What it comes to, in the words of a change."""
        return HandChange(self.call + 1, "relevance", self.message, self.value)


@dataclass(frozen=True, slots=True)
class HandPlan:
    """A person's plan in place of the planner's, for the slow path at `call`; all by message ids.

    It is judged like any other plan. Where the call takes the fast path it has no effect; what cannot be archived there
    (any more) is left as it is.
    """

    call: int
    include: frozenset[int]
    working_state: bool = True
    archive: frozenset[int] = frozenset()

    def plan(self, group_of: Sequence[int]) -> Plan:
        """The plan that the assembler judges; `group_of` gives the group of a message."""
        archive = dict.fromkeys(sorted({group_of[m] for m in self.archive}), self.submission().reason)
        return Plan(self.include, "manual", archive, with_working_state=self.working_state)

    def submission(self) -> Submission:
        """The same for the stepped conversation."""
        return Submission(self.include, self.archive, working_state=self.working_state)


@dataclass(frozen=True, slots=True)
class FileChange:
    """From `call` on, the content of a file that the group of `message` shows is outdated, for the file was changed
    outside the session, while that was paused. `how`: what was seen of it, in the past tense."""

    call: int
    message: int
    path: str
    how: str = "changed"


@dataclass(frozen=True, slots=True)
class RollBack:
    """The run was brought back to its snapshot after `call - 1`, from a run that had come to call `from_call`.

    It decides nothing: whoever makes it leaves out the changes that were made after the snapshot. The trace says it.
    """

    call: int
    snapshot: str
    task: int
    from_call: int


@dataclass(frozen=True, slots=True)
class Compaction:
    """A slow path at `call`, whatever the fast path's threshold says, that packs into `target` tokens."""

    call: int
    target: int


def compaction(call: int, target: float | None, budget: Budget) -> Compaction:
    """A compaction to a target: up to 1 a fraction of C, above it tokens, None the profile's. Raises PlanError."""
    tokens = budget.target if target is None else round(target * budget.available if target <= 1 else target)
    if not 0 < tokens <= budget.available:
        raise PlanError(
            f"A compaction to {tokens:,} tokens is impossible: the target has to be over 0 and at most C,"
            f" {budget.available:,} tokens. Nothing was changed."
        )
    return Compaction(call, tokens)


Change = HandChange | Rating | HandPlan | StateEdit | StateUpdate | FileChange | RollBack | Compaction
"""Everything that a branch can begin with, the profile aside."""


def is_a_curators(change: Change) -> bool:
    """Whether a curator made it as it decided a call, and no person."""
    return isinstance(change, StateUpdate | Rating)


def rolled_back(changes: Sequence[Change], call: int, snapshot: str, task: int, from_call: int) -> tuple[Change, ...]:
    """The changes of a run brought back to the snapshot of that name, taken after `call`: those up to it, and the note
    that it was. An earlier return to a later call is undone with what came after the snapshot."""
    kept = tuple(change for change in changes if change.call <= call)
    return (*kept, RollBack(call + 1, snapshot, task, from_call))


__all__ = [
    "Change",
    "ChangeKind",
    "Compaction",
    "FileChange",
    "HandChange",
    "HandPlan",
    "Rating",
    "RollBack",
    "StateEdit",
    "StateUpdate",
    "compaction",
    "is_a_curators",
    "rolled_back",
]
