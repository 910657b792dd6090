"""A window as the request of a provider: `request` makes it, `check` says what that provider would refuse in one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import get_args

from ravenglass.curator.dialects.anthropic import anthropic
from ravenglass.curator.dialects.block import Caching, Dialect, DialectBlock, Sent
from ravenglass.curator.dialects.checks import (
    check_anthropic,
    check_gemini,
    check_openai_chat,
    check_openai_responses,
)
from ravenglass.curator.dialects.gemini import gemini
from ravenglass.curator.dialects.openai_chat import chat_message, openai_chat
from ravenglass.curator.dialects.openai_responses import openai_responses
from ravenglass.trace import Json

__all__ = ["DIALECTS", "Caching", "Dialect", "DialectBlock", "Sent", "chat_message", "check", "request"]

DIALECTS: tuple[Dialect, ...] = get_args(Dialect)

_MAKE: dict[Dialect, Callable[[Sequence[DialectBlock]], Json]] = {
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": gemini,
}
_CHECK: dict[Dialect, Callable[[Json], Iterator[str]]] = {
    "openai-chat": check_openai_chat,
    "openai-responses": check_openai_responses,
    "anthropic": check_anthropic,
    "gemini": check_gemini,
}


def request(dialect: Dialect, blocks: Sequence[DialectBlock], caching: Caching | None = None) -> Json:
    """The part of a provider's request body that holds the conversation: `messages`, `input`, `contents`, `system`.
    `caching`: where its cache breakpoints stand, for the dialect that has any; the others cache by themselves."""
    if dialect == "anthropic":
        return anthropic(blocks, caching)
    return _MAKE[dialect](blocks)


def check(dialect: Dialect, made: Json) -> list[str]:
    """What the provider would refuse in the structure of a request; empty for one that it takes."""
    return list(_CHECK[dialect](made))
