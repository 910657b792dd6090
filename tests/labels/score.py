"""Compares what the program tells with what the judge says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ravenglass.replay.measures.needs.session import needs_of
from ravenglass.sessions import open_session
from ravenglass.sessions.model.presence import Presence
from ravenglass.sessions.model.session import Session
from tests.labels.identity import message_id, term_hash
from tests.labels.pairs import SAMPLES, Pair


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair, and whether the program tells it; `lost`: the program says that no source was in the recorded window."""

    pair: Pair
    told: bool
    lost: bool


@dataclass(frozen=True, slots=True)
class Score:
    """Counts over pairs without doubt."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float | None:
        """Share of what is told that is true; None where nothing is told."""
        told = self.right + self.wrong
        return self.right / told if told else None

    @property
    def recall(self) -> float | None:
        """Share of what is true that is told; None where nothing is true."""
        true = self.right + self.missed
        return self.right / true if true else None


def judged(pairs: Iterable[Pair]) -> list[Judged]:
    """The pairs beside what the program tells. Raises ValueError where a label follows no message any more."""
    opened: dict[str, Session] = {}
    found = []
    for pair in pairs:
        if pair.session not in opened:
            opened.clear()
            path = SAMPLES / pair.session.partition("#")[0]
            opened[pair.session] = open_session(
                path.with_name(path.name + pair.session[len(pair.session.partition("#")[0]) :])
            )
        found.append(_judge(opened[pair.session], pair))
    return found


def _judge(session: Session, pair: Pair) -> Judged:
    response = next(
        (m for m in _near(session, pair.response) if message_id(session.messages[m]) == pair.response_id), None
    )
    if response is None:
        raise ValueError(f"{pair.where}: no message of {pair.session} is the one that was judged")
    for need in needs_of(session).of(response):
        if pair.kind == "name":
            spelt = {need.what, need.what.rstrip("/"), f"{need.what}/"}
            same = need.kind == "name" and pair.term in map(term_hash, spelt)
        else:
            same = need.kind == "fetch_again" and need.call == pair.call
        if same:
            return Judged(pair, True, not any(_in_window(session, response, source) for source in need.sources))
    return Judged(pair, False, False)


def _near(session: Session, message: int) -> list[int]:
    """Ids by their distance from where the label saw its message."""
    return sorted(range(len(session.messages)), key=lambda m: abs(m - message))


def _in_window(session: Session, response: int, message: int) -> bool:
    epoch = Presence(session.markers).at(response)
    return epoch.holds(message) and message not in epoch.cleared


def score(found: Iterable[Judged], told: Callable[[Judged], bool] = lambda one: one.told) -> Score:
    """Pairs with a doubt count for neither side."""
    sure = [one for one in found if not one.pair.doubtful]
    return Score(
        sum(told(one) and one.pair.true for one in sure),
        sum(told(one) and not one.pair.true for one in sure),
        sum(not told(one) and one.pair.true for one in sure),
    )
