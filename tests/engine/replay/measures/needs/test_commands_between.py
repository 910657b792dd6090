"""Commands between two looks that change nothing, or something else; and commands that show what is asked for again.
Judged by hand from docs/design/metrics.md before there was code."""

from __future__ import annotations

import pytest

from ravenglass.sessions.model.session import Message
from tests.engine.builders import call
from tests.engine.replay.measures.needs.test_fetches import LINES, TEXT, again, did, numbered, part, read, sh

_HARMLESS: dict[str, tuple[Message, ...]] = {
    "inline heredoc reads": sh("python3 - <<'EOF'\nimport json\nprint(json.load(open('src/a.py')))\nEOF", "1"),
    "inline heredoc reads cd": sh("cd /home/dev/shop && python - <<EOF\nimport a\nprint(a.total)\nEOF", "1"),
    "python -c": sh('python -c "import a; print(a.x)"', "1"),
    "python -c dq newline": sh('cd /home/dev/shop && python -c "\nimport a\nx=a.f(1)\nprint(x)\n"', "1"),
    "python -c dollar": sh('python -c "import a; print(\\"$HOME\\", a.x)"', "1"),
    "node -e": sh("node -e \"console.log(require('./a').x)\"", "1"),
    "heredoc new file": sh("cat > test_x.py <<'EOF'\nimport a\nopen('src/a.py','w')\nEOF", ""),
    "heredoc new file cat<<": sh("cat <<'EOF' > test_x.py\nimport a\nprint(a.f())\nEOF", ""),
    "heredoc new file and run": sh("cat > test_x.py <<'EOF'\nimport a\nprint(a.f())\nEOF\npython test_x.py", "1"),
    "heredoc new && run": sh("cat <<'EOF' > repro.py && python repro.py\nimport a\nprint(a.f())\nEOF", "1"),
    "python -m pytest": sh(
        "cd /home/dev/shop && python -m pytest tests/test_a.py::test_x -x 2>&1 | tail -5", "1 passed"
    ),
    "go test": sh("go test ./... -run X", "ok"),
    "npm test": sh("npm test -- --run", "ok"),
    "make test": sh("make test", "ok"),
    "pip -e": sh("pip install -e .", "ok"),
    "python -m pip -e": sh("python -m pip install -e . -q", "ok"),
    "pip dev": sh("pip install -e '.[dev]' && python setup.py develop", "ok"),
    "setup.py build_ext": sh("python setup.py build_ext --inplace", "ok"),
    "unittest": sh("python -m unittest tests.test_a", "ok"),
    "runtests": sh("python tests/runtests.py admin --verbosity 2", "ok"),
    "manage test": sh("python manage.py test shop", "ok"),
    "script writes other": sh("python3 - <<'EOF'\nopen('out.json','w').write('x')\nEOF", ""),
    "script writes other reads it": sh(
        "python3 - <<'EOF'\nt=open('src/a.py').read()\nopen('out.json','w').write(t)\nEOF", ""
    ),
    "path write": sh("python3 -c \"from pathlib import Path; Path('out.txt').write_text('a')\"", ""),
    "sys.stdout.write": sh("python3 - <<'EOF'\nimport sys\nfor l in open('src/a.py'): sys.stdout.write(l)\nEOF", "1"),
    "listdir read": sh("python3 - <<'EOF'\nimport os\nprint(os.listdir('.'))\nEOF", "1"),
    "listdir & write named": sh(
        "python3 - <<'EOF'\nimport os\nopen('o.txt','w').write(str(os.listdir('.')))\nEOF", "1"
    ),
    "SELECT sqlite": sh(
        "python3 -c \"import sqlite3; print(sqlite3.connect('x.db').execute('select 1').fetchall())\"", "1"
    ),
    "subproc git log": sh("git -C /home/dev/shop log -3 && git --no-pager diff HEAD~1", "x"),
    "rm other": sh("rm -f /tmp/x repro.py", ""),
    "mkdir": sh("mkdir -p /tmp/q && cd /tmp/q && git init -q", ""),
    "for loop": sh("for f in a b; do grep -n x $f; done", "1"),
    "for loop echo": sh("for f in src/*.py; do echo == $f; head -3 $f; done", "1"),
    "awk": sh("awk 'NR>3' src/a.py", "x"),
    "tee tmp": sh("pytest 2>&1 | tee /tmp/log.txt", "x"),
    "echo > new": sh("echo hi > notes.txt", ""),
    "redirect out": sh("go build ./... > /tmp/b.log 2>&1; tail -3 /tmp/b.log", "x"),
    "echo stage": sh('echo "---" && cat src/b.py | head -3 && echo done', "x"),
}


@pytest.mark.parametrize("between", _HARMLESS.values(), ids=_HARMLESS)
def test_that_a_command_which_writes_nothing_or_another_file_leaves_a_fetch_again(between: tuple[Message, ...]) -> None:
    assert again(read(), between, read()) == (2,)


