"""Titles are the first real words of a person, never a tag of the harness."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.listing import listing
from ravenglass.sessions.importing.content.titles import first_words
from tests.engine.sessions.conftest import assistant, say, user

Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("<ide_opened_file>The user opened a.py</ide_opened_file>\nFix the parser", "Fix the parser"),
        ("<system-reminder>a\n<b></system-reminder><ide_selection>x</ide_selection> Fix it", "Fix it"),
        ("<user_query>\nWhat is this?\n</user_query>", "What is this?"),
        ("<context>\nToday\n</context>\n<userRequest>\nLook\n</userRequest>", "Look"),
        ("<task>\nCount\n</task>\n<environment_details>many</environment_details>", "Count"),
        ('<ide_diff path="a">x</ide_diff> Why?', "Why?"),
        ("<div>centre this</div>", "<div>centre this</div>"),
        ("<ide_opened_file>never closed", ""),
        ("a < b and c > d", "a < b and c > d"),
    ],
)
def test_that_the_harness_is_passed_over(words: str, title: str) -> None:
    assert first_words(words) == title


def test_that_a_session_is_called_by_what_the_person_said_first(write: Write) -> None:
    opened = say("<ide_opened_file>The user opened the file a.py in the IDE.</ide_opened_file>")
    lines = (user([opened]), assistant(say("ok")), user([opened, say("Fix the parser")], uuid="u2"))
    path = write(*lines)
    assert open_session(path).title == "Fix the parser"
    assert [entry.title for entry in listing(path)] == ["Fix the parser"]


def test_that_a_recorded_title_of_tags_is_no_title(write: Write) -> None:
    summary = {"type": "summary", "leafUuid": "u1", "summary": "<command-name>/clear</command-name>"}
    assert open_session(write(summary, user("Fix the parser"), assistant(say("ok")))).title == "Fix the parser"
