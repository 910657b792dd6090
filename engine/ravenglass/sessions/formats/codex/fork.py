"""Where a fork's or sub-agent's own records begin: before, its rollout repeats its parent's, counter and all."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ravenglass.sessions.formats.codex.lines import Meta, RolloutLine, RolloutTurn, Sign

_BURST = 1.0
"""Seconds in which the copy is written when the session begins, where copies carry the new session's times."""
_PLAUSIBLE = range(1_500_000_000_000, 4_000_000_000_000)
"""Milliseconds since the epoch (2017 to 2096) that the time in an id can be."""


def own_start(lines: Sequence[RolloutLine], parent_turns: AbstractSet[str] = frozenset()) -> int:
    """Index of the first line that is no copy; 0 where the session inherits nothing.

    Told by the writer's ordinal; else by the turn ids, which carry their times (or are the parent's, if those are
    known); else by the times of the records: the copy is older than the session or written in one go with it.
    """
    first = next((i for i, line in enumerate(lines) if isinstance(line.what, Meta)), None)
    meta = lines[first].what if first is not None else None
    if first is None or not isinstance(meta, Meta) or not meta.inherits:
        return 0
    if meta.start is not None and any(line.ordinal is not None for line in lines):
        start = meta.start
        own = (i for i, line in enumerate(lines) if line.ordinal is not None and line.ordinal >= start)
        return next(own, len(lines))
    burst = _burst_end(lines, first, meta)
    born = _time_in(meta.id)
    unsure: list[int] = []
    copied = first
    for i, line in enumerate(lines):
        if not isinstance(line.what, RolloutTurn) or line.what.id is None:
            continue
        made = _time_in(line.what.id)
        if line.what.id in parent_turns or (made is not None and born is not None and made < born):
            copied = i
            unsure.clear()
        elif parent_turns or (made is not None and born is not None):
            return i
        else:
            unsure.append(i)
    turn = _last_turn(lines[:burst], [i for i in unsure if i < burst], meta)
    return max(burst if turn is None else turn, copied + 1)


def _burst_end(lines: Sequence[RolloutLine], first: int, meta: Meta) -> int:
    times = [time for time in (meta.created, lines[first].ts) if time is not None]
    if not times:
        return first + 1
    end = max(times) + _BURST
    return next((i for i in range(first, len(lines)) if (ts := lines[i].ts) is not None and ts > end), len(lines))


def _last_turn(lines: Sequence[RolloutLine], turns: list[int], meta: Meta) -> int | None:
    """A sub-agent works at once: the last turn that begins in the copy's burst is its own, unless it ends there."""
    begun = [i for i in turns if isinstance(what := lines[i].what, RolloutTurn) and what.begins] or turns[:1]
    if meta.parent is None or not begun:
        return None
    after = lines[begun[-1] + 1 :]
    ended = any(isinstance(line.what, Sign) and line.what.kind != "context_compacted" for line in after)
    return None if ended else begun[-1]


def _time_in(name: str | None) -> int | None:
    """The milliseconds in an id of version 7; None for any other."""
    digits = (name or "").replace("-", "")
    if len(digits) != 32 or digits[12] != "7":
        return None
    try:
        made = int(digits[:12], 16)
    except ValueError:
        return None
    return made if made in _PLAUSIBLE else None
