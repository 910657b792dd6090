"""Whether the provider's figures agree that messages left the window."""

from __future__ import annotations

import pytest

from ravenglass.sessions.importing.figures import CHARACTERS_PER_TOKEN, LEAST_TELLING, Weighed, left_window


def _messages(following: int, gone: int = 1_000) -> list[Weighed]:
    """An answer of a request of 10,000 tokens, a message of `gone` tokens, and the answer of the request after it."""
    return [Weighed(0, 10_000), Weighed(round(gone * CHARACTERS_PER_TOKEN)), Weighed(0, following)]


@pytest.mark.parametrize(
    ("following", "left"), [(10_000, True), (10_400, True), (10_600, False), (11_000, False), (14_000, False)]
)
def test_that_the_nearer_of_two_sizes_holds(following: int, left: bool) -> None:
    assert left_window(_messages(following), [1], 2) is left


def test_that_a_few_tokens_prove_nothing() -> None:
    assert left_window(_messages(9_000, LEAST_TELLING - 1), [1], 2) is None
    assert left_window(_messages(9_000, LEAST_TELLING), [1], 2) is True


def test_that_without_a_figure_on_either_side_nothing_is_known() -> None:
    before, gone, after = _messages(10_000)
    assert left_window([Weighed(0), gone, after], [1], 2) is None
    assert left_window([before, gone, Weighed(0)], [1], 2) is None
