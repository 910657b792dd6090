"""Every rule of docs/design/rules.md has a test that runs, and docs/design/coverage.md names it."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

PAGE = """# What it guarantees

## 3 Budget

- **3.1** The budget is C.
- **3.2** A window is never over C.

## R Faults

- **R1** Nothing is torn.
"""


@pytest.fixture(scope="module")
def made(root: Path) -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(root / "docs" / "make_coverage.py")))


def test_that_every_rule_is_proved_and_the_page_says_by_what(root: Path) -> None:
    script = root / "docs" / "make_coverage.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stderr}run: python docs/make_coverage.py"


def test_that_rules_are_read_in_order(made: SimpleNamespace) -> None:
    found = made.rules(PAGE)
    assert [(rule.id, rule.section) for rule in found] == [("3.1", "3 Budget"), ("3.2", "3 Budget"), ("R1", "R Faults")]
    assert found[1].text == "A window is never over C."


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("**3.2**", "**3.3**", "rule 3.3 stands where 3.2 should"),
        ("**3.2**", "**3.1**", "rule 3.1 stands where 3.2 should"),
        ("**R1**", "**R2**", "rule R2 stands where R1 should"),
        ("- **3.2** A window", "- A window", "this line is no rule: - A window is never over C."),
    ],
)
def test_that_a_rule_out_of_place_is_refused(made: SimpleNamespace, old: str, new: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        made.rules(PAGE.replace(old, new))


def test_that_a_rule_without_a_test_and_a_mark_without_a_rule_are_named(made: SimpleNamespace) -> None:
    proofs = [made.Proof("tests/a.py", "test_x", ("3.1", "9.9")), made.Proof("tests/b.py", "test_y", ("R1",), True)]
    assert list(made.problems(made.rules(PAGE), proofs)) == [
        "No test proves rule 3.2.",
        "No test proves rule R1.",
        "tests/a.py::test_x is marked with rule 9.9, which there is not.",
    ]
    assert "| 3.1 | The budget is C. | [a.py](../../tests/a.py) `test_x` |" in made.page(made.rules(PAGE), proofs)


def test_that_a_test_that_does_not_run_proves_nothing(made: SimpleNamespace, root: Path, tmp_path: Path) -> None:
    (tmp_path / "test_marks.py").write_text(
        "import pytest\n"
        "rule = pytest.mark.rule\n"
        "@rule('3.1')\n@pytest.mark.parametrize('n', [1, 2])\ndef test_runs(n): pass\n"
        "@rule('3.2')\n@pytest.mark.skip\ndef test_skipped(): pass\n"
        "@rule('3.3')\n@pytest.mark.skipif(True, reason='x')\ndef test_not_here(): pass\n"
        "@rule('3.4')\n@pytest.mark.xfail\ndef test_expected_to_fail(): assert False\n"
        "@rule('3.5', '3.6')\n@pytest.mark.samples\ndef test_of_samples(): pass\n"
        "@rule('3.7')\ndef helper(): pass\n",
        encoding="utf-8",
    )
    config = ["-c", str(root / "pyproject.toml"), "--rootdir", str(tmp_path)]
    found = made.collected([*config, str(tmp_path / "test_marks.py")])
    assert [(proof.name, proof.rules, proof.samples) for proof in found] == [
        ("test_runs", ("3.1",), False),
        ("test_of_samples", ("3.5", "3.6"), True),
    ]


def test_that_tests_that_cannot_be_collected_are_no_empty_page(made: SimpleNamespace, tmp_path: Path) -> None:
    (tmp_path / "test_broken.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="nothing_of_that_name"):
        made.collected([str(tmp_path / "test_broken.py")])
