"""Texts that were replaced before the record came here are told from texts that were sent."""

from __future__ import annotations

import pytest

from ravenglass.sessions.model.replaced import replaced
from tests.engine.builders import assistant, call, result, session, user

PLACEHOLDERS = [
    "[REDACTED_TEXT len=3642 sha=c1f3a045]",
    "[trimmed for fixture]",
    "<redacted/>",
    "{{ REMOVED }}",
    "[12 lines omitted]",
    "Redacted.",
]


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_that_a_text_which_is_nothing_but_a_placeholder_was_replaced(text: str) -> None:
    found = replaced(session(user(text), assistant(text), user("go on")))
    assert (found.count, found.of, found.mostly, found.example) == (2, 3, True, text)


@pytest.mark.parametrize(
    "text",
    [
        "I removed the file.",
        "[x] the old test was removed, see [1]",
        "def redacted(text): ...",
        "[Old tool result content cleared]",
        "[image image/png, 48,112 bytes]",
        "[redacted] and then some words of the answer",
        "x" * 500,
    ],
)
def test_that_a_text_which_says_something_was_not_replaced(text: str) -> None:
    found = replaced(session(user(text), assistant(text)))
    assert (found.count, found.mostly, found.example) == (0, False, "")


def test_that_arguments_and_results_count_and_the_most_frequent_placeholder_is_named() -> None:
    made = session(
        user("[REDACTED_TEXT len=1]"),
        assistant("", call("Read", file_path="a")),
        result("[REDACTED_OUTPUT len=7 sha=0a]"),
        assistant("", call("Read", file_path="b")),
        result("[REDACTED_OUTPUT len=8 sha=ff]"),
        assistant("done"),
    )
    found = replaced(made)
    assert (found.count, found.of, found.mostly) == (3, 6, False)
    assert found.example == "[REDACTED_OUTPUT len=7 sha=0a]"


def test_that_a_session_without_texts_has_none_replaced() -> None:
    assert not replaced(session(user(""))).mostly
