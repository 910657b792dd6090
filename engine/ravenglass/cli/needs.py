"""What responses needed and where it was, for people: the figures of docs/design/metrics.md, and the first regrets."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from ravenglass.replay.figures import UPPER_BOUND, Classes, Control, Paid, Regret
from ravenglass.replay.run import Run

_MOST_REGRETS = 12
_MOST_CHARS = 60


def print_needs(run: Run, console: Console) -> None:
    """Recall, the four classes by kind, the control, what was paid again, and the first regrets."""
    m = run.metrics
    table = Table(show_header=False, box=None, padding=(0, 3, 0, 0))
    needs = m.names + m.fetches_again
    recall = (
        "unknown: no response needs anything earlier"
        if m.recall is None
        else f"{m.recall:.2f} of {needs.total:,} needs"
    )
    table.add_row("recall", recall)
    table.add_row("names", _classes(m.names))
    table.add_row("fetches again", _classes(m.fetches_again))
    table.add_row("regrets", f"{m.regrets:,}, {'at risk' if m.paid_again is None else 'paid again'}")
    table.add_row("control", _control(m.control))
    if m.paid_again is not None:
        table.add_row("paid again", _paid(m.paid_again))
    console.print("\nWhat responses needed:")
    console.print(table)
    if m.recall is not None:
        console.print(UPPER_BOUND)
    _print_regrets(run.regrets, console)


def _classes(classes: Classes) -> str:
    return (
        f"{classes.verbatim:,} verbatim, {classes.mentioned:,} mentioned, {classes.gone:,} gone,"
        f" {classes.never_there:,} never there"
    )


def _control(control: Control) -> str:
    """`fetched again with the source there 8 of 52 (15 %), after its loss 5 of 26 (19 %): difference +4 %`."""
    said = (
        f"fetched again with the source there {control.there_again:,} of {control.there:,}"
        f" ({_share(control.rate_there)}),"
        f" after its loss {control.lost_again:,} of {control.lost:,} ({_share(control.rate_lost)})"
    )
    return said if control.difference is None else f"{said}: difference {control.difference:+.1%}"


def _share(rate: float | None) -> str:
    return "unknown" if rate is None else f"{rate:.1%}"


def _paid(paid: Paid) -> str:
    return f"{paid.count:,} fetches, {paid.tokens:,} tokens, {time_words(paid.seconds)}, cost {paid.cost:,.4f}"


def time_words(seconds: float | None) -> str:
    """`8.2 s`; unknown where the record has no times."""
    return "unknown" if seconds is None else f"{seconds:,.1f} s"


def _print_regrets(regrets: tuple[Regret, ...], console: Console) -> None:
    if not regrets:
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("call", "response", "kind", "needed", "source", "where", "tokens", "lost at", "by"):
        table.add_column(name, justify="left" if name in ("kind", "needed", "where", "by") else "right")
    for regret in regrets[:_MOST_REGRETS]:
        needed = regret.needed
        what = needed if len(needed) <= _MOST_CHARS else f"{needed[: _MOST_CHARS - 1]}…"
        table.add_row(
            f"{regret.call:,}", f"#{regret.response}", regret.kind.replace("_", " "), what, f"#{regret.message}",
            regret.where, f"{regret.tokens:,}", f"{regret.lost_at:,}" if regret.lost_at else "?", regret.by,
        )  # fmt: skip
    console.print(f"\nRegrets ({min(len(regrets), _MOST_REGRETS)} of {len(regrets)}):")
    console.print(table)
