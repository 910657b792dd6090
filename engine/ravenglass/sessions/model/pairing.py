"""Which tool result answers which tool call, however the writer ordered and numbered them. Linear."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass

from ravenglass.sessions.model.session import Message


@dataclass(frozen=True, slots=True)
class Pairing:
    """Results and calls by message id."""

    answers: dict[int, int]
    """Tool message -> the assistant message whose call it answers; orphans are missing."""
    duplicates: frozenset[int]
    """Tool messages that answer a call which had its answer already."""
    unanswered: dict[int, tuple[str, ...]]
    """Assistant message -> ids of its calls without an answer, in call order."""


def pair(messages: Sequence[Message], skip: Container[int] = ()) -> Pairing:
    """Pair each result with the nearest earlier call of its id that is still open, else with a later one.

    What is left is a second answer to the nearest earlier call, or an orphan. Call ids may recur ("call_0"). Messages
    in `skip` (never sent ones) neither call nor answer.
    """
    answers: dict[int, int] = {}
    duplicates: set[int] = set()
    still_open: dict[str, list[int]] = defaultdict(list)
    last_holder: dict[str, int] = {}
    waiting: dict[int, int | None] = {}
    for message in messages:
        if message.id in skip:
            continue
        if message.role == "assistant":
            for call in message.tool_calls:
                still_open[call.id].append(message.id)
                last_holder[call.id] = message.id
        elif message.role == "tool" and message.tool_call_id is not None:
            if still_open.get(message.tool_call_id):
                answers[message.id] = still_open[message.tool_call_id].pop()
            else:
                waiting[message.id] = last_holder.get(message.tool_call_id)
    for result, earlier in waiting.items():
        later = _first_after(still_open.get(messages[result].tool_call_id or "", []), result)
        if later is not None:
            answers[result] = later
        elif earlier is not None:
            answers[result] = earlier
            duplicates.add(result)
        # A duplicate of a call that stands only later and is answered there belongs to that call.
        elif (holder := last_holder.get(messages[result].tool_call_id or "")) is not None:
            answers[result] = holder
            duplicates.add(result)
    return Pairing(answers, frozenset(duplicates), _unanswered(messages, still_open))


def _first_after(holders: list[int], position: int) -> int | None:
    """Take the first holder after the position out of the (ascending) list."""
    index = bisect_right(holders, position)
    return holders.pop(index) if index < len(holders) else None


def _unanswered(messages: Sequence[Message], still_open: dict[str, list[int]]) -> dict[int, tuple[str, ...]]:
    left: dict[int, list[str]] = defaultdict(list)
    for call_id, holders in still_open.items():
        for holder in holders:
            left[holder].append(call_id)
    order = {m.id: {call.id: n for n, call in enumerate(m.tool_calls)} for m in messages if m.id in left}
    return {holder: tuple(sorted(ids, key=order[holder].__getitem__)) for holder, ids in left.items()}
