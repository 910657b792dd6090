from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.files.file_use import FileUse
from ravenglass.hub.files.shell_uses import shell_uses


def said(line: str, folder: str = "") -> list[tuple[str, str]]:
    """What is done to which path; a read says which part."""
    return [(use.how or f"{use.op} {use.part}".strip(), use.path) for use in shell_uses(line, folder)]


@pytest.mark.parametrize(
    ("line", "uses"),
    [
        ("pytest > out.txt 2>&1", [("written", "out.txt")]),
        ("echo x >> log.txt", [("written", "log.txt")]),
        ("cat > src/a.py <<'EOF'\nx = 1\nEOF", [("written", "src/a.py")]),
        ("make 2>/dev/null >/dev/null", []),
        ("pytest | tee out.txt -a log.txt | tail", [("written", "out.txt"), ("written", "log.txt")]),
        ("sed -i 's/a/b/' a.py b.py", [("edited", "a.py"), ("edited", "b.py")]),
        ("sed -i.bak -e 's/a/b/' -e 's/c/d/' a.py", [("edited", "a.py")]),
        ("sed -Ei '' 's/a/b/' a.py", [("edited", "a.py")]),
        ("sed --in-place --expression=p a.py", [("edited", "a.py")]),
        ("sed 's/a/b/' a.py", []),
        ("perl -pi -e 's/a/b/' a.py", [("edited", "a.py")]),
        ("perl -e 'print 1' a.py", []),
        ("rm -f a.py", [("removed", "a.py")]),
        ("rm -rf build *.pyc", [("removed", "build")]),
        ("rm -- -odd.py", [("removed", "-odd.py")]),
        ("mv a.py b.py", [("moved", "a.py"), ("written", "b.py"), ("written", "b.py/a.py")]),
        ("mv a.py b.py lib/", [("moved", "a.py"), ("moved", "b.py"), ("written", "lib/a.py"), ("written", "lib/b.py")]),
        ("cp a.py lib/", [("written", "lib/a.py")]),
        ("git checkout -- a.py", [("restored", "a.py")]),
        ("git checkout HEAD~1 -- a.py b.py", [("restored", "a.py"), ("restored", "b.py")]),
        ("git checkout main", []),
        ("git restore a.py", [("restored", "a.py")]),
        ("git restore --staged a.py", []),
        ("git rm a.py", [("removed", "a.py")]),
        ("git rm --cached a.py", []),
        ("git mv a.py b.py", [("moved", "a.py"), ("written", "b.py"), ("written", "b.py/a.py")]),
        ("truncate -s 0 a.log", [("truncated", "a.log")]),
        ("python tool.py && sudo rm a.py", [("removed", "a.py")]),
        ("FOO=1 rm a.py", [("removed", "a.py")]),
        ("if true; then rm a.py; fi", [("removed", "a.py")]),
        ("bash -lc 'cd src && rm a.py'", [("removed", "src/a.py")]),
        ("rm $FILE", []),
        ("echo 'rm a.py'", []),
        ("git status", []),
        ("", []),
    ],
)
def test_that_a_command_line_tells_which_files_it_clearly_changes(line: str, uses: list[tuple[str, str]]) -> None:
    assert said(line) == uses


@pytest.mark.parametrize(
    ("line", "uses"),
    [
        ("cat a.py", [("read", "a.py")]),
        ("nl -ba a.py", [("read", "a.py")]),
        ("cd src && cat a.py", [("read", "src/a.py")]),
        ("sed -n '1,80p' a.py", [("read lines 1,80", "a.py")]),
        ("head -n 20 a.py", [("read head -n 20", "a.py")]),
        ("tail -5 a.py", [("read tail -5", "a.py")]),
        ("bash -lc 'cat a.py'", [("read", "a.py")]),
        ("cat a.py b.py", []),
        ("cat a.py | grep x", []),
        ("cat a.py; ls", []),
        ("bash -lc 'cat a.py' && ls", []),
        ("cat *.py", []),
        ("cat", []),
        ("sed -n '/x/p' a.py", []),
        ("cat a.py > b.py", [("written", "b.py")]),
    ],
)
def test_that_a_read_is_a_command_that_prints_one_file_and_nothing_else(line: str, uses: list[tuple[str, str]]) -> None:
    assert said(line) == uses


def test_that_paths_are_seen_from_where_the_command_runs() -> None:
    assert said("rm a.py", "/home/dev/shop") == [("removed", "/home/dev/shop/a.py")]
    assert said("cd /tmp; rm a.py") == [("removed", "/tmp/a.py")]
    assert said("cd a; cd ../b; rm c.py") == [("removed", "a/../b/c.py")]
    assert said("(cd a && rm b.py); rm c.py") == [("removed", "a/b.py"), ("removed", "c.py")]


def test_that_a_folder_that_is_not_known_hides_relative_paths_only() -> None:
    assert said('cd "$ROOT" && rm a.py /tmp/b.py') == [("removed", "/tmp/b.py")]
    assert said("cd - && rm a.py") == []


@pytest.mark.parametrize("tool", ["apply_patch", "git apply", "patch -p1"])
def test_that_a_patch_in_a_here_document_changes_what_it_names(tool: str) -> None:
    if tool == "apply_patch":
        body = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"
    else:
        body = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y"
    assert shell_uses(f"{tool} <<'EOF'\n{body}\nEOF") == [FileUse("edit", "a.py", how="patched")]


@given(
    st.text(max_size=40)
    | st.lists(
        st.sampled_from(
            (
                "rm",
                "mv",
                "cd",
                "sed",
                "-i",
                "git",
                "a",
                ">",
                "(",
                ")",
                "|",
                ";",
                "''",
                "$x",
                "bash",
                "-c",
                "cat",
                "<<E",
                "\n",
                "--",
            )
        )
    ).map(" ".join)
)
def test_that_no_line_makes_a_path_up(line: str) -> None:
    for use in shell_uses(line):
        assert use.op in ("read", "edit", "write")
        last = use.path.rstrip("/").rsplit("/", 1)[-1]
        assert last
        assert last in line.replace("\\\n", "") or "\\" in line or "'" in line or '"' in line
