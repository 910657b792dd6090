"""A window as the messages that go to the model: what was given, where it is in the window whole, else its stand-in."""

from __future__ import annotations

from collections.abc import Iterator

from ravenglass.curator.dialects import Dialect, Sent, request
from ravenglass.curator.dialects.openai_chat import chat_message
from ravenglass.replay.answers.windows import caching
from ravenglass.replay.frame import Window, WindowMessage
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.values import mapping, sequence, text
from ravenglass.trace import Json

_NOT_SENT = frozenset({"timestamp", "usage", "is_error"})
"""Keys of recorded messages that no provider takes."""


def chat_messages(session: Session, window: Window, read: dict[int, Json] | None = None) -> list[Json]:
    """New dicts in OpenAI chat form. Messages that stand whole keep every field they were given with: images, names,
    what a provider added for itself. `read`: those of the window before, used and brought up to date."""
    before = read or {}
    whole = {block.id: before.get(block.id) for block in window.messages if block.id is not None and block.verbatim}
    found = []
    for block in window.messages:
        given = whole.get(block.id) if block.id is not None and block.verbatim else None
        if given is None or (given.get("role"), given.get("tool_call_id")) != (block.role, block.tool_call_id):
            given = _as_given(session, block)
        if block.id is not None:
            whole[block.id] = given
        found.append(_copied(given) if given is not None else _made(block))
    if read is not None:
        read.clear()
        read.update((m, given) for m, given in whole.items() if given is not None)
    return found


def _copied(value: Json) -> Json:
    """A new dict all through: an agent may change what it is given."""
    return {name: _copy(part) for name, part in value.items()}


def _copy(value: object) -> object:
    if isinstance(value, dict):
        return {name: _copy(part) for name, part in value.items()}
    return [_copy(part) for part in value] if isinstance(value, list) else value


def provider_request(session: Session, window: Window, dialect: Dialect) -> Json:
    """The part of a provider's request body that holds the conversation."""
    if dialect == "openai-chat":
        return {"messages": chat_messages(session, window)}
    return request(dialect, [_sent(session, block) for block in window.messages], caching(window))


def _sent(session: Session, block: WindowMessage) -> Sent:
    """The block with the signatures that its message was given with; what stands for a message has none."""
    given: Json = {}
    if block.id is not None and block.verbatim and block.role in ("assistant", "user"):
        given = mapping(decode_value(session.raw(block.id)))
    signed = [_signature(mapping(call)) for call in sequence(given.get("tool_calls"))]
    count = len(block.tool_calls)
    return Sent(
        block.id, block.role, block.text, block.thinking, block.tool_calls, block.tool_call_id,
        proofs=tuple(mapping(proof) for proof in sequence(given.get("thinking_blocks"))),
        signatures=tuple(signed) if len(signed) == count else ("",) * count,
        images=tuple(_images(given.get("content"))) if block.role == "user" else (),
    )  # fmt: skip


def _images(content: object) -> Iterator[str]:
    for part in map(mapping, sequence(content)):
        url = mapping(part.get("image_url")).get("url") or part.get("image_url")
        if isinstance(url, str) and url:
            yield url


def _signature(call: Json) -> str:
    return text(mapping(mapping(call.get("extra_content")).get("google")).get("thought_signature"))


def _as_given(session: Session, block: WindowMessage) -> Json | None:
    """The message as it was given, if that is what the window shows and a provider takes it as it is."""
    if block.id is None or not block.verbatim:
        return None
    given = mapping(decode_value(session.raw(block.id)))
    calls = [mapping(call) for call in sequence(given.get("tool_calls"))]
    same = (
        given.get("role") == block.role
        and given.get("tool_call_id") == block.tool_call_id
        and [call.get("id") for call in calls] == [call_id for call_id, _, _ in block.tool_calls]
        and all(isinstance(_argument(call), str) for call in calls)
        and (given.get("content") is not None or bool(calls))
    )
    return {name: value for name, value in given.items() if name not in _NOT_SENT} if same else None


def _argument(call: Json) -> object:
    if "custom" in call:
        return mapping(call["custom"]).get("input")
    return mapping(call.get("function")).get("arguments")


def _made(block: WindowMessage) -> Json:
    return {name: value for name, value in chat_message(block).items() if name != "id"}
