"""What a message weighs in a provider's count, apart from what it weighs in a window of ours.

Providers count what no text of the record shows: the frame of a tool call and its result, thinking that was handed out
shortened. Our own window sizes leave that out, because they compare windows with each other; a comparison with the
provider's figures needs it. Units are tokens of the session's token table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ravenglass.hub.size_key import SizeKey
from ravenglass.hub.sizes import Sizes
from ravenglass.profile import Profile
from ravenglass.replay.stepping.inputs import sizes_of
from ravenglass.sessions.model.derived import Slot
from ravenglass.sessions.model.session import Message, Session

CALL_FRAME = 60
"""Tokens of a tool call and its result besides name, arguments and text: ids, types, tags. Measured on six sessions of
two models with o200k_base: 55 to 110 by regression, 60 gives the smallest errors."""

HIDDEN_PER_TOKEN = 4.4
"""Characters of hidden thinking a token: what the shown thinking of the same sessions has."""

CLEARED = "[Old tool result content cleared]"
"""The note that stands in a window in place of a cleared result."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Per message, index is the id. `thinking` comes on top of `fixed` while the window holds it."""

    fixed: Sequence[float]
    thinking: Sequence[float]
    note: int
    """Of a cleared result."""

    @property
    def has_thinking(self) -> bool:
        return any(self.thinking)


_WEIGHTS = Slot[Weights]("recorded weights")


def weights(session: Session, profile: Profile) -> Weights:
    """Weights of all messages, made once per setting that changes token counts and kept with the session."""
    key = SizeKey.of(profile)
    known = _WEIGHTS.get(session, key)
    if known is None:
        sizes = sizes_of(session, profile)
        never = session.structure.never_sent
        both = [(0.0, 0.0) if message.id in never else _weigh(message, sizes) for message in session.messages]
        known = Weights(
            [fixed for fixed, _ in both],
            [thinking for _, thinking in both],
            sizes.tokenizer.count(CLEARED) + profile.message_overhead,
        )
        _WEIGHTS.keep(session, known, key)
    return known


def _weigh(message: Message, sizes: Sizes) -> tuple[float, float]:
    """Fixed part and thinking."""
    shown = sizes.tokenizer.count(message.thinking) if message.role == "assistant" else 0
    fixed: float = sizes.full[message.id] - shown + CALL_FRAME * len(message.tool_calls)
    if message.unsent:
        recorded = [(len(call.arguments), sizes.tokenizer.count(call.arguments)) for call in message.tool_calls]
        characters = max(1, sum(length for length, _ in recorded))
        fixed -= sum(tokens for _, tokens in recorded) * min(1.0, message.unsent / characters)
    return fixed, shown + message.hidden / HIDDEN_PER_TOKEN
