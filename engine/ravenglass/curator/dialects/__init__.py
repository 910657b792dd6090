"""A window as the request of a provider: `request` makes it, `check` says what that provider would refuse in one.

How each dialect is written is imported by the first request: only who sends or writes windows makes any.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from ravenglass.curator.dialects.block import Caching, Dialect, DialectBlock, Sent
from ravenglass.trace import Json

__all__ = ["DIALECTS", "Caching", "Dialect", "DialectBlock", "Sent", "check", "request"]

DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


def request(dialect: Dialect, blocks: Sequence[DialectBlock], caching: Caching | None = None) -> Json:
    """The part of a provider's request body that holds the conversation: `messages`, `input`, `contents`, `system`.
    `caching`: where its cache breakpoints stand, for the dialect that has any; the others cache by themselves."""
    from ravenglass.curator.dialects.anthropic import anthropic
    from ravenglass.curator.dialects.gemini import gemini
    from ravenglass.curator.dialects.openai_chat import openai_chat
    from ravenglass.curator.dialects.openai_responses import openai_responses

    if dialect == "anthropic":
        return anthropic(blocks, caching)
    makers = {"openai-chat": openai_chat, "openai-responses": openai_responses, "gemini": gemini}
    return makers[dialect](blocks)


def check(dialect: Dialect, made: Json) -> list[str]:
    """What the provider would refuse in the structure of a request; empty for one that it takes."""
    from ravenglass.curator.dialects import checks

    found = {
        "openai-chat": checks.check_openai_chat,
        "openai-responses": checks.check_openai_responses,
        "anthropic": checks.check_anthropic,
        "gemini": checks.check_gemini,
    }
    return list(found[dialect](made))
