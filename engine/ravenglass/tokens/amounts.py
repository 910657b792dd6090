"""What a token count is: a number together with how it was got, and where such numbers can be kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

How = Literal["exact", "reported", "estimated", "unknown"]
"""`exact` counted with the encoding's own table; `reported` by the provider; `estimated` otherwise derived;
`unknown` has no number behind it (its value is 0 and must not be shown)."""

_CERTAINTY: dict[How, int] = {"exact": 0, "reported": 1, "estimated": 2, "unknown": 3}


@dataclass(frozen=True, slots=True)
class TokenCount:
    """A number of tokens (>= 0) and how it was got. A sum is as certain as its least certain term."""

    value: int
    how: How = "exact"

    def __add__(self, other: TokenCount) -> TokenCount:
        weaker = max(self.how, other.how, key=_CERTAINTY.__getitem__)
        return TokenCount(self.value + other.value, weaker)


class CountStore(Protocol):
    """Keeps counts of long texts between runs of the program. Keys are `Tokenizer.digest(text)`."""

    def get_many(self, encoding: str, digests: Sequence[bytes]) -> Mapping[bytes, TokenCount]:
        """The counts that are known; a digest without one is absent from the answer."""
        ...

    def put_many(self, encoding: str, counts: Mapping[bytes, TokenCount]) -> None:
        """Keep `counts`; what is there already is replaced."""
        ...
