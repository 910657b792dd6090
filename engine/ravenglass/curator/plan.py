"""A Plan: what a curator proposes for one window. It never takes effect before the assembler has validated it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ravenglass.curator.working_state.state import WorkingState
from ravenglass.hub.item import Form
from ravenglass.hub.summary import Summary

Author = Literal["planner", "manual", "model", "recorded", "fail_safe"]
BUILD_CONTEXT = "curator_build_context"
"""The tool that a plan is handed in with."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`include` are message ids, in any order; the assembler closes them over their groups.

    `archive` maps group -> reason. `relevance` maps group -> the value that was set. `scores` order the trimming
    where the plan does not fit.
    """

    include: frozenset[int]
    author: Author
    archive: dict[int, str] = field(default_factory=dict)
    relevance: dict[int, float] = field(default_factory=dict)
    working_state: WorkingState | None = None
    """What the working state becomes; None leaves it as it is."""
    with_working_state: bool = True
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """How one group stands in the assembled window. `cap` is set for shrunk groups only."""

    form: Form
    tokens: int
    cap: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The assembler's answer. `errors` make a plan rejected, `warnings` are what was put right without asking."""

    ok: bool
    tokens: int
    budget: int
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    impossible: bool = False

    @property
    def over_by(self) -> int:
        return max(0, self.tokens - self.budget)


@dataclass(frozen=True, slots=True)
class Assembled:
    """What the assembler decided: the window as placed groups, and who was dropped or shrunk to make it fit."""

    verdict: Verdict
    placed: dict[int, Placed]
    opening: bool
    """The window needs the opening mark, for it would not start with a user message."""
    with_working_state: bool
    archive: dict[int, str]
    dropped: tuple[int, ...] = ()
    shrunk: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    """Groups that were added whether the plan named them or not."""
    summary: Summary | None = None
    """What stands for the groups that are out, where offload and eviction did not reach the budget."""
    asked: int = 0
    """Tokens of the closed plan before it was made to fit."""
    author: Author = field(default="planner", compare=False)
    """Who made the plan; the same window is the same whoever did."""
    working_state: WorkingState | None = None
    """What the working state becomes with it; None: it stays."""
    relevance: dict[int, float] = field(default_factory=dict)
    """Group -> the relevance that was set with it; it holds until it is set again."""
