from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from ravenglass.hub.files.fingerprint import Outdated, outdated, shown_content
from ravenglass.hub.files.uses import uses
from ravenglass.sessions.model.session import Message, Session, ToolCall
from tests.engine.builders import assistant, call, result, session, sessions, user


def tool_group(*calls: ToolCall, error: bool = False) -> list[Message]:
    return [assistant("", *calls), *(result("x", error=error) for _ in calls)]


def read(path: str = "a.py", **more: Any) -> ToolCall:
    return call("Read", file_path=path, **more)


def edit(path: str = "a.py") -> ToolCall:
    return call("Edit", file_path=path, old_string="a", new_string="b")


def write(path: str = "a.py") -> ToolCall:
    return call("Write", file_path=path, content="x")


def stale(*exchanges: list[Message]) -> dict[int, tuple[int, str]]:
    """Exchange -> (exchange that outdated it, how); exchanges count from 1, as groups after the prompt."""
    found = outdated(uses(session(user("go"), *(m for exchange in exchanges for m in exchange))))
    return {group: (o.by, o.how) for group, o in found.items()}


@pytest.mark.rule("4.33")
def test_that_an_edit_a_write_and_a_newer_read_outdate_a_read() -> None:
    assert stale(tool_group(read()), tool_group(edit())) == {1: (2, "edited")}
    assert stale(tool_group(read()), tool_group(write())) == {1: (2, "written")}
    assert stale(tool_group(read()), tool_group(read())) == {1: (2, "read again")}


@pytest.mark.rule("4.33")
def test_that_a_read_of_many_files_is_outdated_with_the_last_of_them() -> None:
    many = call("read_many_files", paths=["a.py", "b.py"])
    assert stale(tool_group(many), tool_group(edit("a.py"))) == {}
    assert stale(tool_group(many), tool_group(edit("a.py")), tool_group(write("b.py"))) == {1: (3, "written")}


def test_that_a_write_shows_content_and_an_edit_does_not() -> None:
    assert stale(tool_group(write()), tool_group(edit())) == {1: (2, "edited")}
    assert stale(tool_group(edit()), tool_group(edit()), tool_group(read())) == {}


def test_that_another_file_outdates_nothing() -> None:
    assert stale(tool_group(read("a.py")), tool_group(edit("b.py")), tool_group(call("Bash", command="rm b.py"))) == {}


def test_that_only_the_first_change_of_a_file_outdates_it() -> None:
    assert stale(tool_group(read()), tool_group(edit()), tool_group(edit())) == {1: (2, "edited")}


def test_that_a_partial_read_outdates_only_the_same_part() -> None:
    first, second = read(offset=1, limit=9), read(offset=10, limit=9)
    assert stale(tool_group(first), tool_group(second)) == {}
    assert stale(tool_group(first), tool_group(first)) == {1: (2, "read again")}
    assert stale(tool_group(read()), tool_group(first)) == {}
    assert stale(tool_group(first), tool_group(second), tool_group(read())) == {
        1: (3, "read again"),
        2: (3, "read again"),
    }
    assert stale(tool_group(first), tool_group(second), tool_group(edit())) == {1: (3, "edited"), 2: (3, "edited")}


def test_that_a_group_expires_only_when_all_it_shows_is_outdated() -> None:
    both = tool_group(read("a.py"), read("b.py"))
    assert stale(both, tool_group(edit("a.py"))) == {}
    assert stale(both, tool_group(edit("b.py")), tool_group(edit("a.py"))) == {1: (3, "edited")}


def test_that_a_group_that_also_shows_something_else_never_expires() -> None:
    assert stale(tool_group(read(), call("Bash", command="pytest")), tool_group(edit())) == {}
    assert stale(tool_group(read("a.py"), edit("b.py")), tool_group(edit("a.py"))) == {}


def test_that_a_call_that_failed_or_was_not_answered_outdates_nothing() -> None:
    assert stale(tool_group(read()), tool_group(edit(), error=True)) == {}
    assert stale(tool_group(read()), [assistant("", edit())]) == {}


def test_that_a_read_that_failed_does_not_expire() -> None:
    assert stale(tool_group(read(), error=True), tool_group(read())) == {}


def test_that_the_same_file_twice_in_one_group_does_not_outdate_itself() -> None:
    assert stale(tool_group(read(), read())) == {}
    assert stale(tool_group(read(), read()), tool_group(edit())) == {1: (2, "edited")}


def test_that_what_was_outdated_says_which_file() -> None:
    built = session(user("go"), *tool_group(read("src/a.py")), *tool_group(edit("src/a.py")))
    assert outdated(uses(built)) == {1: Outdated(2, "src/a.py", "edited")}


@given(sessions())
def test_that_only_a_later_group_that_uses_the_file_outdates_one(built: Session) -> None:
    made = uses(built)
    for group, found in outdated(made).items():
        assert found.by > group
        by = [use for use in made if use.group == found.by and use.result is not None]
        assert any(found.path in {*(f.path for f in use.files), *(p.path for p in use.patches)} for use in by)
        own = [use for use in made if use.group == group]
        assert all(file.op in ("read", "write") for use in own for file in use.files)
        assert all(use.files and use.result is not None for use in own)
        assert found.path in {file.path for use in own for file in use.files}


