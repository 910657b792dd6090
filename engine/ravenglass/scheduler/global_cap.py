"""The global tier is a white list with a hard cap: who of those that a rule makes global is demoted, and why."""

from __future__ import annotations


class GlobalCap:
    """Rules on groups in the order of their registration. `used`: tokens of the instructions, which always stay."""

    def __init__(self, cap: int, used: int) -> None:
        self._cap = cap
        self._used = used

    def demotes(self, tokens: int, mixed: tuple[str, ...]) -> str:
        """Why the next group is demoted; empty where it is not. `mixed`: what it holds that is not on the list."""
        if mixed:
            return f"{', '.join(mixed)} is not on the white list of the global tier"
        if self._used + tokens > self._cap:
            held = f"the global tier holds {self._used:,} of at most {self._cap:,} tokens"
            return f"{held}; {tokens:,} more do not fit"
        self._used += tokens
        return ""
