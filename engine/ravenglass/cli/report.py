"""A run as one JSON object for scripts, and as tables for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from ravenglass.cli.needs import print_needs
from ravenglass.cli.printing.console import stdout
from ravenglass.profile import Profile
from ravenglass.replay import Run
from ravenglass.replay.figures import Injection
from ravenglass.replay.report import as_object
from ravenglass.rules import TIERS
from ravenglass.safe.visible import visible
from ravenglass.sessions import counts

_MOST_ROWS = 24


def print_json(run: Run) -> None:
    """One line of ASCII: lone surrogates of damaged files survive as escapes."""
    sys.stdout.write(json.dumps(as_object(run)) + "\n")


def print_tables(run: Run) -> None:
    """The run for people: the session, the figures, and the calls where something was decided."""
    console = stdout()
    session, figures = run.session, counts(run.session)
    console.print(f"{visible(session.title or session.path.name)}  ({session.format})")
    console.print(
        f"{figures.messages:,} messages in {figures.groups:,} groups and {figures.turns:,} turns, {figures.calls:,}"
        f" calls, {figures.children:,} sub-agents; simulated with profile {run.profile.name}"
    )
    budget = run.budget
    quotas = ", ".join(f"{tier} {budget.quotas[tier]:,}" for tier in TIERS)
    console.print(
        f"C = {budget.available:,} tokens (W {budget.window:,} - O {budget.output_reserve:,} - S {budget.system:,}"
        f" - B {budget.safety:,}); quotas: {quotas}"
    )
    if not run.calls:
        console.print("\nThe session has no model call, so there is nothing to replay.")
        return
    console.print()
    console.print(_figures(run))
    print_needs(run, console)
    _print_decisions(run, console)


def _figures(run: Run) -> Table:
    m = run.metrics
    table = Table(show_header=False, box=None, padding=(0, 3, 0, 0))
    rows = (
        ("paths", f"{m.fast:,} fast, {m.slow:,} slow, {m.fail_safe:,} fail-safe"),
        ("window", f"mean {m.mean_tokens:,.0f}, peak {m.peak_tokens:,} tokens"),
        ("left the window", f"{m.evictions:,} messages, {m.archived:,} of them archived"),
        ("cache", f"{m.cache_hit:.0%} of the tokens sent, {m.cache_breaks:,} breaks; {_marks(run.profile)}"),
        ("repeated injection", _again(m.injection)),
        ("input cost", f"{m.cost:,.2f} at {run.profile.price_input:g} and {run.profile.price_cached:g} per million"),
    )
    for row in rows:
        table.add_row(*row)
    return table


def _marks(profile: Profile) -> str:
    if not profile.cache_breakpoints:
        return "the provider caches by itself"
    return f"at most {profile.cache_breakpoints} cache breakpoints a request"


def _again(found: Injection) -> str:
    if found.ratio is None:
        return "nothing was sent"
    return f"{found.ratio:.1%} of the tokens sent, {found.doubled_ratio or 0.0:.1%} twice in one window"


def _print_decisions(run: Run, console: Console) -> None:
    rows = list(_decisions(run))
    if not rows:
        console.print("\nEvery call took the fast path: everything live passed.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), title_justify="left")
    for name in ("call", "path", "window", *TIERS, "included", "evicted", "archived"):
        table.add_column(name, justify="left" if name == "path" else "right", no_wrap=True)
    for row in rows[:_MOST_ROWS]:
        table.add_row(*row)
    console.print(f"\nCalls where the curator decided ({min(len(rows), _MOST_ROWS)} of {len(rows)}):")
    console.print(table)


def _decisions(run: Run) -> Iterator[tuple[str, ...]]:
    for call, path in enumerate(run.paths, start=1):
        if path == "fast":
            continue
        totals = run.totals(call)
        numbers = (
            totals.tokens, *(totals.by_tier[t] for t in TIERS), totals.included, totals.evicted, totals.archived,
        )  # fmt: skip
        yield (str(call), path, *(f"{n:,}" for n in numbers))
