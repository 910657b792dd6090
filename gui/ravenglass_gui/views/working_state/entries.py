"""The working state as rows to draw: headings with their limits, lines, and what came or went at this call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ravenglass.profile import Profile
from ravenglass.replay.vocabulary import ListDiff, ListName, StateLine, WorkingState, diff, most_lines
from ravenglass.trace import Json
from ravenglass.traces.verdicts import strings

TITLES: dict[ListName, str] = {"goals": "Goals", "open_threads": "Open threads", "decisions": "Decisions"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One row. `source` is the id of the message that a line comes from; `list` is empty for a note."""

    kind: Literal["heading", "line", "added", "removed", "none", "note"]
    text: str
    facts: str = ""
    source: int | None = None
    list: ListName | None = None
    by_hand: bool = False
    full: bool = False
    """Of a heading: its list takes no more lines."""

    @property
    def editable(self) -> bool:
        """Whether it is a line that holds at the call."""
        return self.kind in ("line", "added") and self.list is not None


def entries(state: WorkingState, before: WorkingState, profile: Profile) -> list[Entry]:
    """Rows for the state at a call; `before` is the state of the previous call."""
    changes = diff(before, state)
    parts: tuple[tuple[ListName, Sequence[StateLine], ListDiff], ...] = (
        ("goals", state.goals, changes.goals),
        ("open_threads", state.open_threads, changes.open_threads),
        ("decisions", state.decisions, changes.decisions),
    )
    rows: list[Entry] = []
    for name, lines, change in parts:
        most = most_lines(profile, name)
        rows.append(Entry("heading", TITLES[name], f"{len(lines)} of {most}", list=name, full=len(lines) >= most))
        added = {line.text for line in change.added}
        rows.extend(_entry("added" if x.text in added else "line", x, name) for x in lines)
        rows.extend(_entry("removed", x, name) for x in change.removed)
        if not lines and not change.removed:
            rows.append(Entry("none", "none yet", list=name))
    return rows


def logged_entries(recorded: Json) -> list[Entry]:
    """Rows for a working state as a trace log has it: lists of texts, without where they come from."""
    rows: list[Entry] = []
    for name, title in TITLES.items():
        lines = strings(recorded.get(name))
        rows.append(Entry("heading", title, f"{len(lines):,}"))
        rows.extend(Entry("line", text) for text in lines)
        if not lines:
            rows.append(Entry("none", "not in the log"))
    return rows


def _entry(kind: Literal["line", "added", "removed"], line: StateLine, name: ListName) -> Entry:
    return Entry(kind, line.text, f"#{line.source}", line.source, name, line.by_hand)
