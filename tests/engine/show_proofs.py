"""Prints how much the proofs of the engine tried: kills, resumed agents, rollbacks, lifecycles, incremental calls,
snapshots, importers, answers of Why, the loop and import contracts.

    python -m tests.engine.show_proofs            all of it, some minutes
    python -m tests.engine.show_proofs kill loop  a part

Runs the tests themselves, as pytest does, and counts what they did; the exit code is pytest's.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

PROOFS: dict[str, tuple[str, ...]] = {
    "kill": ("tests/engine/store/archive/test_kill.py",),
    "save": ("tests/engine/test_save_kill.py",),
    "resume": ("tests/engine/embed/test_kill.py", "tests/engine/embed/test_resume.py"),
    "rollback": (
        "tests/engine/replay/answers/test_snapshots.py::test_that_going_back_to_a_snapshot_equals_never_having_left",
        "tests/engine/replay/answers/test_snapshots.py::test_that_a_restored_stepper_stands_where_the_snapshot_was_taken",
    ),
    "lifecycle": ("tests/engine/replay/test_lifecycle_stateful.py",),
    "incremental": ("tests/engine/replay/test_incremental.py", "tests/engine/embed/test_incremental.py"),
    "snapshots": ("tests/engine/replay/test_snapshot_sizes.py",),
    "importers": ("tests/engine/sessions/test_nothing_lost.py",),
    "why": ("tests/engine/replay/answers/test_why_contradicts_nothing.py",),
    "loop": ("tests/engine/embed/test_agent_loop.py",),
    "contracts": ("tests/test_contracts.py",),
}

_EXAMPLES = re.compile(r"(\d+) passing(?: examples?)?, (\d+) failing")


class Watching:
    """Listens to pytest: what passed, how many examples ran, what was printed, what the 300-call loop left."""

    def __init__(self) -> None:
        self.passed: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.examples: Counter[str] = Counter()
        self.printed: list[str] = []
        self.outcome: Any = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = report.nodeid.partition("::")[0]
        if report.failed:
            self.failed[file] += 1
        elif report.when == "call" and report.passed:
            self.passed[file] += 1
            self.printed += [line for line in report.capstdout.splitlines() if line]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        report = yield
        if call.when == "call":
            said = getattr(item, "hypothesis_statistics", "")
            file = item.nodeid.partition("::")[0]
            self.examples[file] += sum(int(passing) for passing, _ in _EXAMPLES.findall(said))
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
        value = yield
        if fixturedef.argname == "outcome" and "test_agent_loop" in request.node.nodeid:
            self.outcome = value
        return value


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
            module = sys.modules.get(file.removesuffix(".py").replace("/", "."))
            for what, count in sorted(getattr(module, "RAN", {}).items()):
                yield f"  {count:,} {what}"
    if part == "snapshots":
        yield "  runs of 1,000 calls, every tenth snapshot measured; ten tasks, then one:"
        yield from (f"  {line}" for line in watching.printed if "as full copies" in line)
    if part == "contracts":
        yield from (f"  {line}" for line in watching.printed if line.startswith("contract "))
    if part == "loop" and watching.outcome is not None:
        yield from (f"  {line}" for line in _loop(watching.outcome))


def _loop(outcome: Any) -> Iterator[str]:
    run, server = outcome.run, outcome.server
    found, budget = run.metrics, run.budget
    out = [m for m in outcome.brought if not run.in_window(run.calls, m)]
    yield f"{found.calls} calls with a window of {budget.window:,} tokens, C = {budget.available:,}"
    yield f"largest window {found.peak_tokens:,} tokens; {found.over_budget} over budget, {found.impossible} impossible"
    yield f"{len(server.refusals)} requests structurally invalid; the largest had {max(server.tokens):,} tokens"
    yield f"{found.slow} slow paths, {found.fail_safe} fail-safes"
    yield f"{found.evictions:,} messages evicted, {found.archived:,} archived"
    yield f"{len(out):,} messages out of the last window, each brought back byte for byte"
    held = outcome.constraint in str(server.bodies[-1]["messages"])
    yield f"the first constraint is in the last request: {'yes' if held else 'no'} ({outcome.constraint!r})"


def main(parts: list[str]) -> int:
    """Run the parts (all where none is named) and print what they did. Returns pytest's exit code."""
    unknown = [part for part in parts if part not in PROOFS]
    if unknown:
        print(f"There is no part {', '.join(unknown)}; there are {', '.join(PROOFS)}.", file=sys.stderr)
        return 2
    chosen = parts or list(PROOFS)
    os.environ["RAVENGLASS_PROOFS"] = "1"  # tests that do less in the suite do all
    watching = Watching()
    tests = [test for part in chosen for test in PROOFS[part]]
    options = ["-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--no-header"]
    code = pytest.main([*options, *tests], plugins=[watching])
    print()
    for part in chosen:
        print(*said(watching, part), sep="\n")
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
