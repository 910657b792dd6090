from __future__ import annotations

import pytest

from ravenglass.hub.files.file_use import FileUse
from ravenglass.hub.files.touched import touched
from ravenglass.sessions.model.session import ToolCall
from tests.engine.builders import call

UPDATE = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch"
DIFF = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y"
PATCHED = (FileUse("edit", "src/a.py", how="patched"),)


@pytest.mark.parametrize(
    ("made", "uses"),
    [
        # Claude Code
        (call("Read", file_path="/home/dev/shop/src/a.py"), (FileUse("read", "src/a.py"),)),
        (call("Read", file_path="src/a.py", offset=5), (FileUse("read", "src/a.py", "offset=5"),)),
        (call("Edit", file_path="src/a.py", old_string="x", new_string="y"), (FileUse("edit", "src/a.py"),)),
        (call("MultiEdit", file_path="src/a.py", edits=[]), (FileUse("edit", "src/a.py"),)),
        (call("Write", file_path="src/a.py", content="x"), (FileUse("write", "src/a.py"),)),
        (call("NotebookEdit", notebook_path="n.ipynb", new_source="x"), (FileUse("edit", "n.ipynb"),)),
        (call("Bash", command="cd src && sed -i s/x/y/ a.py"), (FileUse("edit", "src/a.py", how="edited"),)),
        # Codex
        (call("apply_patch", input=UPDATE), PATCHED),
        (call("apply_patch", raw=UPDATE), PATCHED),
        (call("shell", command=["apply_patch", UPDATE]), PATCHED),
        (call("shell", command=["bash", "-lc", f"apply_patch <<'EOF'\n{UPDATE}\nEOF"]), PATCHED),
        (call("exec_command", cmd="cat a.py", workdir="/home/dev/shop/src"), (FileUse("read", "src/a.py"),)),
        (call("exec_command", cmd="sed -n 1,9p a.py", workdir="src"), (FileUse("read", "src/a.py", "lines 1,9"),)),
        # pi
        (call("read", path="src/a.py"), (FileUse("read", "src/a.py"),)),
        (call("edit", path="src/a.py", oldText="x", newText="y"), (FileUse("edit", "src/a.py"),)),
        (call("write", path="src/a.py", content="x"), (FileUse("write", "src/a.py"),)),
        # OpenHands, SWE-agent
        (call("str_replace_editor", command="view", path="/home/dev/shop/src/a.py"), (FileUse("read", "src/a.py"),)),
        (call("str_replace_editor", command="str_replace", path="src/a.py"), (FileUse("edit", "src/a.py"),)),
        (call("file_editor", command="create", path="src/a.py", file_text="x"), (FileUse("write", "src/a.py"),)),
        (call("execute_bash", command="echo x > src/a.py"), (FileUse("edit", "src/a.py", how="written"),)),
        # Gemini
        (call("replace", file_path="src/a.py", old_string="x", new_string="y"), (FileUse("edit", "src/a.py"),)),
        (call("run_shell_command", command="rm a.py", directory="src"), (FileUse("edit", "src/a.py", how="removed"),)),
        (call("read_many_files", paths=["src/a.py", "b.py"]), (FileUse("read", "src/a.py"), FileUse("read", "b.py"))),
        (call("read_many_files", paths=["src/**/*.py", "b.py"]), ()),
        (call("read_many_files", paths="src/a.py"), ()),
        (call("read_multiple_files", paths=[None, "", "src/a.py"]), (FileUse("read", "src/a.py"),)),
        # a unified diff as an argument
        (call("apply_diff", diff=DIFF), PATCHED),
        (call("apply_diff", path="src/a.py", diff="x"), (FileUse("edit", "src/a.py"),)),
        # nothing that is known
        (call("Grep", pattern="x", path="src"), ()),
        (call("Bash", command="pytest -q"), ()),
        (call("Bash", raw="{"), ()),
        (call("apply_patch", raw="null"), ()),
        (call("shell", command=[]), ()),
    ],
)  # fmt: skip
def test_that_a_call_of_any_known_agent_tells_which_files_it_touches(made: ToolCall, uses: tuple[FileUse, ...]) -> None:
    assert touched(made, "/home/dev/shop") == uses


def test_that_a_patch_of_several_files_touches_them_all() -> None:
    text = "*** Begin Patch\n*** Update File: a.py\n@@\n*** Delete File: b.py\n*** Add File: c.py\n+x\n*** End Patch"
    assert touched(call("apply_patch", patch=text), "") == (
        FileUse("edit", "a.py", how="patched"),
        FileUse("edit", "b.py", how="removed"),
        FileUse("write", "c.py"),
    )
