"""A fault: one place of the sources, what stands there, what a good programmer might have written by mistake."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class FaultError(Exception):
    """A fault of the list does not fit the sources any more; the sentence says which and why."""


@dataclass(frozen=True, slots=True)
class Fault:
    """`file` and `tests` (separated by blanks, files or `file::test`) are relative to the folders of their part; one
    that begins with `tests/` is relative to the checkout. `before` stands in the file exactly once."""

    file: str
    before: str
    after: str
    tests: str
    what: str
    """What goes wrong with it, in a few words."""
    equivalent: str = ""
    """Why nobody can tell it from the program as it is; empty where somebody can."""


@dataclass(frozen=True, slots=True)
class Part:
    """Faults of one room. `sources` and `tests` are folders of the checkout."""

    name: str
    sources: str
    tests: str
    faults: tuple[Fault, ...]

    def path(self, fault: Fault) -> str:
        """The file of a fault, relative to the checkout."""
        return f"{self.sources}/{fault.file}"

    def tests_of(self, fault: Fault) -> list[str]:
        """The tests of a fault, relative to the checkout."""
        return [test if test.startswith("tests/") else f"{self.tests}/{test}" for test in fault.tests.split()]


@dataclass(frozen=True, slots=True)
class Numbered:
    """A fault with its number in the whole list, from 1."""

    number: int
    part: Part
    fault: Fault

    @property
    def path(self) -> str:
        return self.part.path(self.fault)

    @property
    def tests(self) -> list[str]:
        return self.part.tests_of(self.fault)

    def __str__(self) -> str:
        return f"{self.number:>3} {self.part.name}: {self.path}: {self.fault.what}"


def numbered(parts: tuple[Part, ...]) -> list[Numbered]:
    """All faults in the order of the list."""
    pairs = [(part, fault) for part in parts for fault in part.faults]
    return [Numbered(number, part, fault) for number, (part, fault) in enumerate(pairs, start=1)]


def harmed(one: Numbered, root: Path) -> str:
    """The text of the fault's file with the fault in it. Raises FaultError where it fits no place, or several."""
    path = root / one.path
    if not path.is_file():
        raise FaultError(f"Fault {one}: there is no such file any more; move the fault, or take it off the list.")
    text = path.read_text(encoding="utf-8")
    places = text.count(one.fault.before)
    if places != 1:
        raise FaultError(
            f"Fault {one}: its old text stands in {places} places of the file, not in one; write it anew.\n"
            f"{one.fault.before}"
        )
    made = text.replace(one.fault.before, one.fault.after)
    if made == text:
        raise FaultError(f"Fault {one}: it changes nothing.")
    try:
        ast.parse(made)
    except SyntaxError as error:
        raise FaultError(f"Fault {one}: what it makes is no Python ({error}).") from None
    return made


def missing_tests(one: Numbered, root: Path) -> list[str]:
    """Tests of a fault that are not there."""
    return [test for test in one.tests if not _is_there(root, test)] or ([] if one.tests else ["no test"])


def _is_there(root: Path, test: str) -> bool:
    file, _, name = test.partition("::")
    path = root / file
    if not path.is_file():
        return path.is_dir() and not name
    return not name or f"def {name.rpartition('::')[2].partition('[')[0]}(" in path.read_text(encoding="utf-8")
