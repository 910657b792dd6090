"""Changes to the working state at a call that the record does not have: a person's edit of a line, a curator's update.

What the record adds later still comes; a line that was removed or reworded stays so. Values are immutable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from ravenglass.curator.working_state.lines import EMPTY, Limits, StateLine, Versions, WorkingState, cut, says_the_same
from ravenglass.errors import PlanError

COMMIT = "commit: "
"""How the extraction begins a decision that is a commit."""
ListName = Literal["goals", "open_threads", "decisions"]
LIST_NAMES: tuple[ListName, ...] = get_args(ListName)


@dataclass(frozen=True, slots=True)
class StateEdit:
    """From `call` on, `after` takes the place of `before` in a list. Without `before` it is added at the end, without
    `after` the line is removed."""

    call: int
    list: ListName
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """From `call` on, lists that a curator made of those in `before` take their place. Its lines stay until it says
    otherwise; of those it left as they were, what the record drops later goes."""

    call: int
    before: WorkingState
    after: WorkingState


def most_lines(limits: Limits, name: ListName) -> int:
    """How many lines a list holds."""
    return {"goals": limits.max_goals, "open_threads": limits.max_open_threads, "decisions": limits.max_decisions}[name]


def checked(edit: StateEdit, state: WorkingState, limits: Limits) -> StateEdit:
    """The edit with its text on one line. Raises PlanError, a sentence, where the state cannot take it."""
    title = edit.list.replace("_", " ")
    texts = [line.text for line in _lines(state, edit.list)]
    after = " ".join(edit.after.split())
    if edit.before and edit.before not in texts:
        raise PlanError(f"The {title} at call {edit.call:,} do not hold this line; nothing was changed.")
    if not edit.before and not after:
        raise PlanError("The line is empty; nothing was added.")
    if after and after != edit.before and after in texts:
        raise PlanError(f"The {title} hold this line already; nothing was changed.")
    if len(after) > limits.max_line_chars:
        raise PlanError(
            f"The line has {len(after):,} characters, at most {limits.max_line_chars:,} fit; nothing was changed."
        )
    most = most_lines(limits, edit.list)
    if not edit.before and len(texts) >= most:
        raise PlanError(f"The {title} hold {len(texts)} lines, the most that fit; remove one first.")
    return replace(edit, after=after)


def edited(
    versions: Versions, edits: Iterable[StateEdit | StateUpdate], limits: Limits, source_at: Callable[[int], int]
) -> Versions:
    """The versions as they are with these edits. `source_at` names the latest message that a call knows.

    Versions before the first edit are the same objects in the same places. Where the record fills a list later, lines
    made by hand stay; the oldest commit leaves, else the oldest other line.
    """
    made = sorted(edits, key=lambda edit: edit.call)
    if not made:
        return versions
    first = made[0].call
    found = [version for version in versions if version[0] < first]
    latest = found[-1][1] if found else EMPTY
    calls = sorted({edit.call for edit in made} | {call for call, _ in versions if call >= first})
    for call in calls:
        base = next((state for at, state in reversed(versions) if at <= call), EMPTY)
        state = _applied(base, [edit for edit in made if edit.call <= call], limits, source_at)
        if not says_the_same(state, latest):
            found.append((call, state))
            latest = state
    return tuple(found)


def _applied(
    state: WorkingState,
    edits: Sequence[StateEdit | StateUpdate],
    limits: Limits,
    source_at: Callable[[int], int],
) -> WorkingState:
    lists = {name: list(_lines(state, name)) for name in LIST_NAMES}
    for edit in edits:
        if isinstance(edit, StateEdit):
            lists[edit.list] = _one(lists[edit.list], edit, limits, source_at)
        else:
            lists = {n: _replaced(lines, _lines(edit.before, n), _lines(edit.after, n)) for n, lines in lists.items()}
    kept = {name: tuple(_fitting(lines, most_lines(limits, name))) for name, lines in lists.items()}
    return WorkingState(kept["goals"], kept["open_threads"], kept["decisions"])


def _one(lines: list[StateLine], edit: StateEdit, limits: Limits, source_at: Callable[[int], int]) -> list[StateLine]:
    text = cut(edit.after, limits.max_line_chars)
    there = next((line for line in lines if line.text == text), None) if text else None
    if not edit.before:
        return lines if there or not text else [*lines, StateLine(text, source_at(edit.call), edit.call, by_hand=True)]
    others = [line for line in lines if line is not there or line.text == edit.before]
    return [
        replace(line, text=text, by_hand=True) if line.text == edit.before else line
        for line in others
        if text or line.text != edit.before
    ]


def _replaced(lines: list[StateLine], before: Sequence[StateLine], after: Sequence[StateLine]) -> list[StateLine]:
    """A list in which the curator's lines stand for those it saw, and behind them what it has not seen."""
    seen, there = {line.text for line in before}, {line.text for line in lines}
    if before == after:
        return lines
    kept = [line for line in after if line.text in there or line.text not in seen]
    known = seen | {line.text for line in kept}
    return [*kept, *(line for line in lines if line.text not in known)]


def _fitting(lines: list[StateLine], most: int) -> list[StateLine]:
    kept = list(lines)
    while len(kept) > most:
        # As in the extraction: the oldest commit leaves first. min() gives the first of equals.
        del kept[min(range(len(kept)), key=lambda n: (kept[n].by_hand, not kept[n].text.startswith(COMMIT)))]
    return kept


def _lines(state: WorkingState, name: ListName) -> tuple[StateLine, ...]:
    lists = {"goals": state.goals, "open_threads": state.open_threads, "decisions": state.decisions}
    return lists[name]
