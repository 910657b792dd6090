from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.files.toolbox import (
    FileUse,
    argument_value,
    arguments,
    file_use,
    matches,
    shell_command,
    source_of,
    strings,
)
from ravenglass.sessions.model.session import ToolCall
from tests.engine.builders import call

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("made", "use"),
    [
        (call("Read", file_path="a.py"), FileUse("read", "a.py")),
        (call("Read", file_path="a.py", offset=10, limit=5), FileUse("read", "a.py", "offset=10,limit=5")),
        (call("Read", file_path="a.py", offset=0), FileUse("read", "a.py")),
        (call("read_file", path="a.py", start_line=3, end_line=9), FileUse("read", "a.py", "start_line=3,end_line=9")),
        (call("Write", file_path="a.py", content="x"), FileUse("write", "a.py")),
        (call("Edit", file_path="a.py", old_string="x", new_string="y"), FileUse("edit", "a.py")),
        (call("NotebookEdit", notebook_path="a.ipynb"), FileUse("edit", "a.ipynb")),
        (call("str_replace_editor", command="view", path="a.py"), FileUse("read", "a.py")),
        (
            call("str_replace_editor", command="view", path="a.py", view_range=[1, 9]),
            FileUse("read", "a.py", "view_range=[1, 9]"),
        ),
        (call("str_replace_based_edit_tool", command="create", path="a.py"), FileUse("write", "a.py")),
        (call("str_replace_editor", command="insert", path="a.py"), FileUse("edit", "a.py")),
        (call("str_replace_editor", command="undo_edit", path="a.py"), FileUse("edit", "a.py")),
        (call("str_replace_editor", command="dance", path="a.py"), FileUse("none", "a.py")),
        (call("Grep", pattern="x", path="src"), FileUse("none", "src")),
        (call("Bash", command="cat a.py"), FileUse("none", "")),
        (call("Read"), FileUse("none", "")),
        (call("Read", file_path=3), FileUse("none", "")),
        (call("Read", raw="{"), FileUse("none", "")),
    ],
)
def test_that_a_call_tells_what_it_does_to_which_file(made: ToolCall, use: FileUse) -> None:
    assert file_use(made) == use


@pytest.mark.parametrize("raw", ["", "{", "[1]", "null", '"text"', "nul", "[" * 100_000])
def test_that_arguments_that_are_no_object_are_empty(raw: str) -> None:
    assert arguments(ToolCall("c", "Bash", raw)) == {}


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_that_arguments_read_back_as_they_were_given(given_arguments: dict[str, object]) -> None:
    assert arguments(ToolCall("c", "Bash", json.dumps(given_arguments))) == given_arguments


@given(JSON)
def test_that_every_string_of_a_value_is_found(value: object) -> None:
    found = list(strings(value))
    text = json.dumps(value, ensure_ascii=False)
    assert all(json.dumps(one, ensure_ascii=False) in text for one in found)
    if isinstance(value, str):
        assert found == [value]
    if isinstance(value, list):
        assert found == [inner for one in value for inner in strings(one)]
    if isinstance(value, dict):
        assert found == [inner for one in value.values() for inner in strings(one)]


@pytest.mark.parametrize(
    ("made", "command"),
    [
        (call("Bash", command="git status"), "git status"),
        (call("exec_command", cmd="ls -l"), "ls -l"),
        (call("shell", command=["bash", "-lc", "make test"]), "bash -lc make test"),
        (call("Read", command="git status"), ""),
        (call("Bash", raw="{"), ""),
        (call("Bash"), ""),
    ],
)
def test_that_the_command_line_of_a_shell_call_is_found(made: ToolCall, command: str) -> None:
    assert shell_command(made) == command


@pytest.mark.parametrize(
    ("made", "source"),
    [
        (call("Bash", command="git diff HEAD~1"), "git_diff"),
        (call("Bash", command="cd x && git show abc"), "git_diff"),
        (call("Bash", command="git log"), "tool_result"),
        (call("Read", file_path="git diff"), "tool_result"),
        (call("lsp_hover", symbol="x"), "lsp_symbol"),
        (call("mcp__ide__getDiagnostics"), "lsp_symbol"),
        (call("Read", file_path="a.py"), "tool_result"),
    ],
)
def test_that_a_call_tells_the_kind_of_source_of_its_result(made: ToolCall, source: str) -> None:
    assert source_of(made) == source


@pytest.mark.parametrize(
    ("pattern", "text", "verdict"),
    [
        ("*", "", True),
        ("*", "any\nthing", True),
        ("read*", "read_file", True),
        ("read*", "Read", False),
        ("*/SKILL.md", "skills/x/SKILL.md", True),
        ("*/SKILL.md", "SKILL.md", False),
        ("README.md", "docs/README.md", False),
    ],
)
def test_that_globs_are_case_sensitive_and_match_whole_names(pattern: str, text: str, verdict: bool) -> None:
    assert matches(pattern, text) is verdict


def test_that_damaged_arguments_have_no_value_and_null_has_one() -> None:
    assert argument_value('{"file_path": ') == ()
    assert argument_value("null") == (None,)
    assert argument_value("") == ({},)
