"""What many messages of a session say alike is held once."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from ravenglass.sessions.model.session import Message, ToolCall


class Named(StrEnum):
    READ = "Read"


def fresh(word: str) -> str:
    """The word as a string of its own, as every decoded record brings it."""
    return "".join([word[:1], word[1:]])


def test_that_flags_and_models_of_messages_are_one_object_each() -> None:
    first, second = (
        Message(n, "assistant", (), flags=frozenset([fresh("synthetic")]), model=fresh("claude-x")) for n in (0, 1)
    )
    assert first.flags is second.flags
    assert first.model is second.model
    bare = [Message(n, "user", (), flags=frozenset([])) for n in (0, 1)]
    assert bare[0].flags is bare[1].flags


def test_that_what_is_replaced_is_shared_too() -> None:
    message = Message(0, "assistant", ())
    changed = [replace(message, flags=message.flags | {"interrupted"}, model=fresh("gpt-x")) for _ in range(2)]
    assert changed[0].flags is changed[1].flags
    assert changed[0].model is changed[1].model
    assert changed[0].flags == {"interrupted"}


def test_that_names_of_calls_are_one_object_and_a_caller_s_own_kind_of_string_stays() -> None:
    assert ToolCall("1", fresh("Bash"), "{}").name is ToolCall("2", fresh("Bash"), "{}").name
    assert ToolCall("3", Named.READ, "{}").name is Named.READ
    assert Message(0, "assistant", (), model=Named.READ).model is Named.READ
