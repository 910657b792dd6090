"""The list of faults follows the sources: every entry fits one place, and the tests that it names are there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.mutants.__main__ import main
from tests.mutants.fault import ROOT, Fault, FaultError, Numbered, Part, harmed, missing_tests, numbered
from tests.mutants.parts import PARTS

FEWEST = 150


def test_that_every_fault_fits_one_place_and_its_tests_are_there() -> None:
    faults = numbered(PARTS)
    assert len(faults) >= FEWEST
    for one in faults:
        assert harmed(one, ROOT)
        assert missing_tests(one, ROOT) == [], one
        assert one.fault.what, one


def test_that_no_fault_is_there_twice() -> None:
    made = Counter((one.path, one.fault.before, one.fault.after) for one in numbered(PARTS))
    assert [fault for fault, count in made.items() if count > 1] == []


def test_that_part_names_are_unique() -> None:
    assert len({part.name for part in PARTS}) == len(PARTS)


def _one(before: str, after: str, tests: str = "test_a.py") -> Numbered:
    return Numbered(7, Part("rooms", "src", "tests", ()), Fault("a.py", before, after, tests, "one too many"))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of one source and one test."""
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "src" / "a.py").write_text("a = 1\nb = 2\nc = 2\n", encoding="utf-8")
    (tmp_path / "tests" / "test_a.py").write_text("def test_b() -> None: ...\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("z = 1", "z = 2", "0 places"),
        ("= 2", "= 3", "2 places"),
        ("a = 1", "a = 1", "changes nothing"),
        ("a = 1", "a = (", "no Python"),
    ],
)
def test_that_a_fault_that_does_not_fit_is_refused_with_its_number(
    checkout: Path, before: str, after: str, why: str
) -> None:
    with pytest.raises(FaultError, match=r"Fault   7 rooms: src/a\.py: one too many") as raised:
        harmed(_one(before, after), checkout)
    assert why in str(raised.value)


def test_that_a_fault_changes_its_one_place(checkout: Path) -> None:
    assert harmed(_one("b = 2", "b = 3"), checkout) == "a = 1\nb = 3\nc = 2\n"


def test_that_a_test_that_is_gone_is_named(checkout: Path) -> None:
    found = _one("b = 2", "b = 3", "test_a.py test_a.py::test_b test_a.py::test_gone test_gone.py")
    assert missing_tests(found, checkout) == ["tests/test_a.py::test_gone", "tests/test_gone.py"]


def test_that_a_number_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "0"]) == 2
    assert "no such fault" in capsys.readouterr().err
