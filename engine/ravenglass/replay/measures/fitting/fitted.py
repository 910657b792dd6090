"""What the fit of estimates to reported figures says: scales, overheads, errors, and how far to trust it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from ravenglass.replay.measures.fitting.estimates import Thinking
from ravenglass.replay.measures.fitting.shifts import Shift

NO_SEGMENT = -1
"""Of a call in a stretch without any reported figure."""


@dataclass(frozen=True, slots=True)
class CallFit:
    """One call. Tokens; None is unknown. `raw` is the estimate before the fit, `fitted` after it."""

    call: int
    segment: int
    reported: int | None
    raw: float
    fitted: float | None
    error: float | None
    """Relative, 0 and up; None where the call is not judged."""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Errors:
    """Relative errors over `calls` calls."""

    calls: int
    median: float
    p95: float
    largest: float

    @classmethod
    def of(cls, errors: Sequence[float]) -> Errors | None:
        """None for no errors; the percentile is the nearest rank."""
        if not errors:
            return None
        ranked = sorted(errors)
        return cls(len(ranked), median(ranked), ranked[math.ceil(0.95 * len(ranked)) - 1], ranked[-1])


@dataclass(frozen=True, slots=True)
class ModelFit:
    """What one model's calls gave. `model` is empty where the record names none."""

    model: str
    scale: float
    thinking: Thinking
    calls: int
    """Judged ones."""
    plausible: bool
    """Whether the scale can be one between token tables."""


@dataclass(frozen=True)
class Fidelity:
    """The fit of one session. `parameters` were fitted to `errors.calls` calls."""

    models: tuple[ModelFit, ...]
    """The model of most calls first."""
    overheads: dict[int, float]
    """Segment -> tokens in each of its windows that the record does not hold (below 0: less than the record says)."""
    shifts: tuple[Shift, ...]
    """Changes of the figures that the record does not explain; each begins a segment."""
    jumps: int
    """How often the figures jumped up and down so, also where it was too often to make segments of it."""
    parameters: int
    reported: int
    """Calls with a reported figure."""
    errors: Errors
    content_error: float
    """Sum of the errors over the sum of what the record holds (reported less overhead): the overhead, which is often
    most of a window and the same in all of them, does not flatter this one. Infinite where the record holds nothing."""
    held_out: Errors | None
    """Errors of calls that the fit had not seen: each of `FOLDS` contiguous parts is predicted from the others."""
    calls: tuple[CallFit, ...]
    """Every call of the session, also those without a figure."""
    table: str
    """Token table of the estimates."""
    base_overhead: float
    """Overhead of a window that a writer never compacted: the smallest that no unexplained change made, 0 or more."""
    level: str = "good"
    """`good`, `coarse` (shown with a sentence) or `unfit`: nothing is told in terms of an unfit one."""
    doubt: str = ""
    """Why the fit is not a good one, as complete sentences; empty for a good one."""
    replaced: bool = False
    """Whether most texts of the record are placeholders: what was sent cannot be counted, so nothing is judged by
    it."""

    @property
    def scale(self) -> float:
        """Of the model of most calls."""
        return self.models[0].scale

    @property
    def thinking(self) -> Thinking:
        return self.models[0].thinking

    @property
    def plausible(self) -> bool:
        """Whether the scale of the model of most calls can be one between token tables."""
        return self.models[0].plausible

    @property
    def trusted(self) -> bool:
        """Whether windows may be told in the fit's terms."""
        return self.plausible and self.level != "unfit" and not self.replaced

    @cached_property
    def _by_model(self) -> dict[str, ModelFit]:
        return {made.model: made for made in self.models}

    def of(self, model: str) -> ModelFit:
        """The fit of a model; of one that had too few calls, that of most calls."""
        return self._by_model.get(model, self.models[0])
