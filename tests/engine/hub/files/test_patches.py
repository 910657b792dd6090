from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.files.file_use import FileUse
from ravenglass.hub.files.patches import Hunk, Patched, added_content, envelope_uses, unified

ENVELOPE = """*** Begin Patch
*** Update File: src/a.py
@@ def f():
-x
+y
*** Add File: docs/new notes.md
+one
+two
*** Delete File: old.py
*** Update File: b.py
*** Move to: c.py
@@
-x
+y
*** End Patch"""

LINES = st.lists(st.sampled_from(("a", "b", "c", "def f():", "    return 1", "", "-x", "+y", "@@ z")), max_size=12)


def git_diff(path: str, old: list[str], new: list[str]) -> str:
    rows = list(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm=""))
    return "\n".join([f"diff --git a/{path} b/{path}", "index 1..2 100644", *rows])


def test_that_an_envelope_names_what_it_adds_changes_removes_and_moves() -> None:
    assert envelope_uses(ENVELOPE) == [
        FileUse("edit", "src/a.py", how="patched"),
        FileUse("write", "docs/new notes.md"),
        FileUse("edit", "old.py", how="removed"),
        FileUse("edit", "b.py", how="moved"),
        FileUse("edit", "c.py", how="written"),
    ]
    assert envelope_uses("--- a/x\n+++ b/x") == []


def test_that_an_added_file_shows_its_content() -> None:
    assert added_content(ENVELOPE) == "one\ntwo"
    assert added_content("*** Update File: a.py\n+x") == ""


def test_that_a_git_diff_names_each_file_with_its_hunks() -> None:
    text = git_diff("a.py", ["x", "y"], ["x", "z"]) + "\n" + git_diff("b c.py", ["1"], ["2"])
    assert unified(text) == [
        Patched("a.py", (Hunk("x\ny", "x\nz"),)),
        Patched("b c.py", (Hunk("1", "2"),)),
    ]


def test_that_what_stands_around_a_diff_does_not_matter() -> None:
    text = "commit 1234\nAuthor: x\n\n    --- a title\n\n" + git_diff("a.py", ["x"], ["y"]) + "\nmore output"
    assert [p.path for p in unified(text)] == ["a.py"]
    assert unified("--- a list\n+++ of things\n") == []


def test_that_a_diff_without_git_is_read_as_well() -> None:
    assert unified("--- a.py\t2026-01-01\n+++ a.py\t2026-01-02\n@@ -1 +1 @@\n-x\n+y\n") == [
        Patched("a.py", (Hunk("x", "y"),))
    ]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (
            "deleted file mode 100644\n--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x",
            [Patched("a.py", (Hunk("x", ""),), gone=True)],
        ),
        ("similarity index 100%\nrename from a.py\nrename to b.py", [Patched("a.py", (), gone=True)]),
        ("index 1..2\nBinary files a/a.py and b/a.py differ", [Patched("a.py", (), opaque=True)]),
        ("new file mode 100644\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x", []),
        ("old mode 100644\nnew mode 100755", []),
    ],
)  # fmt: skip
def test_that_a_section_without_a_changed_text_says_what_it_means(rows: str, found: list[Patched]) -> None:
    assert unified(f"diff --git a/a.py b/a.py\n{rows}") == found


@given(LINES, LINES)
def test_that_a_diff_contradicts_the_old_text_and_not_the_new_one(old: list[str], new: list[str]) -> None:
    found = unified(git_diff("a.py", old, new))
    if "\n".join(old) == "\n".join(new) or not old:
        return
    assert [p.path for p in found] == ["a.py"]
    assert not found[0].contradicts("\n".join(new), whole=True)
    if old and new and not all(h.after in "\n".join(old) for h in found[0].hunks):
        assert found[0].contradicts("\n".join(old), whole=True)


def test_that_a_part_that_a_diff_does_not_reach_is_not_contradicted() -> None:
    patch = Patched("a.py", (Hunk("x\ny", "x\nz"),))
    assert not patch.contradicts("elsewhere", whole=False)
    assert patch.contradicts("elsewhere", whole=True)
    assert patch.contradicts("0\nx\ny\n1", whole=False)
    assert not patch.contradicts("0\nx\nz\n1", whole=False)


@given(
    st.text()
    | st.lists(
        st.sampled_from(("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1,2 +1 @@", "+", "-", " ", "*** Add File: x"))
    ).map("\n".join)
)
def test_that_any_text_can_be_read(text: str) -> None:
    assert all(p.path for p in unified(text))
    assert all(use.path for use in envelope_uses(text))
