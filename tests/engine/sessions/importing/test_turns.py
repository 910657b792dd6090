"""A conversation read event by event: one message of the assistant, and what its figures say."""

from __future__ import annotations

from ravenglass.sessions.importing.turns import Turns, anthropic_usage, gemini_usage
from ravenglass.sessions.model.session import Span, Usage


def test_that_of_the_usages_of_one_message_the_latest_counts() -> None:
    turns = Turns()
    turns.answer(Span(1, 0, 5), source_id="m1", usage=Usage(100, 1))
    turns.answer(Span(2, 6, 5), source_id="m1", usage=Usage(100, 40))
    turns.answer(Span(3, 12, 5), source_id="m1")
    (message,) = turns.messages()
    assert message.usage == Usage(100, 40)


def test_that_thinking_is_part_of_what_came_out_of_gemini() -> None:
    told = {"promptTokenCount": 900, "candidatesTokenCount": 40, "thoughtsTokenCount": 260}
    assert gemini_usage(told) == Usage(900, 300, None)
    assert gemini_usage({**told, "candidatesTokenCount": None}) == Usage(900, None, None)


def test_that_zeros_tell_nothing() -> None:
    assert anthropic_usage({"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 0}) is None
    assert anthropic_usage({"input_tokens": 0, "output_tokens": 3}) == Usage(0, 3, None, None)
