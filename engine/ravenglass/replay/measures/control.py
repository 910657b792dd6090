"""The control: how often results are fetched again while they still stand in the window, beside how often after their
loss.

Fetches again happen without any loss; only the difference of the two rates is what trimming did.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from ravenglass.replay.figures import Control, PlacedNeed
from ravenglass.replay.measures.needs.session import SessionNeeds


def control(
    needs: SessionNeeds, boundaries: Sequence[int], placed: Iterable[PlacedNeed], lost_at: Callable[[int], int | None]
) -> Control:
    """`boundaries`: ids of the responses of the calls in order; `lost_at(message)`: the first call that sees a result
    and does not hold it in full, None where every call does."""
    there: set[int] = set()
    lost: set[int] = set()
    for message, (_, outdated) in needs.shown.items():
        first = bisect_right(boundaries, message) + 1
        if first > len(boundaries):
            continue
        left = lost_at(message)
        if left is None or left > first:
            there.add(message)
        if left is not None and (outdated < 0 or boundaries[left - 1] <= outdated):
            lost.add(message)
    there_again: set[int] = set()
    lost_again: set[int] = set()
    for one in placed:
        if one.kind == "fetch_again":
            there_again.update(one.sources)
            # Where any of the sources still stands, nothing was fetched for want of the others.
            if one.where != "verbatim":
                lost_again.update(one.asked)
    return Control(len(there), len(there_again & there), len(lost), len(lost_again & lost))
