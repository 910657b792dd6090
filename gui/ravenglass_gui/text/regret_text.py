"""A regret, and what a compaction took, in sentences for a person who has never seen the figures."""

from __future__ import annotations

from ravenglass.replay.figures import Aftermath, Regret
from ravenglass_gui.text.needs_text import WHERE, seconds_words
from ravenglass_gui.text.numbers import amount
from ravenglass_gui.text.plain import one_line

_AT_CALL = {
    "verbatim": "it stood there in full",
    "mentioned": "only mentions were left",
    "gone": "nothing named it",
    "never_there": "it had never been there",
}
_TOOK = {
    "compaction": "the writer compacted its window",
    "clearing": "the writer cleared results from its window",
    "consolidated": "the writer consolidated its window",
    "new_chain": "the writer began a new window",
}
_LONGEST = 160
"""Characters of what was needed that a sentence holds; commands may be pages long."""
_MOST_NAMES = 8
"""Names of one source that a sentence tells one by one."""


def regret_words(regret: Regret) -> str:
    """What happened: the response, what it needed, where that came from, when and by what it was lost, the cost."""
    what = one_line(regret.what, _LONGEST)
    more = len(regret.sources) - 1
    others = f" and {amount(more, 'other')}" if more else ""
    source = f"#{regret.message} ({amount(regret.tokens, 'token')}){others}"
    where = f"By then {WHERE[regret.where]}: {_AT_CALL[regret.where]}."
    who = f"Response #{regret.response} of call {regret.call:,}"
    if regret.paid is None:
        held = "them" if len(regret.names) > 1 else "it"
        said = (
            f"{who} needed {_needed(regret)}, which {source} had introduced. The recorded window held {held} in full."
        )
        return f"{said} {_lost(regret, 'this one')} {where} So it is at risk."
    paid = regret.paid
    cost = f"Paid again: {amount(paid.tokens, 'token')}, {seconds_words(paid.seconds)}, ${paid.cost:,.4f}."
    return f"{who} fetched {what} again, which {source} had shown. {_lost(regret, 'the window')} {where} {cost}"


def _needed(regret: Regret) -> str:
    """`a, b, c and 4 more names`: the longest first."""
    names = sorted(regret.names or (regret.what,), key=len, reverse=True)
    told = ", ".join(one_line(name, _LONGEST) for name in names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{told} and {more:,} more {'names' if more > 1 else 'name'}" if more > 0 else told


def _lost(regret: Regret, window: str) -> str:
    if not regret.lost_at:
        return f"When it left {window} is not known."
    return f"Out of {window} since call {regret.lost_at:,}: {one_line(regret.by, _LONGEST)}."


def aftermath_words(made: Aftermath) -> str:
    """What one compaction or clearing took, and what came of it."""
    note = f" ({one_line(made.note, _LONGEST)})" if made.note else ""
    said = f"Before call {made.call:,} {_TOOK.get(made.kind, made.kind)}{note}."
    results = made.results
    still = results.total
    took = f"It took {amount(made.messages, 'message')}, {amount(made.tokens, 'token')}."
    if not made.messages:
        took = "Of the messages that the record holds it took none."
    if still:
        took += (
            f" Of {amount(still, 'result')} that still held {results.verbatim:,} stayed verbatim, {results.mentioned:,}"
            f" were only mentioned after it, {results.gone:,} were gone."
        )
    again = made.fetched_again
    fetched = f"Within the next {amount(made.within, 'call')} nothing of it was fetched again."
    if again.count:
        fetched = (
            f"Within the next {amount(made.within, 'call')} {amount(again.count, 'fetch', 'fetches')} asked for it"
            f" again: {amount(again.tokens, 'token')}, {seconds_words(again.seconds)}, ${again.cost:,.4f}."
        )
    return f"{said} {took} {fetched} {_edits(made)}"


def _edits(made: Aftermath) -> str:
    if made.to_next_edit is None:
        return "No edit follows."
    before = "the median before is unknown"
    if made.median_before is not None:
        before = f"the median between two edits before was {made.median_before:g}"
    return f"The next edit came after {amount(made.to_next_edit, 'call')}; {before}."
