"""A Codex rollout's token counter, read from its increases only.

Every `token_count` event carries the sum since the session began, and most are written twice: adding up what they say
of the last request counts most requests twice. Forks and sub-agents go on counting from their parent's sum.
"""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.sessions.model.session import Usage
from ravenglass.sessions.records.values import count, mapping


@dataclass(frozen=True, slots=True)
class Totals:
    """Tokens; `input` includes `cached`, `output` includes reasoning. None where the writer does not say."""

    input: int
    output: int
    cached: int | None = None
    written: int | None = None
    """Written to the provider's cache."""

    @property
    def size(self) -> int:
        return self.input + self.output


@dataclass(frozen=True, slots=True)
class RolloutTokens:
    """One token_count event: the sum so far, and what it says of the last request."""

    total: Totals
    last: Totals | None


@dataclass(slots=True)
class Meter:
    """Takes the events of one file in order and tells each request's usage once."""

    inherits: bool = False
    """Whether the session continues its parent's counter."""
    counted: int = 0
    """Tokens of all increases so far, input and output: what the session itself has used."""
    _known: Totals | None = None

    def skip(self, tokens: RolloutTokens) -> None:
        """An event that was copied from the parent: its sum is what the session starts from."""
        self._known = tokens.total

    def take(self, tokens: RolloutTokens) -> Usage | None:
        """The usage of the request that made the counter rise; None for a repeat."""
        total, last = tokens.total, tokens.last
        if total == self._known:
            return None
        before = self._before(total, last)
        self._known = total
        rise = Totals(total.input - before.input, total.output - before.output)
        if rise.input <= 0 and rise.output <= 0:
            return None
        self.counted += rise.size
        if last is None:
            return Usage(rise.input or None, rise.output)
        # After a compaction the last request is reported as zeros; that is no size of a window.
        context = last.input or None
        return Usage(context, rise.output, last.cached if context else None, last.written if context else None)

    def _before(self, total: Totals, last: Totals | None) -> Totals:
        """The sum that the increase is measured from."""
        known = self._known
        if known is None:
            # A file may begin in the middle, or continue its parent's sum: only the last request is its own.
            if last is None:
                return total if self.inherits else Totals(0, 0)
            return Totals(max(total.input - last.input, 0), max(total.output - last.output, 0))
        if total.input < known.input or total.output < known.output:
            return Totals(0, 0)  # the counter was set back
        return known


def tokens_of(info: object) -> RolloutTokens | None:
    """The figures of a token_count event's `info`; None where there are none."""
    found = mapping(info)
    total = _totals(found.get("total_token_usage"))
    return None if total is None else RolloutTokens(total, _totals(found.get("last_token_usage")))


def _totals(value: object) -> Totals | None:
    found = mapping(value)
    sent, received = count(found.get("input_tokens")), count(found.get("output_tokens"))
    if sent is None or received is None:
        return None
    cached, written = count(found.get("cached_input_tokens")), count(found.get("cache_write_input_tokens"))
    return Totals(sent, received, cached, written)
