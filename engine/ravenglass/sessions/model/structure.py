"""Groups, turns and calls of a list of messages (engine.md, section 1). Pure and linear; knows no format."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ravenglass.sessions.model.pairing import Pairing, pair
from ravenglass.sessions.model.sent import never_sent
from ravenglass.sessions.model.session import Call, Group, Marker, Message, Structure, Turn

_NO_CALL = frozenset({"synthetic", "api_error", "inherited"})
"""Flags of assistant messages that no call of this session produced."""


def analyse(messages: Sequence[Message]) -> Structure:
    """Groups, turns and calls. Message ids must be their positions; raises ValueError otherwise."""
    _check(messages)
    never = never_sent(messages)
    return _structure(messages, pair(messages, never), never)


@dataclass(frozen=True, slots=True)
class Linked:
    """Messages with what pairing found, their structure, and the markers with the ids that hold now."""

    messages: tuple[Message, ...]
    structure: Structure
    markers: tuple[Marker, ...] = ()


def link(messages: Sequence[Message]) -> tuple[tuple[Message, ...], Structure]:
    """Like `linked`, without markers."""
    found = linked(messages)
    return found.messages, found.structure


def linked(messages: Sequence[Message], markers: Sequence[Marker] = ()) -> Linked:
    """Like `analyse`, and the messages with what pairing found: flags of results, names of their tools.

    A result that stands before its call in the file is moved behind it, so that a call always comes first; the
    messages are numbered anew then, the markers with them, and their spans still say where they stood.
    """
    _check(messages)
    never = never_sent(messages)
    pairing = pair(messages, never)
    early = {m: holder for m, holder in pairing.answers.items() if m < holder}
    if early:
        order = _behind_their_calls(messages, early)
        position = {m: place for place, m in enumerate(order)}
        messages = [replace(messages[m], id=place) for place, m in enumerate(order)]
        markers = [_moved(marker, position) for marker in markers]
        never = never_sent(messages)
        pairing = pair(messages, never)
    flagged = tuple(_flagged(_reported(message), messages, pairing, never) for message in messages)
    return Linked(flagged, _structure(messages, pairing, never), tuple(markers))


def _moved(marker: Marker, position: dict[int, int]) -> Marker:
    before = min((place for m, place in position.items() if m >= marker.before), default=len(position))
    # What was moved behind the marker is in the window without being kept.
    keep = None if marker.keep is None else tuple(sorted(p for m in marker.keep if (p := position[m]) < before))
    return replace(marker, before=before, keep=keep, cleared=tuple(sorted(position[m] for m in marker.cleared)))


def _behind_their_calls(messages: Sequence[Message], early: dict[int, int]) -> list[int]:
    """Ids in their new order."""
    following: dict[int, list[int]] = defaultdict(list)
    for m in sorted(early):
        following[early[m]].append(m)
    ordered: list[int] = []
    for message in messages:
        if message.id not in early:
            ordered.append(message.id)
            ordered.extend(following.get(message.id, ()))
    return ordered


def _check(messages: Sequence[Message]) -> None:
    for position, message in enumerate(messages):
        if message.id != position:
            raise ValueError(f"message {message.id} stands at position {position}; ids must be positions")


def _reported(message: Message) -> Message:
    """The message with its usage only where it says anything."""
    known = message.usage.known() if message.usage is not None else None
    return message if known is message.usage else replace(message, usage=known)


def _flagged(message: Message, messages: Sequence[Message], pairing: Pairing, never: dict[int, str]) -> Message:
    if message.role != "tool" or message.id in never:
        return message
    holder = pairing.answers.get(message.id)
    if holder is None:
        return replace(message, flags=message.flags | {"orphan_result"})
    names = (call.name for call in messages[holder].tool_calls if call.id == message.tool_call_id)
    flags = message.flags | {"duplicate_result"} if message.id in pairing.duplicates else message.flags
    return replace(message, flags=flags, tool_name=message.tool_name or next(names, None))


def _structure(messages: Sequence[Message], pairing: Pairing, never: dict[int, str]) -> Structure:
    turns, turn_of = _turns(messages, never)
    calls = _calls(messages, turn_of, never)
    first_call = _first_calls(len(messages), calls)
    groups: list[Group] = []
    group_of = [0] * len(messages)
    for members in _members(messages, pairing):
        holder = next((m for m in members if messages[m].role == "assistant"), None)
        for member in members:
            group_of[member] = len(groups)
        groups.append(
            Group(
                index=len(groups),
                messages=members,
                turn=turn_of[members[0]],
                call=first_call[members[0]],
                unanswered=pairing.unanswered.get(holder, ()) if holder is not None else (),
                orphan=messages[members[0]].role == "tool" and holder is None and members[0] not in never,
                unsent=members[0] in never,
            )
        )
    return Structure(tuple(groups), turns, calls, tuple(group_of), never)


def _members(messages: Sequence[Message], pairing: Pairing) -> list[tuple[int, ...]]:
    """Message ids of every group, ascending inside a group, groups by their first message."""
    together: dict[int, list[int]] = defaultdict(list)
    for message in messages:
        together[pairing.answers.get(message.id, message.id)].append(message.id)
    return sorted(tuple(members) for members in together.values())


def _turns(messages: Sequence[Message], never: dict[int, str]) -> tuple[tuple[Turn, ...], list[int]]:
    """Turns, and the turn of every message."""
    starts = [m.id for m in messages if m.role == "user" and m.kind == "prompt" and m.id not in never]
    prompts: list[int | None] = list(starts)
    if messages and (not starts or starts[0] > 0):
        starts.insert(0, 0)
        prompts.insert(0, None)
    turns: list[Turn] = []
    turn_of = [0] * len(messages)
    for index, (start, prompt) in enumerate(zip(starts, prompts, strict=True)):
        end = starts[index + 1] if index + 1 < len(starts) else len(messages)
        turns.append(Turn(index, prompt, start, end - 1))
        turn_of[start:end] = [index] * (end - start)
    return tuple(turns), turn_of


def _calls(messages: Sequence[Message], turn_of: list[int], never: dict[int, str]) -> tuple[Call, ...]:
    """One call for every assistant message that a model produced; a record written twice is one response."""
    calls: list[Call] = []
    seen: set[str] = set()
    for message in messages:
        if message.role != "assistant" or message.flags & _NO_CALL or message.id in never:
            continue
        repeated = "duplicate_id" in message.flags and message.source_id in seen
        if message.source_id is not None:
            seen.add(message.source_id)
        if not repeated:
            calls.append(Call(len(calls) + 1, message.id, turn_of[message.id]))
    return tuple(calls)


def _first_calls(size: int, calls: Sequence[Call]) -> list[int]:
    """For every message the number of the first call that sees it: the first that produced a later one."""
    first = [len(calls) + 1] * size
    start = 0
    for call in calls:
        first[start : call.message] = [call.number] * (call.message - start)
        start = call.message
    return first
