"""A plugin of pytest for the proofs: each report says what its test tried, so that it comes from another process too.

Loaded by `-p tests.engine.tried`. What a test tried: its random examples, what its module counts in `RAN`, and what the
long loop left. A test that the proofs name is one, marked or not.

PYTEST_DONT_REWRITE: it is imported before pytest starts, and asserts nothing.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Generator, Iterator
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
"""Parts of the proofs, and the tests of each."""

EXAMPLES, COUNTED, LEFT = "examples", "counted", "left"
_EXAMPLES = re.compile(r"(\d+) passing(?: examples?)?, (\d+) failing")
_before: dict[str, Counter[str]] = {}
_left: list[str] = []


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    named = tuple(test for tests in PROOFS.values() for test in tests)
    for item in items:
        if item.nodeid.startswith(named):
            item.add_marker(pytest.mark.proof)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report: Any = yield
    if call.when == "call":
        said = getattr(item, "hypothesis_statistics", "")
        examples = sum(int(passing) for passing, _ in _EXAMPLES.findall(said))
        report.user_properties += [(EXAMPLES, examples), (COUNTED, _counted(item)), (LEFT, [*_left])]
        _left.clear()
    return report


def _counted(item: pytest.Item) -> dict[str, int]:
    """What the module of a test has counted since the last test."""
    name = item.nodeid.partition("::")[0].removesuffix(".py").replace("/", ".")
    now: Counter[str] = Counter(getattr(sys.modules.get(name), "RAN", {}))
    before = _before.get(name, Counter())
    _before[name] = now
    return dict(now - before)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
    value = yield
    if fixturedef.argname == "outcome" and "test_agent_loop" in request.node.nodeid:
        _left.extend(_loop(value))
    return value


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
