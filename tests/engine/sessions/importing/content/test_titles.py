"""Titles are the first real words of a person, never a tag of the harness."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.listing import listing
from ravenglass.sessions.importing.chat.messages import injected_kind
from ravenglass.sessions.importing.content.titles import first_words
from ravenglass.sessions.importing.content.user_kinds import user_kind
from ravenglass.sessions.importing.responses.kinds import user_kind as responses_kind
from ravenglass.sessions.model.session import Part
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
        ("<my_task>Count the files</my_task>", "Count the files"),
        ("<pr_description>\nSum is wrong\n</pr_description>\n<instructions>Look</instructions>", "Sum is wrong"),
        ("<system>The context was compacted</system>Count on", "Count on"),
        ("<USER_REQUEST>\nFix it\n</USER_REQUEST>\n<ADDITIONAL_METADATA>x</ADDITIONAL_METADATA>", "Fix it"),
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


HARNESS = [
    "<ide_opened_file>The user opened a.py</ide_opened_file>",
    "<ide_selection>a</ide_selection>\n<system-reminder>b</system-reminder>",
    "<environment_details>\n# Time\n</environment_details>",
    "<SYSTEM_NOTICE>compacted</SYSTEM_NOTICE>",
    "<session_context>\ntoday\n</session_context>",
    "<environment_context><cwd>a</cwd></environment_context>",
    "<permissions instructions>ask</permissions instructions>",
    "<context>a</context>\n<reminderInstructions>b</reminderInstructions>",
    "<open_and_recently_viewed_files>a</open_and_recently_viewed_files>",
    "<ADDITIONAL_METADATA>a</ADDITIONAL_METADATA>",
    "<system-reminder>cut",
]


@pytest.mark.parametrize("words", HARNESS)
def test_that_what_a_harness_wrote_alone_is_no_prompt_in_any_format(words: str) -> None:
    parts = (Part("text", words),)
    assert user_kind(parts, meta=False, summary=False, origin="")[0] == "meta"
    assert injected_kind(parts) == "meta"
    assert responses_kind(parts) == "meta"
    spoken = (*parts, Part("text", "Fix it")) if not words.endswith("cut") else (Part("text", "Fix it"), *parts)
    for kind in (user_kind(spoken, meta=False, summary=False, origin="")[0], injected_kind(spoken)):
        assert kind == "prompt"


@pytest.mark.parametrize("words", ["<my_task>do it</my_task>", "<pr_description>a</pr_description>", "<div>a</div>"])
def test_that_a_task_in_tags_of_its_own_is_a_prompt(words: str) -> None:
    parts = (Part("text", words),)
    assert user_kind(parts, meta=False, summary=False, origin="")[0] == injected_kind(parts) == "prompt"


def test_that_an_image_beside_a_harnesss_block_is_a_prompt() -> None:
    parts = (Part("text", HARNESS[0]), Part("image", "[image image/png, 8 bytes]"))
    assert user_kind(parts, meta=False, summary=False, origin="")[0] == injected_kind(parts) == "prompt"
