"""What is known of a file after edits, and that registry and addresses have it at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.files.known import known_contents, patched
from ravenglass.hub.files.uses import uses
from ravenglass.hub.item import State
from ravenglass.replay import replay
from ravenglass.replay.living import Alive, Living
from ravenglass.sessions.model.session import ToolCall
from tests.engine.builders import assistant, call, result, session, user

FILE = "cxt://project/shop/file/src/a.py"
OLD = "def f():\n    return 1\n\ndef g():\n    return 2"
NEW = "def f():\n    return 3\n\ndef g():\n    return 2"
UNIFIED = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 3\n"
TWICE = [{"old_string": "1", "new_string": "9"}, {"old_string": "9", "new_string": "3"}]
ENVELOPE = (
    "*** Begin Patch\n*** Update File: src/a.py\n@@ def f\n def f():\n-    return 1\n+    return 3\n*** End Patch"
)


@pytest.mark.rule("4.38")
@pytest.mark.parametrize(
    "made",
    [
        call("Edit", file_path="src/a.py", old_string="return 1", new_string="return 3"),
        call("str_replace_editor", command="str_replace", path="src/a.py", old_str="return 1", new_str="return 3"),
        call(
            "MultiEdit",
            file_path="src/a.py",
            edits=TWICE,
        ),
        call("apply_patch", input=ENVELOPE),
        call("apply_diff", path="src/a.py", diff=UNIFIED),
    ],
)
def test_that_an_edit_is_applied_to_what_was_known_at_once(made: ToolCall) -> None:
    read = assistant("", call("Read", file_path="src/a.py")), result(OLD)
    run = replay(session(user("go"), *read, assistant("", made), result("ok"), assistant("Done.")))
    assert run.resolve(FILE, 2).text == OLD
    found = run.resolve(FILE, 3)
    assert (found.text, found.message, found.changed) == (NEW, 4, "")
    assert run.resolve(f"{FILE}#f", 3).text == "def f():\n    return 3"
    entry = next(e for e in run.registry(3) if e.message == 4 and e.namespace == "repo")
    assert (entry.namespace, entry.scope, entry.context_id) == ("repo", "file", f"{FILE}@{found.fingerprint[:12]}")
    assert run.resolve(entry.context_id, 3).text == NEW


@pytest.mark.rule("4.38")
@pytest.mark.parametrize(
    "made",
    [
        call("Edit", file_path="src/a.py", old_string="return", new_string="yield"),  # stands there twice
        call("Edit", file_path="src/a.py", old_string="nothing like it", new_string="x"),
        call("Edit", file_path="src/a.py"),
        call("apply_patch", input=UNIFIED.replace("return 1", "return 7")),
    ],
)
def test_that_an_edit_that_does_not_apply_leaves_nothing_known_until_the_file_is_shown_again(made: ToolCall) -> None:
    read = assistant("", call("Read", file_path="src/a.py")), result(OLD)
    good = call("Edit", file_path="src/a.py", old_string="return 1", new_string="return 3")
    after = assistant("", good), result("ok")
    run = replay(
        session(user("go"), *read, assistant("", made), result("ok"), *after, *read, *after, assistant("Done."))
    )
    assert run.resolve(FILE, 4).text == OLD
    assert run.resolve(FILE, 4).changed
    assert run.resolve(FILE, 6).text == NEW


@pytest.mark.parametrize(("content", "after"), [("a\na", None), ("a\nb", "c\nb"), ("b\na", "b\nc")])
def test_that_a_hunk_that_fits_two_places_which_touch_is_not_applied(content: str, after: str | None) -> None:
    made = call("apply_patch", input="*** Begin Patch\n*** Update File: a\n@@\n-a\n+c\n*** End Patch")
    assert patched(made, content) == after


@pytest.mark.rule("4.38")
def test_that_what_is_read_or_written_after_an_edit_is_the_newest() -> None:
    read = assistant("", call("Read", file_path="src/a.py")), result(OLD)
    edit = assistant("", call("Edit", file_path="src/a.py", old_string="1", new_string="3")), result("ok")
    write = assistant("", call("Write", file_path="src/a.py", content="x")), result("ok")
    run = replay(session(user("go"), *read, *edit, *write, *read, assistant("Done.")))
    assert [run.resolve(FILE, number).text for number in (2, 3, 4, 5)] == [OLD, NEW, "x", OLD]
    states = [next(e.state for e in run.registry(number) if e.group is None) for number in (3, 4)]
    assert states == [State.ACTIVE, State.EXPIRED]
    living = Living(run, 4)
    left = next(e for e in run.registry(4) if e.group is None)
    assert living.of(left) == Alive(False, "the file as the edit #4 left it; shown or changed again since")


@pytest.mark.rule("4.38")
@given(
    st.text("ab\n", max_size=30), st.text("ab\n", min_size=1, max_size=4), st.text("ab\n", max_size=4), st.booleans()
)
def test_that_a_replacement_is_that_of_the_text(before: str, old: str, new: str, every: bool) -> None:
    made = patched(call("Edit", file_path="a", old_string=old, new_string=new, replace_all=every), before)
    fits = old in before if every else before.count(old) == 1
    assert made == (before.replace(old, new) if fits else None)


@pytest.mark.rule("4.38")
@pytest.mark.parametrize("gone", ["rm -r src", "git checkout -- src", "mv src lib"])
def test_that_nothing_is_known_of_a_file_whose_folder_went(gone: str) -> None:
    write = assistant("", call("Write", file_path="src/a.py", content=OLD)), result("ok")
    edit = assistant("", call("Edit", file_path="src/a.py", old_string="return 1", new_string="return 3")), result("ok")
    went = assistant("", call("Bash", command=gone)), result("")
    assert known_contents(uses(session(user("go"), *write, *edit))) == {1: NEW}
    assert known_contents(uses(session(user("go"), *write, *went, *edit))) == {}


@pytest.mark.rule("4.38")
def test_that_nothing_is_known_of_a_file_that_a_diff_shows_otherwise() -> None:
    write = assistant("", call("Write", file_path="src/a.py", content=OLD)), result("ok")
    edit = assistant("", call("Edit", file_path="src/a.py", old_string="return 1", new_string="return 3")), result("ok")
    shown = (
        "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    x\n+    y"
    )
    same = shown.replace("    x", "    return 0").replace("    y", "    return 1")
    for diff, known in ((shown, {}), (same, {2: NEW})):
        looked = assistant("", call("Bash", command="git diff")), result(diff)
        assert known_contents(uses(session(user("go"), *write, *looked, *edit))) == known
