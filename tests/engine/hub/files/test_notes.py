"""What neither shows a file nor tells of its change, in the words of many tools; and content that looks like it."""

from __future__ import annotations

import pytest

from ravenglass.hub.files.file_use import FileUse, Op
from ravenglass.hub.files.fingerprint import content_of_groups, outdated
from ravenglass.hub.files.notes import is_note
from ravenglass.hub.files.uses import uses
from tests.engine.builders import assistant, call, result, session, user

READS = [
    "",
    "\n",
    "File unchanged since last read. The content from the earlier Read tool_result is still current - refer to that.",
    "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>",
    "(empty)",
    "a.go has not been modified since you last read it.",
    "[a.go: already in context, unchanged from the previous read]",
    "<persisted-output>\nOutput too large (91KB). Full output saved to: out.txt\n\nPreview (first 2KB):\n1\tpackage a",
    "Error: ENOENT: no such file or directory, open 'a.go'",
    "<tool_use_error>File does not exist.</tool_use_error>",
    "File content (41,000 tokens) exceeds maximum allowed tokens (25,000). Please use offset and limit.",
    "cat: a.go: No such file or directory",
    "Exit code: 1\nWall time: 0.1 seconds\nOutput:\ncat: a.go: No such file or directory",
    "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    "[Old tool result content cleared]",
    "Warning: the file exists but is Shorter Than The Provided Offset (400). The file has 120 lines.",
]
EDITS = [
    "<tool_use_error>String to replace not found in file.\nString: x = 1</tool_use_error>",
    "No replacement was performed, old_str `x` did not appear verbatim in a.go.",
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit).",
    "apply_patch verification failed: Failed to find expected lines in a.go",
    "File has not been read yet. Read it first before writing to it.",
    "Found 3 matches of the string to replace, but replace_all is false.",
    "Error: Failed to edit, 0 occurrences found for old_string in a.go.",
    "The operation was declined by the user.",
    "Permission to use Edit with file a.go has been denied.",
]
CONTENT = [
    "     1→Error: what a log begins with\n     2→more",
    "1\tunchanged since last read",
    "x",
    "package a\n\nfunc unchanged() {}\n",
    "\n".join(f"error {n}: this is a log" for n in range(9)),
    "# Changes\n\nThe parser was rejected by the user of the tool.\n\nIt has not changed since.\n\nMore.\n\nAnd more.",
]
DONE = [
    "The file a.go has been updated. Here's the result of running `cat -n` on a snippet:\n 1\tif err { return Error }",
    "Success. Updated the following files:\nM a.go",
    "",
    "File created successfully at: a.go",
    "Edit applied successfully.",
    "Replaced 1 occurrence.",
]


@pytest.mark.parametrize("text", READS)
def test_that_a_note_in_answer_to_a_read_is_none_of_its_content(text: str) -> None:
    assert is_note([FileUse("read", "a.go")], text)


@pytest.mark.parametrize("text", EDITS)
@pytest.mark.parametrize("op", ["edit", "write"])
def test_that_a_change_that_failed_or_was_rejected_is_none(op: Op, text: str) -> None:
    assert is_note([FileUse(op, "a.go")], text)


@pytest.mark.parametrize("text", CONTENT)
def test_that_content_which_speaks_of_errors_is_content(text: str) -> None:
    assert not is_note([FileUse("read", "a.go")], text)


@pytest.mark.parametrize("text", DONE)
def test_that_a_change_that_was_made_is_one(text: str) -> None:
    assert not is_note([FileUse("edit", "a.go")], text)


@pytest.mark.parametrize("text", READS)
def test_that_a_note_outdates_nothing_and_stands_for_no_content(text: str) -> None:
    read = call("Read", file_path="a.go")
    made = session(user("go"), assistant("", read), result("package a\nvar x = 1"), assistant("", read), result(text))
    assert outdated(uses(made)) == {}
    assert list(content_of_groups(uses(made))) == [1]


@pytest.mark.parametrize("text", EDITS)
def test_that_a_rejected_edit_outdates_nothing_where_the_format_has_no_flag(text: str) -> None:
    made = session(
        user("go"), assistant("", call("Read", file_path="a.go")), result("package a\nvar x = 1"),
        assistant("", call("Edit", file_path="a.go", old_string="x", new_string="y")), result(text),
    )  # fmt: skip
    assert outdated(uses(made)) == {}
