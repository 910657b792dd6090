"""Runs the proofs and prints how much they tried: kills, resumed agents, rollbacks, lifecycles, incremental calls,
snapshots, importers, answers of Why, the loop, import contracts; then everything
else that is marked `proof`, and every property test.

    python -m tests.engine.show_proofs            all of it, with all examples
    python -m tests.engine.show_proofs kill loop  a part
    python -m tests.engine.show_proofs --jobs 2   in two processes

Runs the tests themselves, as pytest does, and counts what they did; the exit code is pytest's.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from tests.engine.tried import COUNTED, EXAMPLES, LEFT, PROOFS

_LIMIT_S = 1_800
"""Of one test: with all its examples it may take longer than pyproject.toml allows in `make test`."""


class Watching:
    """Listens to pytest: what passed, how many examples ran, what was counted and printed, what the loop left."""

    def __init__(self) -> None:
        self.passed: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.examples: Counter[str] = Counter()
        self.counted: dict[str, Counter[str]] = {}
        self.printed: list[str] = []
        self.left: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = report.nodeid.partition("::")[0]
        if report.failed:
            self.failed[file] += 1
        elif report.when == "call" and report.passed:
            self.passed[file] += 1
            self.printed += [line for line in report.capstdout.splitlines() if line]
        if report.when == "call":
            told: dict[str, Any] = dict(report.user_properties)
            self.examples[file] += told.get(EXAMPLES, 0)
            self.counted.setdefault(file, Counter()).update(told.get(COUNTED, {}))
            self.left += told.get(LEFT, [])


def said(watching: Watching, part: str) -> Iterator[str]:
    """What one part did, in lines."""
    files = sorted({test.partition("::")[0] for test in PROOFS[part]})
    passed, failed = (sum(count[file] for file in files) for count in (watching.passed, watching.failed))
    yield f"{part}: {passed} tests passed, {failed} failed"
    examples = sum(watching.examples[file] for file in files)
    if examples:
        yield f"  {examples:,} random examples"
    if part == "kill" and not failed:
        kills = import_module("tests.engine.store.archive.test_kill").KILLS
        yield f"  {kills} writers killed with SIGKILL, 0 archives lost or half there"
        yield f"  {passed - 1} steps of a write at which a process ended, nothing half there"
    if part == "save" and not failed:
        yield from (f"  {line}" for line in watching.printed if "savers killed" in line)
        yield f"  {import_module('tests.engine.test_save_kill').KILLS} savers killed; nothing of others touched"
    if part == "resume":
        yield from (f"  {line}" for line in watching.printed if "agents killed" in line)
    if part in ("lifecycle", "incremental", "importers", "why"):
        for file in files:
            yield from (f"  {count:,} {what}" for what, count in sorted(watching.counted.get(file, {}).items()))
    if part == "snapshots":
        yield "  runs of 1,000 calls, every tenth snapshot measured; ten tasks, then one:"
        yield from (f"  {line}" for line in watching.printed if "as full copies" in line)
    if part == "contracts":
        yield from (f"  {line}" for line in watching.printed if line.startswith("contract "))
    if part == "loop":
        yield from (f"  {line}" for line in watching.left)


def everything(watching: Watching) -> str:
    """What all proofs did together."""
    passed, failed = watching.passed.total(), watching.failed.total()
    return f"all: {passed:,} tests passed, {failed} failed, {watching.examples.total():,} random examples"


def main(arguments: list[str]) -> int:
    """Run the parts (all proofs where none is named) and print what they did. Returns pytest's exit code."""
    parser = ArgumentParser(prog="python -m tests.engine.show_proofs")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PROOFS)}")
    parser.add_argument("--jobs", default="0", help="processes; auto for one a core")
    asked = parser.parse_args(arguments)
    unknown = [part for part in asked.parts if part not in PROOFS]
    if unknown:
        print(f"There is no part {', '.join(unknown)}; there are {', '.join(PROOFS)}.", file=sys.stderr)
        return 2
    os.environ["RAVENGLASS_PROOFS"] = "1"  # tests that do less in the suite do all
    watching = Watching()
    tests = [test for part in asked.parts for test in PROOFS[part]] or ["tests", "-m", "proof or hypothesis"]
    options = ["-q", "-p", "tests.engine.tried", "-p", "no:cacheprovider", "--no-header", f"--timeout={_LIMIT_S}"]
    options += ["-n", asked.jobs, "--maxprocesses=4", "--dist=loadgroup"]
    code = pytest.main([*options, *tests], plugins=[watching])
    print()
    for part in asked.parts or PROOFS:
        print(*said(watching, part), sep="\n")
    print(everything(watching))
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
