"""Which messages of a record were never sent to a model: the one answer that recorded and simulated windows go by.

Error notices are for the person. A record that the writer wrote twice is one message; its second copy stays in the
session, so that nothing of the file is lost, but is in no window. It is known by its id; an id under which messages of
several roles stand is no record's own, and tells no copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ravenglass.sessions.model.session import Message

NOTICE = "it is an error notice of the harness, which is never sent to a model"


def never_sent(messages: Sequence[Message]) -> dict[int, str]:
    """Ids of messages that were in no window, each with the reason as the end of a sentence. Linear."""
    return dict(_never_sent(messages))


def _never_sent(messages: Sequence[Message]) -> Iterator[tuple[int, str]]:
    first: dict[tuple[str, str | None], list[Message]] = {}
    for message in messages:
        if "api_error" in message.flags:
            yield message.id, NOTICE
        elif message.source_id is not None:
            earlier = first.setdefault((message.source_id, message.tool_call_id), [])
            within = "duplicate_id" in message.flags
            original = None
            if all(m.role == message.role for m in earlier):  # an id that several speakers share tells no record
                original = next((m for m in earlier if _apart(m, message) and _alike(m, message, within)), None)
            if original is not None:
                yield message.id, _again(original.id)
            else:
                earlier.append(message)


def _again(original: int) -> str:
    return f"it is the record of #{original}, written a second time"


def _apart(one: Message, other: Message) -> bool:
    """Whether the messages stand in different records: one record may well say the same twice."""
    return not one.spans or not other.spans or not {s.offset for s in one.spans} & {s.offset for s in other.spans}


def _alike(one: Message, other: Message, within: bool) -> bool:
    """Whether two messages say the same; thinking may have been left out of a copy. `within`: the importer knows the
    second for a copy, of which the first may hold more."""
    if within and one.role == other.role == "assistant":
        return set(other.parts) <= set(one.parts) and set(other.tool_calls) <= set(one.tool_calls)
    return (one.role, one.kind, one.tool_call_id, one.tool_calls) == (
        other.role, other.kind, other.tool_call_id, other.tool_calls,
    ) and one.text == other.text  # fmt: skip