_BY_SCRIPTS = {
    "shown script": (
        did(call("Read", file_path="tools/x.py"), "     1\timport a\n     2\tprint(a.f())\n"),
        sh("python tools/x.py", "1"),
    ),
    "cat script": (sh("cat tools/x.py", "import a\nprint(a.f())\n"), sh("python tools/x.py", "1")),
    "written script": (
        did(call("Write", file_path="tools/x.py", content="import a\nprint(a.f())\n"), "ok"),
        sh("python tools/x.py", "1"),
    ),
    "written sh": (
        did(call("Write", file_path="run.sh", content="set -e\nls src\ngrep -n x src/a.py\n"), "ok"),
        sh("bash run.sh", "1"),
    ),
    "heredoc'd earlier": (
        sh("cat > r.py <<'EOF'\nimport a\nprint(a.f())\nEOF", ""),
        sh("cd /home/dev/shop && python r.py", "1"),
    ),
    "chmod": (sh("cat > run.sh <<'EOF'\nls src\nEOF\nchmod +x run.sh", ""), sh("./run.sh", "1")),
    "created then edited": (
        did(call("Write", file_path="r.py", content="import a\nprint(a.f())\n"), "ok"),
        did(call("Edit", file_path="r.py", old_string="a.f()", new_string="a.g()"), "ok"),
        sh("python r.py", "1"),
    ),
}


@pytest.mark.parametrize("between", _BY_SCRIPTS.values(), ids=_BY_SCRIPTS)
def test_that_a_script_whose_text_is_known_and_writes_nothing_changes_nothing(
    between: tuple[tuple[Message, ...], ...],
) -> None:
    assert again(read(), *between, read()) == (2,)


_WRITES = {
    "writes named": sh("python3 - <<'EOF'\nfrom pathlib import Path\np=Path('src/a.py'); p.write_text('x')\nEOF"),
    "var": sh("python3 - <<'EOF'\nimport glob\nfor f in glob.glob('src/*.py'):\n    open(f,'w').write('x')\nEOF"),
    "subprocess": sh("python3 -c \"import subprocess; subprocess.run(['make','gen'])\""),
    "sh": sh("bash -c 'sed -i s/a/b/ src/a.py'"),
    "argv": sh("python3 - src/a.py <<'EOF'\nimport sys\nopen(sys.argv[1],'w').write('x')\nEOF"),
    "unknown.py": sh("python tools/gen.py"),
    "cp": sh("cp /tmp/x src/a.py"),
    "mv": sh("mv src/a.py src/c.py"),
    "patch": sh("patch -p1 < x.patch"),
    "git apply": sh("git apply x.patch"),
    "git stash": sh("git stash"),
    "npm run fix": sh("npm run format"),
    "pytest; unknown": sh("pytest -q; ./gen"),
    "node write": sh("node -e \"require('fs').writeFileSync('src/a.py','x')\""),
    "truncate": sh("> src/a.py"),
    "make": sh("make gen"),
    "fix": sh("ruff check --fix src"),
    "perl": sh("perl -pi -e 's/a/b/' src/a.py"),
    "ruby": sh("ruby -e \"File.write('src/a.py', 'x')\""),
    "joined": sh(
        "python3 - <<'EOF'\nimport os\nwith open(os.path.join('src', 'a' + '.py'), 'w') as f: f.write('x')\nEOF"
    ),
}


@pytest.mark.parametrize("between", _WRITES.values(), ids=_WRITES)
def test_that_a_command_which_may_write_the_file_leaves_none(between: tuple[Message, ...]) -> None:
    assert again(read(), between, read()) == ()


