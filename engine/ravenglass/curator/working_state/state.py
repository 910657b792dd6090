"""The working state: goals, open threads and decisions that stay in the window when messages leave it.

`extract` makes it from a recorded session without a model, `apply_update` from the curator's tool call;
`render` is the text that is injected, `diff` what a view shows of a change. All values are immutable.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from ravenglass.curator.working_state.extraction import extract
from ravenglass.curator.working_state.lines import EMPTY, Limits, StateLine, Versions, WorkingState, cut
from ravenglass.errors import PlanError
from ravenglass.trace import Json

__all__ = [
    "EMPTY",
    "HEADING",
    "Limits",
    "ListDiff",
    "StateDiff",
    "StateLine",
    "Versions",
    "WorkingState",
    "apply_update",
    "cut",
    "diff",
    "extract",
    "render",
    "state_at",
    "texts",
]

HEADING = "# Curator Working State"


@dataclass(frozen=True, slots=True)
class ListDiff:
    """Lines of one list that came and went, compared by their text."""

    added: tuple[StateLine, ...]
    removed: tuple[StateLine, ...]


@dataclass(frozen=True, slots=True)
class StateDiff:
    goals: ListDiff
    open_threads: ListDiff
    decisions: ListDiff

    @property
    def is_empty(self) -> bool:
        return not any(part.added or part.removed for part in (self.goals, self.open_threads, self.decisions))


def render(state: WorkingState) -> str:
    """The text that is injected into the window; empty for an empty state."""
    if state.is_empty:
        return ""
    lists = (("Goals", state.goals), ("Open threads", state.open_threads), ("Decisions", state.decisions))
    sections = (f"## {title}\n" + "\n".join(f"- {line.text}" for line in lines) for title, lines in lists if lines)
    return "\n\n".join((HEADING, *sections))


def texts(state: WorkingState) -> Json:
    """The lists as files and traces hold them: texts, without where they come from."""
    return {
        "goals": [line.text for line in state.goals],
        "open_threads": [line.text for line in state.open_threads],
        "decisions": [line.text for line in state.decisions],
    }


def diff(old: WorkingState, new: WorkingState) -> StateDiff:
    """What changed from `old` to `new`."""
    return StateDiff(
        _list_diff(old.goals, new.goals),
        _list_diff(old.open_threads, new.open_threads),
        _list_diff(old.decisions, new.decisions),
    )


def _list_diff(old: tuple[StateLine, ...], new: tuple[StateLine, ...]) -> ListDiff:
    before = {line.text for line in old}
    after = {line.text for line in new}
    return ListDiff(
        tuple(line for line in new if line.text not in before),
        tuple(line for line in old if line.text not in after),
    )


def state_at(versions: Versions, call: int) -> WorkingState:
    """The state that holds at a call."""
    index = bisect_right(versions, call, key=lambda version: version[0])
    return versions[index - 1][1] if index else EMPTY


def apply_update(
    state: WorkingState,
    goals: object = None,
    open_threads: object = None,
    decisions: object = None,
    *,
    limits: Limits,
    source: int,
    call: int | None = None,
    turn: int | None = None,
) -> WorkingState:
    """The state with each list that is not None replaced by the given lines of text.

    The lists come from a model's tool call, so they may be anything; PlanError says how to mend them. Lines
    that were there keep where they came from; new ones come from `source` (message id), `call` and `turn`.
    """

    def lines(name: str, given: object, old: tuple[StateLine, ...], most: int) -> tuple[StateLine, ...]:
        if given is None:
            return old
        known = {line.text: line for line in old}
        texts = _texts(name, given, most, limits.max_line_chars)
        return tuple(known.get(text) or StateLine(text, source, call, turn) for text in texts)

    return WorkingState(
        lines("goals", goals, state.goals, limits.max_goals),
        lines("open_threads", open_threads, state.open_threads, limits.max_open_threads),
        lines("decisions", decisions, state.decisions, limits.max_decisions),
    )


def _texts(name: str, given: object, most: int, longest: int) -> tuple[str, ...]:
    """The lines as one-line texts, each once. Raises PlanError."""
    if not isinstance(given, list | tuple):
        raise PlanError(f'"{name}" takes a list of texts, one a line, not {_kind(given)}; send the whole list.')
    texts: dict[str, None] = {}
    for number, item in enumerate(given, start=1):
        if not isinstance(item, str):
            raise PlanError(f'Line {number} of "{name}" is {_kind(item)}, not a text; send it as a text.')
        text = " ".join(item.split())
        if not text:
            raise PlanError(f'Line {number} of "{name}" is empty; leave it out.')
        if len(text) > longest:
            raise PlanError(f'Line {number} of "{name}" has {len(text)} characters, at most {longest} fit; shorten it.')
        texts[text] = None
    if len(texts) > most:
        raise PlanError(
            f'"{name}" has {len(texts)} lines, at most {most} fit; merge or drop {len(texts) - most} of them.'
        )
    return tuple(texts)


def _kind(value: object) -> str:
    kinds = {
        "str": "a text",
        "dict": "an object",
        "list": "a list",
        "NoneType": "null",
        "bool": "true or false",
    }
    return kinds.get(type(value).__name__, "a number")
