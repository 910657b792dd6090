"""What an Anthropic usage says of the cache it wrote: in all, and for how long."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.records.values import count, mapping


def written_for_an_hour(usage: dict[str, Any]) -> int | None:
    """The part of an Anthropic usage's cache writes that was written for an hour; None where it does not say."""
    parts = mapping(usage.get("cache_creation"))
    return count(parts.get("ephemeral_1h_input_tokens"))


def cache_written(usage: dict[str, Any]) -> int | None:
    """All that an Anthropic usage says was written to the cache: its total, else its parts by lifetime."""
    total = count(usage.get("cache_creation_input_tokens"))
    if total is not None:
        return total
    parts = mapping(usage.get("cache_creation"))
    known = [count(parts.get(name)) for name in ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")]
    return sum(part for part in known if part is not None) if any(part is not None for part in known) else None
