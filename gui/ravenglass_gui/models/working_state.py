"""The working state as rows to draw: headings with their limits, lines, and what came or went at this call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ravenglass.curator.working_state import Line, ListDiff, WorkingState, diff
from ravenglass.profile import Profile


@dataclass(frozen=True, slots=True)
class Entry:
    """One row. `source` is the id of the message that a line comes from."""

    kind: Literal["heading", "line", "added", "removed", "none"]
    text: str
    facts: str = ""
    source: int | None = None


def entries(state: WorkingState, before: WorkingState, profile: Profile) -> list[Entry]:
    """Rows for the state at a call; `before` is the state of the previous call."""
    changes = diff(before, state)
    parts: tuple[tuple[str, Sequence[Line], ListDiff, int], ...] = (
        ("Goals", state.goals, changes.goals, profile.max_goals),
        ("Open threads", state.open_threads, changes.open_threads, profile.max_open_threads),
        ("Decisions", state.decisions, changes.decisions, profile.max_decisions),
    )
    rows: list[Entry] = []
    for title, lines, change, most in parts:
        rows.append(Entry("heading", title, f"{len(lines)} of {most}"))
        added = {line.text for line in change.added}
        rows.extend(Entry("added" if x.text in added else "line", x.text, f"#{x.source}", x.source) for x in lines)
        rows.extend(Entry("removed", x.text, f"#{x.source}", x.source) for x in change.removed)
        if not lines and not change.removed:
            rows.append(Entry("none", "none yet"))
    return rows
