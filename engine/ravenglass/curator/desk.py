"""What the curator works on at one call: the manifest, the archive, a draft of what it proposes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ravenglass.curator.archive import Archive
from ravenglass.curator.assembler import assemble
from ravenglass.curator.memory import Memory
from ravenglass.curator.plan import Assembled, Author, Plan
from ravenglass.curator.working_state.state import WorkingState
from ravenglass.errors import PlanError
from ravenglass.scheduler.packing import Decision, schedule
from ravenglass.scheduler.view import View


@dataclass
class Desk:
    """The tools read and write this. Nothing here changes the session's state: accepting a plan does."""

    view: View
    archive: Archive
    working_state: WorkingState
    author: Author = "planner"
    memory: Memory = field(default_factory=lambda: Memory(None))
    """The agent's long-term memory."""
    to_archive: dict[int, str] = field(default_factory=dict)
    relevance: dict[int, float] = field(default_factory=dict)
    assembled: Assembled | None = None
    """Set once a plan was accepted."""

    over: Assembled | None = None
    """The latest plan that was over budget, as the assembler trimmed it: what stands if no better one comes."""
    steps_left: int = 1
    """Steps after this one: a plan that needs mending goes back only while there are any."""

    def __post_init__(self) -> None:
        self._found = self.working_state

    def clear(self) -> None:
        """Take back everything that was drafted."""
        self.to_archive.clear()
        self.relevance.clear()
        self.over = None
        self.working_state = self._found

    @cached_property
    def decision(self) -> Decision:
        """The scheduler's own proposal, for scores, ranks and exemptions."""
        return schedule(self.view)

    def score(self, group: int) -> float:
        """The score of a group, with what the curator set at this call."""
        profile, scores = self.view.profile, self.decision.scores
        if group not in self.relevance:
            return scores.total[group]
        return scores.total[group] + profile.weight_relevance * (self.relevance[group] - scores.relevance[group])

    def groups_of(self, messages: list[int]) -> list[int]:
        """Groups of message ids. Raises PlanError naming the ids that the call does not know."""
        boundary = self.view.features.boundary(self.view.call)
        unknown = [m for m in messages if not 0 <= m < boundary]
        if unknown:
            raise PlanError(
                f"message ids {unknown[:10]} are not known at call {self.view.call}; known ids are 0 to {boundary - 1}"
            )
        group_of = self.view.features.session.structure.group_of
        return sorted({group_of[m] for m in messages})

    def propose(self, include: list[int], with_working_state: bool, notes: str) -> Assembled:
        """Have the assembler judge a plan made of `include` and the draft."""
        drafted = self.working_state if self.working_state != self._found else None
        plan = Plan(
            frozenset(include), self.author, dict(self.to_archive), dict(self.relevance), drafted,
            with_working_state, notes,
        )  # fmt: skip
        scores = [self.score(g) for g in range(self.view.known)]
        return assemble(self.view, plan, self.decision.exempt, scores)
