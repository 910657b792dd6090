"""What makes a window acceptable to a provider, checked without looking at how it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ravenglass.replay.frame import WindowMessage


def problems(messages: Sequence[WindowMessage]) -> list[str]:
    """Sentences on everything a provider would refuse; empty for a valid window."""
    found: list[str] = []
    history = [m for m in messages if m.role not in ("system", "developer")]
    if history and history[0].role != "user":
        found.append(f"the history starts with a message of role {history[0].role}")
    if any(m.role in ("system", "developer") for m in messages[len(messages) - len(history) :]):
        found.append("a system message stands inside the history")
    waiting: Counter[str] = Counter()
    for position, message in enumerate(messages):
        if message.role == "tool":
            if waiting[message.tool_call_id or ""] <= 0:
                found.append(f"block {position} is a result without its call directly before it")
            waiting[message.tool_call_id or ""] -= 1
            continue
        if +waiting:
            found.append(f"block {position} stands before the results of {sorted(+waiting)}")
        if message.tool_call_id is not None:
            found.append(f"block {position} is no result but names a call")
        waiting = Counter(call_id for call_id, _, _ in message.tool_calls)
    if +waiting:
        found.append(f"the window ends before the results of {sorted(+waiting)}")
    return found
