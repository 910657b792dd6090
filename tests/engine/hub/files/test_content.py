from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.files.content import bare, file_content, fingerprint
from ravenglass.hub.files.uses import uses
from ravenglass.sessions.model.session import ToolCall
from tests.engine.builders import assistant, call, result, session, user

LINES = st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=12), min_size=1)


def shown(made: ToolCall, answer: str) -> str:
    return file_content(uses(session(user("go"), assistant("", made), result(answer)))[0])


@given(LINES, st.sampled_from(("→", "\t", ": ")))
def test_that_line_numbers_are_no_content(lines: list[str], sign: str) -> None:
    numbered = "\n".join(f"{n:6}{sign}{line}" for n, line in enumerate(lines, start=1))
    assert bare(numbered) == "\n".join(lines)


@given(LINES)
def test_that_a_text_whose_lines_are_not_all_numbered_stays_as_it_is(lines: list[str]) -> None:
    text = "\n".join([*lines, "end of file"])
    assert bare(text) == text


@pytest.mark.parametrize(
    "around",
    [
        "Chunk ID: 1a2b\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nx = 1\ny = 2",
        "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nx = 1\ny = 2",
        "Here's the result of running `cat -n` on /a.py:\n     1\tx = 1\n     2\ty = 2",
        "     1→x = 1\n     2→y = 2\n\n<system-reminder>\nBe careful.\n</system-reminder>\n",
    ],
)
def test_that_what_tools_print_around_a_file_is_no_content(around: str) -> None:
    assert bare(around) == "x = 1\ny = 2"


def test_that_a_write_shows_what_it_wrote() -> None:
    assert shown(call("Write", file_path="a.py", content="x = 1\n"), "written") == "x = 1\n"
    assert shown(call("str_replace_editor", command="create", path="a", file_text="x"), "ok") == "x"
    assert shown(call("apply_patch", input="*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"), "ok") == "x"
    assert shown(call("Write", file_path="a.py"), "written") == ""


@pytest.mark.rule("4.32")
def test_that_a_read_and_a_write_of_the_same_content_have_the_same_fingerprint() -> None:
    read = shown(call("Read", file_path="a.py"), "     1→x = 1\n     2→y = 2")
    written = shown(call("Write", file_path="a.py", content="x = 1\ny = 2\n"), "ok")
    assert fingerprint(read) == fingerprint(written) == hashlib.sha256(b"x = 1\ny = 2").hexdigest()


@given(st.text())
def test_that_every_text_has_a_fingerprint(text: str) -> None:
    assert len(fingerprint(text)) == 64
    assert fingerprint(text) != fingerprint(text + "x")


def test_that_digits_before_one_line_are_no_numbering() -> None:
    for text in ("1: one\nplain", "plain\n 12\tx", "3→x\n\ny"):
        assert bare(text) == text
    assert bare("1: one\n2: two") == "one\ntwo"


def test_that_empty_lines_without_a_number_stay() -> None:
    assert bare("     1\tdef f():\n\n\n     4\treturn 1") == "def f():\n\n\nreturn 1"
