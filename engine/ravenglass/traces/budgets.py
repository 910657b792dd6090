"""The budget that a log states, in the reference implementation's words or in ours."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.sessions.records.values import count, mapping
from ravenglass.trace import Json


@dataclass(frozen=True, slots=True)
class LoggedBudget:
    """All in tokens; None: the log does not say. `available` is C, what history may take."""

    window: int | None = None
    output_reserve: int | None = None
    system: int | None = None
    """System prompt and tool definitions together."""
    safety: int | None = None
    available: int | None = None


def read_budget(start: Json) -> LoggedBudget:
    """The budget in a `curator_start` payload."""
    found = mapping(start.get("budget"))
    system, tools = count(found.get("reserved_system")), count(found.get("reserved_tools"))
    if "context_length" in found:
        both = system + tools if system is not None and tools is not None else None
        return LoggedBudget(
            count(found.get("context_length")), count(found.get("reserved_output")), both, None,
            count(found.get("available_history")),
        )  # fmt: skip
    names = ("window", "output_reserve", "system", "safety", "available")
    return LoggedBudget(*(count(found.get(name)) for name in names))
