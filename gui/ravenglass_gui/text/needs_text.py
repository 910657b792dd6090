"""The figures about needs in words; their names are those of docs/design/metrics.md."""

from __future__ import annotations

from ravenglass.replay.figures import Classes, Control
from ravenglass.replay.frame import Metrics
from ravenglass_gui.text.numbers import UNKNOWN, amount, percent


def recall_words(m: Metrics) -> str:
    """`recall 0.57 of 338 needs, an upper bound · 50 regrets, at risk`."""
    needs = m.names + m.fetches_again
    recall = "recall unknown: no response needs anything earlier"
    if m.recall is not None:
        recall = f"recall {m.recall:.2f} of {amount(needs.total, 'need')}, an upper bound"
    if m.paid_again is None:
        return f"{recall} · {amount(m.regrets, 'regret')}, at risk"
    paid = m.paid_again
    time = UNKNOWN if paid.seconds is None else f"{paid.seconds:,.1f} s"
    return f"{recall} · {amount(m.regrets, 'regret')}, paid again: {paid.tokens:,} tokens, {time}, ${paid.cost:,.4f}"


def classes_words(classes: Classes) -> str:
    """`189 verbatim, 52 mentioned, 45 gone, 44 never there`."""
    return (
        f"{classes.verbatim:,} verbatim, {classes.mentioned:,} mentioned, {classes.gone:,} gone,"
        f" {classes.never_there:,} never there"
    )


def control_words(control: Control) -> str:
    """`control: fetched again 8 of 52 (15 %) with the source there, 5 of 26 (19 %) after its loss, difference +4 %`."""
    said = (
        f"control: fetched again {control.there_again:,} of {control.there:,} ({_share(control.rate_there)}) with"
        f" the source"
        f" there, {control.lost_again:,} of {control.lost:,} ({_share(control.rate_lost)}) after its loss"
    )
    return said if control.difference is None else f"{said}, difference {control.difference * 100:+.0f} %"


def _share(rate: float | None) -> str:
    return UNKNOWN if rate is None else percent(rate)