_SHOWS = {
    "tail": (sh("tail -n 20 src/a.py", part(21, 40)), sh("tail -n 20 src/a.py", part(21, 40))),
    "nl sed": (sh("nl -ba src/a.py | sed -n '5,20p'", numbered(5, 20)), sh("sed -n '6,18p' src/a.py", part(6, 18))),
    "cat head": (sh("cat src/a.py | head -30", part(1, 30)), read(5, 20)),
    "cd cat chained": (
        sh("cd /home/dev/shop && git status && cat src/a.py", "On branch main\nnothing here to see\n" + TEXT),
        read(),
    ),
    "echo; cat": (
        sh("echo '--- a'; cat src/a.py; echo '--- b'; cat src/b.py", "--- a\n" + TEXT + "\n--- b\nother = 1"),
        read(5, 20),
    ),
    "grep C": (sh("grep -n -C 8 'row 12' src/a.py", part(4, 20)), sh("sed -n '5,18p' src/a.py", part(5, 18))),
    "grep -A r": (
        sh(
            "grep -rn -A 12 'row 5' src/",
            "\n".join([f"src/a.py:5:{LINES[4]}"] + [f"src/a.py-{n}-{LINES[n - 1]}" for n in range(6, 18)]),
        ),
        read(6, 14),
    ),
    "grep -A10 no n": (sh("grep -A10 'row 5' src/a.py | head -40", part(5, 15)), read(6, 14)),
    "rg -A": (
        sh(
            "rg -n -A 10 'row 5' src/a.py", "\n".join([f"5:{LINES[4]}"] + [f"{n}-{LINES[n - 1]}" for n in range(6, 16)])
        ),
        read(6, 14),
    ),
    "git diff": (
        sh("git diff", "-old line here\n+new line here"),
        sh("cd /home/dev/shop && git diff", "-old line here\n+new line here"),
    ),
    "git diff head": (
        sh("git diff | head -50", "-old line here\n+new line here"),
        sh("git --no-pager diff", "-old line here\n+new line here"),
    ),
    "git show": (
        sh("git show abc1234 --stat", "commit abc1234\n a.py | 2 +-"),
        sh("git show abc1234 --stat | cat", "commit abc1234\n a.py | 2 +-"),
    ),
    "git log": (
        sh("git log --oneline -5", "aaa1 fix one thing\nbbb2 fix two"),
        sh("git log --oneline -5", "aaa1 fix one thing\nbbb2 fix two"),
    ),
    "git log chained": (
        sh("git status && git log --oneline -5", "On branch main\naaa1 fix one thing\nbbb2 fix two"),
        sh("git log --oneline -5", "aaa1 fix one thing\nbbb2 fix two"),
    ),
    "git show ref": (sh("git show main:src/a.py", TEXT), sh("git show main:src/a.py | head -20", part(1, 20))),
    "git show ref sed": (
        sh("git show main:src/a.py | sed -n '1,30p'", part(1, 30)),
        sh("git show main:src/a.py | sed -n '10,40p'", part(10, 40)),
    ),
    "open": (
        sh("sed -n 1,40p src/a.py && sed -n 1,3p src/b.py", TEXT),
        sh("awk 'NR>=5 && NR<=20' src/a.py", part(5, 20)),
    ),
    "for": (sh('for f in src/a.py src/b.py; do echo "== $f"; cat $f; done', "== src/a.py\n" + TEXT), read(5, 20)),
    "pipe grep v": (sh("cat src/a.py | grep -v '^#'", TEXT), sh("cat src/a.py | grep -v '^#'", TEXT)),
    "ls pair": (sh("cd /home/dev/shop && ls src", "a.py\nb.py file"), sh("ls src/", "a.py\nb.py file")),
    "find": (
        sh("find . -name '*.py' | head -20", "./src/a.py\n./src/b.py"),
        sh('find . -name "*.py"', "./src/a.py\n./src/b.py"),
    ),
    "grep -rn quotes": (
        sh('cd /home/dev/shop && grep -rn "price_7" src --include=*.py', f"src/a.py:7:{LINES[6]}"),
        sh("grep -rn 'price_7' --include='*.py' src/", f"src/a.py:7:{LINES[6]}"),
    ),
    "grep pipe sort": (
        sh("grep -n 'row' src/a.py | sort | head", f"7:{LINES[6]}"),
        sh("grep -n 'row' src/a.py | sort | head", f"7:{LINES[6]}"),
    ),
}


@pytest.mark.parametrize("parts", _SHOWS.values(), ids=_SHOWS)
def test_that_a_command_shows_what_a_later_one_asks_for(parts: tuple[tuple[Message, ...], ...]) -> None:
    assert again(*parts) == (2,)


def test_that_a_file_of_a_branch_is_not_outdated_by_an_edit_but_by_a_commit() -> None:
    shown = sh("git show main:src/a.py", TEXT)
    edit = did(call("Edit", file_path="src/a.py", old_string="row 7", new_string="row seven"))
    assert again(shown, edit, shown) == (2,)
    assert again(shown, sh("git commit -am x"), shown) == ()


def test_that_a_script_which_a_command_edits_is_no_longer_known() -> None:
    made = sh("cat > r.py <<'EOF'\nprint(1)\nEOF")
    assert again(read(), made, sh("sed -i s/x/y/ r.py"), sh("python r.py"), read()) == ()


def test_that_what_an_edit_puts_into_a_script_counts_as_its_text() -> None:
    made = did(call("Write", file_path="r.py", content="print(1)\n"))
    edit = did(call("Edit", file_path="r.py", old_string="print(1)", new_string="open('src/a.py', 'w').write('')"))
    assert again(read(), made, edit, sh("python r.py"), read()) == ()


def test_that_a_folder_put_together_before_a_constant_name_leaves_other_files_as_they_are() -> None:
    program = "import os, tempfile\nd = tempfile.mkdtemp()\nopen(os.path.join(d, 'b.py'), 'w').write('x')"
    assert again(read(), sh(f"python - <<'EOF'\n{program}\nEOF"), read()) == (2,)
