"""The figures about needs in words; their names are those of docs/design/metrics.md."""

from __future__ import annotations

from ravenglass.replay.figures import UPPER_BOUND, Classes, Control, Injection
from ravenglass.replay.frame import Metrics
from ravenglass_gui.text.numbers import UNKNOWN, amount, percent

WHERE = {"verbatim": "verbatim", "mentioned": "mentioned", "gone": "gone", "never_there": "never there"}
"""The classes by their name in the figures, in the order in which they are told."""
CLASSES_TIP = (
    "Where each need stood in the window of its call.\nVerbatim: a message that introduced it stood there in full."
    "\nMentioned: only later mentions, a summary or the working state named it.\nGone: nothing did.\nNever there: the"
    " recorded window did not hold it in full either."
)


def recall_words(m: Metrics) -> str:
    """`recall ≤ 0.57 of 338 needs`."""
    if m.recall is None:
        return "recall unknown: no response needs anything earlier"
    return f"recall ≤ {m.recall:.2f} of {amount((m.names + m.fetches_again).total, 'need')}"


def recall_tip(m: Metrics) -> str:
    """What recall is, and how it was got."""
    needs = m.names + m.fetches_again
    counted = f" Here {needs.verbatim:,} of {needs.total:,}." if needs.total else ""
    return (
        "Recall: of what the responses needed (names that earlier messages introduced, results that they fetched"
        f" again), the share whose source stood in its window verbatim.{counted}\n{UPPER_BOUND}"
    )


def regrets_words(m: Metrics) -> str:
    """`50 regrets, at risk`; `paid again: 10,354 tokens, 8.2 s, $0.0388`."""
    regrets = amount(m.regrets, "regret")
    if m.paid_again is None:
        return f"{regrets}, at risk" if m.regrets else regrets
    if not m.regrets:
        return regrets
    paid = m.paid_again
    return f"paid again: {paid.tokens:,} tokens, {seconds_words(paid.seconds)}, ${paid.cost:,.4f}"


def regrets_tip(m: Metrics) -> str:
    """What a regret is in the run that is shown."""
    if m.paid_again is None:
        return (
            "A regret of a simulated run is a need at risk: the recorded window held its source verbatim, this one does"
            " not. Whether the response would have missed it is not known. A name counts once until its source is back."
        )
    return (
        "A regret of the recorded run is a fact: a result was fetched again after it had left the window. Paid again:"
        " tokens of the call and of what it brought back, the recorded time between them, and those tokens at the"
        " price of new input (a lower bound: the further call read its window once more)."
    )


def classes_words(classes: Classes) -> str:
    """`189 verbatim, 52 mentioned, 45 gone, 44 never there`."""
    return ", ".join(f"{getattr(classes, name):,} {word}" for name, word in WHERE.items())


def control_words(control: Control) -> str:
    """`control: fetched again with the source still there 8 of 52 (15 %), after its loss 5 of 26 (19 %), difference
    +4 points`."""
    there = share_words(control.there_again, control.there)
    lost = share_words(control.lost_again, control.lost)
    said = f"control: fetched again with the source still there {there}, after its loss {lost}"
    return f"{said}, {difference_words(control)}"


def difference_words(control: Control) -> str:
    """`difference +8 points`, of a hundred; unknown where either rate is."""
    found = control.difference
    return f"difference {UNKNOWN if found is None else f'{found * 100:+.0f} points'}"


def control_tip(control: Control, fetches: int | None = None) -> str:
    """What the control compares. `fetches`: those of the recorded run after a loss; None in a simulated one."""
    said = (
        "Control: results are fetched again without any loss too. So the share of results that were fetched again while"
        " they still stood in the window is set beside the share after their loss; only the difference is what"
        " trimming did. Counted are results of which nothing had changed what they showed, each once: one that was lost"
        " later counts on both sides."
    )
    if fetches is None:
        return f"{said}\nThe responses of a simulated run are the recorded ones: they knew the recorded window."
    return (
        f"{said}\nRegrets count fetches, not results: {amount(fetches, 'fetch', 'fetches')} after a loss asked again"
        f" for {amount(control.lost_again, 'result')}. One fetch may ask for what several had shown, and several"
        " fetches for the same one."
    )


def share_words(count: int, of: int) -> str:
    """`5 of 31 (16 %)`; `0 of 0 (unknown)`."""
    return f"{count:,} of {of:,} ({percent(count / of) if of else UNKNOWN})"


def seconds_words(seconds: float | None) -> str:
    """`8.2 s`; never 0 where no time was recorded."""
    return f"time {UNKNOWN}" if seconds is None else f"{seconds:,.1f} s"


def injection_words(found: Injection) -> str:
    """The repeated injection ratio in a sentence; empty where nothing was sent."""
    if found.ratio is None:
        return ""
    return (
        f"Repeated injection: {percent(found.ratio)} of these tokens had been sent by an earlier call,"
        f" {percent(found.doubled_ratio or 0.0)} stand in the same window twice."
    )
