"""`make labels`: how often the needs that the program tells are those of the judge, and every miss.

Names and fetches again are judged in two halves of the sessions; the program is changed only after looking at misses of
the development half, so that the other one says what to expect of sessions that nobody has seen. Misses of the held-out
half are printed with `--all`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from tests.labels.pairs import SAMPLES, Pair, pairs
from tests.labels.score import Judged, Score, judged, score


def main(arguments: Sequence[str]) -> int:
    """Print the figures. Returns 1 where the samples are absent."""
    if not SAMPLES.is_dir():
        print(f"The recorded sessions are not there: {SAMPLES.parent.name}/{SAMPLES.name} beside the checkout.")
        return 1
    found = judged(pairs())
    sessions = {one.pair.session for one in found}
    formats = {session.partition("/")[0] for session in sessions}
    repeated = {one.pair.session for one in found if one.pair.repeated}
    print(f"{len(found)} judged pairs of {len(sessions)} sessions in {len(formats)} formats;", _doubts(found))
    print(f"{', '.join(sorted(repeated))}: made out of another session, so their pairs are no further evidence;")
    print(f"{sum(not one.pair.repeated for one in found)} pairs are independent, and only they are counted below.\n")
    found = [one for one in found if not one.pair.repeated]
    for half in ("development", "held out"):
        _half(half, [one for one in found if one.pair.half == half])
    _half("both", found)
    _misses("development", found)
    if "--all" in arguments:
        _misses("held out", found)
    return 0


def _doubts(found: Sequence[Judged]) -> str:
    return f"{sum(one.pair.doubtful for one in found)} are in doubt and count for neither side."


def _half(name: str, found: Sequence[Judged]) -> None:
    kinds: tuple[tuple[str, Callable[[Pair], bool]], ...] = (
        ("names", lambda pair: pair.kind == "name"),
        ("fetches again", lambda pair: pair.kind == "fetch"),
        ("fetches again after a recorded loss", lambda pair: pair.kind == "fetch" and pair.after_loss),
    )
    print(f"{name}:")
    for title, of in kinds:
        print(f"  {title:36} {_line(score(one for one in found if of(one.pair)))}")
    lost = score((one for one in found if one.pair.kind == "name"), lambda one: one.told and one.lost)
    fetched = score((one for one in found if one.pair.kind == "fetch"), lambda one: one.told and one.lost)
    told = Score(lost.right + fetched.right, lost.wrong + fetched.wrong, 0)
    print(
        f"  {'needs told as lost (recorded run)':36} precision {_share(told.precision)}"
        f" ({told.right} of {told.right + told.wrong})"
    )


def _line(made: Score) -> str:
    return (
        f"precision {_share(made.precision)} ({made.right} of {made.right + made.wrong} told),"
        f" recall {_share(made.recall)} ({made.right} of {made.right + made.missed} true)"
    )


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _misses(half: str, found: Sequence[Judged]) -> None:
    wrong = [one for one in found if one.pair.half == half and not one.pair.doubtful and one.told != one.pair.true]
    print(f"\nmisses of the {half} half ({len(wrong)}):")
    for one in wrong:
        print(
            f"  {one.pair.where}: {one.pair.kind}, {'told, not true' if one.told else 'true, not told'}: {one.pair.why}"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
