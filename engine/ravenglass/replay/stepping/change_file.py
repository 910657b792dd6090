"""Changes as JSON objects and back: a saved run is opened again with what was changed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import msgspec

from ravenglass.curator.working_state.edits import StateEdit, StateUpdate
from ravenglass.replay.stepping.changes import Change, Compaction, FileChange, HandChange, HandPlan, Rating, RollBack
from ravenglass.trace import Json

_KINDS: dict[str, type[Change]] = {
    kind.__name__: kind
    for kind in (HandChange, Rating, HandPlan, StateEdit, StateUpdate, FileChange, RollBack, Compaction)
}


def changes_as_json(changes: Sequence[Change]) -> list[Json]:
    """One object a change, with its kind under `change`."""
    return [{"change": type(change).__name__, **msgspec.to_builtins(asdict(change))} for change in changes]


def changes_of_json(values: Sequence[object]) -> tuple[Change, ...]:
    """The changes again. Raises ValueError where one is not understood."""
    found: list[Change] = []
    for value in values:
        kind = _KINDS.get(str(value.get("change"))) if isinstance(value, dict) else None
        if kind is None or not isinstance(value, dict):
            raise ValueError(f"a change of a kind that is not known: {str(value)[:80]}")
        rest = {name: inner for name, inner in value.items() if name != "change"}
        found.append(msgspec.convert(rest, type=kind))
    return tuple(found)
