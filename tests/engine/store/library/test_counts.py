"""Token counts of long texts outlive the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import StoreError
from ravenglass.store import Library
from ravenglass.store.library.counts import CountsAtHand
from ravenglass.tokens import TokenCount, Tokenizer
from ravenglass.tokens.tokenizer import PERSIST_FROM

COUNTS = st.dictionaries(
    st.binary(min_size=16, max_size=16),
    st.builds(TokenCount, st.integers(0, 2**40), st.sampled_from(["exact", "estimated"])),
)


@given(first=COUNTS, second=COUNTS)
def test_that_counts_come_back_and_the_latest_holds(
    first: dict[bytes, TokenCount], second: dict[bytes, TokenCount]
) -> None:
    with Library.in_memory() as library:
        library.counts.put_many("o200k_base", first)
        library.counts.put_many("o200k_base", second)
        asked = [*first, *second, b"never counted   "]
        assert library.counts.get_many("o200k_base", asked) == first | second
        assert library.counts.get_many("cl100k_base", asked) == {}


def test_that_more_digests_than_one_statement_takes_are_looked_up() -> None:
    counts = {number.to_bytes(16): TokenCount(number) for number in range(2_345)}
    with Library.in_memory() as library:
        library.counts.put_many("o200k_base", counts)
        assert library.counts.get_many("o200k_base", list(counts)) == counts


def test_that_a_new_tokenizer_finds_the_count_of_the_run_before() -> None:
    text = "a long tool result\n" * PERSIST_FROM
    with Library.open() as library:
        (counted,) = Tokenizer("o200k_base").measure_many([text], library.counts)
    with Library.open() as library:
        assert library.counts.get_many("o200k_base", [Tokenizer.digest(text)]) == {Tokenizer.digest(text): counted}
        assert Tokenizer("o200k_base").measure_many([text], library.counts) == [counted]


class Locked:
    """Counts of a library that cannot be used, and how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def get_many(self, encoding: str, digests: Sequence[bytes]) -> Mapping[bytes, TokenCount]:
        self.asked += 1
        raise StoreError(f"The library is locked ({encoding}, {len(digests)}).")

    def put_many(self, encoding: str, counts: Mapping[bytes, TokenCount]) -> None:
        self.get_many(encoding, tuple(counts))


def test_that_a_library_that_cannot_be_used_is_asked_once() -> None:
    locked = Locked()
    counts = CountsAtHand(locked)
    for _ in range(3):
        assert counts.get_many("o200k_base", [b"x"]) == {}
        counts.put_many("o200k_base", {b"x": TokenCount(1)})
    assert locked.asked == 1