DIFF = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x\n-y\n+z"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-y\n+z\n*** End Patch"


@pytest.mark.rule("4.33")
@pytest.mark.parametrize(
    ("made", "how"),
    [
        (call("apply_patch", input=PATCH), "patched"),
        (call("shell", command=["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]), "patched"),
        (call("MultiEdit", file_path="/home/dev/shop/a.py", edits=[]), "edited"),
        (call("str_replace_editor", command="insert", path="/home/dev/shop/a.py"), "edited"),
        (call("str_replace_editor", command="create", path="a.py", file_text="z"), "written"),
        (call("edit", path="./a.py", oldText="y", newText="z"), "edited"),
        (call("write", path="a.py", content="z"), "written"),
        (call("read", path="a.py"), "read again"),
        (call("exec_command", cmd="cat a.py", workdir="/home/dev/shop"), "read again"),
        (call("Bash", command="echo z > a.py"), "written"),
        (call("Bash", command="make | tee a.py"), "written"),
        (call("Bash", command="sed -i s/y/z/ a.py"), "edited"),
        (call("Bash", command="git checkout -- a.py"), "restored"),
        (call("Bash", command="git restore ."), "restored"),
        (call("Bash", command="mv a.py b.py"), "moved"),
        (call("Bash", command="mv b.py a.py"), "written"),
        (call("Bash", command="rm /home/dev/shop/a.py"), "removed"),
        (call("Bash", command="rm -rf /home/dev/shop"), "removed"),
    ],
)
def test_that_every_way_of_changing_a_file_outdates_a_read_of_it(made: ToolCall, how: str) -> None:
    assert stale(tool_group(read()), tool_group(made)) == {1: (2, how)}
    assert stale(tool_group(read("/home/dev/shop/a.py")), tool_group(made)) == {1: (2, how)}
    assert stale(tool_group(read("/tmp/a.py")), tool_group(made)) == {}


def shown(text: str, made: ToolCall, diff: str) -> dict[int, tuple[int, str]]:
    """What a read that showed `text` becomes when `made` prints a diff."""
    return stale([assistant("", made), result(text)], [assistant("", call("Bash", command="git diff")), result(diff)])


@pytest.mark.rule("4.34")
def test_that_a_diff_outdates_a_read_that_shows_the_file_otherwise() -> None:
    assert shown("     1→x\n     2→y\n     3→w", read(), DIFF) == {1: (2, "shown as changed")}
    assert shown("     1→x\n     2→z\n     3→w", read(), DIFF) == {}
    assert shown("x\ny", call("Bash", command="cat a.py"), DIFF) == {1: (2, "shown as changed")}
    assert shown("x\ny", read("b.py"), DIFF) == {}


def test_that_a_diff_outdates_a_part_only_where_it_shows_the_old_lines() -> None:
    assert shown("    90→p\n    91→q", read(offset=90), DIFF) == {}
    assert shown("     1→x\n     2→y", read(offset=1), DIFF) == {1: (2, "shown as changed")}


@pytest.mark.rule("4.34")
def test_that_a_diff_that_removes_or_renames_a_file_outdates_it() -> None:
    gone = "diff --git a/a.py b/a.py\ndeleted file mode 100644\n--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x"
    renamed = "diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to b.py"
    assert shown("x", read(), gone) == shown("x", read(), renamed) == {1: (2, "shown as changed")}


def test_that_a_diff_printed_by_another_command_outdates_nothing() -> None:
    printed = [assistant("", call("Bash", command="cat fix.diff")), result(DIFF)]
    assert stale([assistant("", read()), result("x\ny")], printed) == {}


def test_that_a_patch_that_adds_files_shows_them_and_expires_with_the_last() -> None:
    added = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Add File: b.py\n+y\n*** End Patch"
    both = tool_group(call("apply_patch", input=added))
    assert stale(both, tool_group(edit("a.py"))) == {}
    assert stale(both, tool_group(edit("a.py")), tool_group(edit("b.py"))) == {1: (3, "edited")}


def test_that_calls_of_one_message_do_not_outdate_each_other() -> None:
    built = session(user("go"), *tool_group(read(), write()), *tool_group(edit()))
    assert [shown.by for shown in shown_content(uses(built))] == [Outdated(2, "a.py", "edited")] * 2
    alone = session(user("go"), *tool_group(read(), write()))
    assert [shown.by for shown in shown_content(uses(alone))] == [None, None]


@pytest.mark.rule("4.33")
def test_that_what_is_outdated_stays_so_since_then_when_the_file_is_read_once_more() -> None:
    built = session(user("go"), *tool_group(read()), *tool_group(edit()), *tool_group(read()))
    first, last = shown_content(uses(built))
    assert (first.by, last.by) == (Outdated(2, "a.py", "edited"), None)
