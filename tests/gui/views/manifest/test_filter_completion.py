"""Completion of filter keys and values."""

from __future__ import annotations

import pytest

from ravenglass.replay.filter.parser import FILTER_KEYS, parse_filter
from ravenglass_gui.views.manifest.filter_completion import begun, complete, with_term


def words(text: str, cursor: int | None = None) -> tuple[str, ...]:
    return complete(text, len(text) if cursor is None else cursor, FILTER_KEYS).words


def test_that_a_begun_word_offers_the_keys_that_start_with_it() -> None:
    assert words("t") == ("tier:", "tool:", "tokens>", "turn:")
    assert words("tier:task st") == ("state:",)


def test_that_a_key_offers_its_values() -> None:
    assert words("tier:") == ("tier:global", "tier:session", "tier:task", "tier:atomic")
    assert words("flag:pro") == ("flag:protected",)


def test_that_a_list_of_values_goes_on_without_those_it_has() -> None:
    assert "state:active,standby" in words("state:active,")
    assert "state:active,active" not in words("state:active,")


def test_that_a_negation_is_kept() -> None:
    assert words("-ti") == ("-tier:",)
    assert words("-tier:ta") == ("-tier:task",)


def test_that_nothing_is_offered_inside_quotes() -> None:
    assert words('tier:task "ti') == ()


def test_that_the_word_under_the_cursor_is_what_is_replaced() -> None:
    found = complete("tier:ta state:active", 7, FILTER_KEYS)
    assert (found.start, found.end) == (0, 7)
    assert found.words == ("tier:task",)


@pytest.mark.parametrize("name", list(FILTER_KEYS))
def test_that_every_offered_value_parses(name: str) -> None:
    key = FILTER_KEYS[name]
    for word in words(f"{name}:"):
        parse_filter(word)
    assert begun(key).startswith(name)
    parse_filter(key.example)


def test_that_a_term_is_added_once() -> None:
    assert with_term("tier:task", "state:standby") == "tier:task state:standby"
    assert with_term("tier:task", "tier:task") == "tier:task"
    assert with_term("", "tier:task") == "tier:task"
