"""A program that writes in a temporary folder of its own changes nothing else."""

from __future__ import annotations

import pytest

from ravenglass.replay.measures.needs.shell.programs import written

_HEAD = "import os\nimport shutil\nimport tempfile\n"


@pytest.mark.parametrize(
    "program",
    [
        (
            'd = tempfile.mkdtemp()\nsrc = os.path.join(d, "src")\nos.makedirs(src)\n'
            'with open(os.path.join(src, "a.py"), "w") as f:\n    f.write("x")\nshutil.rmtree(d)\n'
        ),
        'with tempfile.TemporaryDirectory() as d:\n    p = Path(d) / "a.py"\n    p.write_text("x")\n',
        'd = Path(tempfile.mkdtemp())\n(d / "a.py").write_text("x")\n(d / "b").mkdir()\n',
    ],
)
def test_that_writing_in_an_own_temporary_folder_writes_nothing_else(program: str) -> None:
    assert written(_HEAD + program) == frozenset()


@pytest.mark.parametrize(
    "program",
    [
        'd = tempfile.mkdtemp()\nshutil.rmtree("build")\n',
        'd = tempfile.mkdtemp()\nsrc = os.path.join(d, "src")\nsrc = "/home/me/src"\nos.makedirs(src)\n',
        'd = tempfile.mkdtemp()\nos.makedirs(os.path.join(d, "..", "real"))\n',
        'd = tempfile.mkdtemp()\nshutil.copy("a.py", "b.py")\n',
        'd = tempfile.mkdtemp()\nsubprocess.run(["make"], cwd=d)\n',
    ],
)
def test_that_what_leaves_the_folder_may_write_anything(program: str) -> None:
    assert written(_HEAD + program) is None


def test_that_a_file_named_beside_the_folder_is_still_written() -> None:
    assert written(_HEAD + 'd = tempfile.mkdtemp()\nopen("a.py", "w").write("x")\n') == frozenset({"a.py"})
