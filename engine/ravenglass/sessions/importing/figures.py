"""Whether the provider's figures agree that messages left the window: what proves a rewind or a cleared context.

Works on messages in file order, by their characters: an importer counts no tokens. It compares two readings of the same
record, so a rough rate is enough.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

CHARACTERS_PER_TOKEN = 3.0
"""What code, results and prose have on average in real sessions (2.7 to 3.6)."""
LEAST_TELLING = 300
"""Tokens. Less than this the harness adds and takes away by notes that no record shows, so figures prove nothing."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """One message: its characters, and the size that the provider reported for the request that it answers."""

    characters: int
    context: int | None = None


def left_window(messages: Sequence[Weighed], gone: Collection[int], at: int) -> bool | None:
    """Whether `gone` (places below `at`) were out of the window from `at` on, as the figures say; None: they do not.

    The next figure is either the last one plus what was said since, or that less what is gone. The nearer one holds.
    """
    last = next((place for place in range(at - 1, -1, -1) if messages[place].context), None)
    following = next((place for place in range(at, len(messages)) if messages[place].context), None)
    taken = _tokens(messages[place] for place in gone)
    if last is None or following is None or taken < LEAST_TELLING:
        return None
    whole = (messages[last].context or 0) + _tokens(messages[last:following])
    return (messages[following].context or 0) < whole - taken / 2


def _tokens(messages: Iterable[Weighed]) -> float:
    """Tokens of some messages, roughly."""
    return sum(message.characters for message in messages) / CHARACTERS_PER_TOKEN
