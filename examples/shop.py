"""The project that the example's agent works on: large enough that its files and test reports never all fit."""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path

CONSTRAINT = "You must never edit files under migrations/."

REQUESTS = [
    f"Make the shop's tests pass. {CONSTRAINT} Begin with the cart.",
    "Now look at the payment module, then run the tests again.",
    "Check how stock and pricing round amounts; keep going file by file.",
    "继续。请检查订单模块，然后再运行测试。",
    "Compare the reports of the last two test runs.",
]
"""What the user asks for, one after the other, over and over."""

MODULES = (
    "cart", "payment", "stock", "pricing", "orders", "customers", "invoices", "shipping", "coupons", "refunds",
    "search", "catalogue", "reviews", "sessions", "mailer", "reports", "taxes", "currency", "webhooks", "audit",
)  # fmt: skip

_WORDS = ("amount", "total", "currency", "customer", "quantity", "discount", "order", "refund", "rate", "limit")
_RUNS = count(1)


def make_shop(folder: Path) -> Path:
    """Write the project and return its folder."""
    dice = random.Random(7)
    for module in MODULES:
        path = folder / "src" / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_module(module, dice), encoding="utf-8")
    migration = folder / "migrations" / "0001_initial.py"
    migration.parent.mkdir()
    migration.write_text("# Made by the database tool; it is never edited.\n", encoding="utf-8")
    return folder


def _module(name: str, dice: random.Random) -> str:
    rows = [f'"""The {name} of the shop."""', ""]
    for number in range(dice.randint(12, 60)):
        first, second = dice.sample(_WORDS, 2)
        rows += [
            f"def {name}_{first}_{number}({first}: int, {second}: int) -> int:",
            f'    """{first.title()} by {second}, in cents."""',
            f"    if {second} > {dice.randint(2, 900)}:",
            f"        raise ValueError('{name}: the {second} is out of range')",
            f"    return {first} * {dice.randint(2, 99)} - {second}",
            "",
        ]
    return "\n".join(rows)


def pretend_to_test() -> str:
    """A test report as long as real ones are. Every run differs, and ends with what still fails."""
    run = next(_RUNS)
    dice = random.Random(run)
    rows = [f"run {run}: collected {len(MODULES) * 9} tests"]
    for module in MODULES:
        rows += [f"tests/test_{module}.py::test_{word}_{run % 13} PASSED" for word in dice.sample(_WORDS, 5)]
    failed = dice.choice(MODULES)
    rows += [
        f"tests/test_{failed}.py::test_rounding FAILED",
        f"E   AssertionError: {failed}_total({run}, 3) == {run * 3 + 1}",
        f"1 failed, {len(MODULES) * 9 - 1} passed in {run % 7 + 1}.2s",
    ]
    return "\n".join(rows)
