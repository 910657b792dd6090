"""Figures about what responses needed, as the desktop, the command line and scripts show them. Definitions:
docs/design/metrics.md; a figure has the same name there, here and everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

from ravenglass.trace import Json

Where = Literal["verbatim", "mentioned", "gone", "never_there"]
NeedKind = Literal["name", "fetch_again"]

UPPER_BOUND = (
    "An upper bound: what stands in a window in full is not always made use of. Asked about facts, a model recalled"
    " 40 % of"
    " those that stood there verbatim."
)
"""What is said beside recall, wherever it is shown."""


@dataclass(frozen=True, slots=True)
class Classes:
    """How many needs were where in their window; never folded into one figure."""

    verbatim: int = 0
    mentioned: int = 0
    gone: int = 0
    never_there: int = 0

    @property
    def total(self) -> int:
        return self.verbatim + self.mentioned + self.gone + self.never_there

    def __add__(self, other: Classes) -> Classes:
        return Classes(
            self.verbatim + other.verbatim, self.mentioned + other.mentioned, self.gone + other.gone,
            self.never_there + other.never_there,
        )  # fmt: skip

    @classmethod
    def of(cls, places: Iterable[Where]) -> Classes:
        """Count them."""
        found = list(places)
        return cls(*(found.count(where) for where in ("verbatim", "mentioned", "gone", "never_there")))


@dataclass(frozen=True, slots=True)
class Paid:
    """What fetches again after a loss cost: a fact of the recorded run. Sums over `count` of them."""

    count: int = 0
    tokens: int = 0
    """Of the calls and of what they brought back."""
    seconds: float | None = 0.0
    """From the response to its result, as recorded; None where no time is."""
    cost: float = 0.0
    """Of those tokens as new input, once. What the further model call reads of its window is not in it."""

    def __add__(self, other: Paid) -> Paid:
        times = [one.seconds for one in (self, other) if one.count and one.seconds is not None]
        unknown = not times and (self.count or other.count)
        return Paid(
            self.count + other.count,
            self.tokens + other.tokens,
            None if unknown else sum(times),
            self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True)
class PlacedNeed:
    """Where one need of a call was. `sources` are those of a fetch again that the window held in full."""

    call: int
    kind: NeedKind
    where: Where
    asked: tuple[int, ...] = ()
    """Of a fetch again: the results that had shown it."""
    sources: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Regret:
    """A need that was not in the window in full. Simulated: at risk, the recorded window had it. Recorded: a fetch
    again after a loss, paid again."""

    call: int
    response: int
    kind: NeedKind
    what: str
    """The name, the longest where there are several; or what was fetched again: file, command, pattern, address."""
    message: int
    """The latest of the sources that are not in the window in full."""
    sources: tuple[int, ...]
    """Messages that introduced it, all of them out of the window or shortened; or results that had shown it, of which
    some may stand there and hold a part of the place."""
    where: Where
    """`mentioned` or `gone`."""
    tokens: int
    """Of the source."""
    names: tuple[str, ...] = ()
    """Names that the response needed of this source, in its own order; none for a fetch again."""
    lost_at: int = 0
    """The call whose window first lacked the source; 0: not known."""
    by: str = ""
    """What took it out, in a few words."""
    paid: Paid | None = None
    """In the recorded run: what fetching it again cost."""

    @property
    def needed(self) -> str:
        """`make_invoice and 3 more names`."""
        more = len(self.names) - 1
        return f"{self.what} and {more:,} more {'names' if more > 1 else 'name'}" if more > 0 else self.what


@dataclass(frozen=True, slots=True)
class Control:
    """How often results are fetched again while they still stand in the window, beside how often after their loss.
    Counts are results that could be fetched again: nothing had changed what they showed."""

    there: int = 0
    """Results that stood in a window in full."""
    there_again: int = 0
    """Of these, fetched again while they stood there."""
    lost: int = 0
    """Results that were still true when a window no longer held them in full."""
    lost_again: int = 0
    """Of these, fetched again after that."""

    @property
    def rate_there(self) -> float | None:
        """Share of the results there, 0..1; None where there are none."""
        return self.there_again / self.there if self.there else None

    @property
    def rate_lost(self) -> float | None:
        """Share of the results lost, 0..1; None where there are none."""
        return self.lost_again / self.lost if self.lost else None

    @property
    def difference(self) -> float | None:
        """What trimming did: the rate after the loss less the rate with the source there; None where either is
        unknown."""
        there, lost = self.rate_there, self.rate_lost
        return None if there is None or lost is None else lost - there

    def as_object(self) -> Json:
        """Counts and rates for scripts."""
        return asdict(self) | {
            "rate_there": self.rate_there,
            "rate_lost": self.rate_lost,
            "difference": self.difference,
        }


@dataclass(frozen=True, slots=True)
class Injection:
    """Of one window or of all windows of a run, in tokens."""

    tokens: int = 0
    again: int = 0
    """Sent by an earlier call already."""
    doubled: int = 0
    """In the same window before."""

    @property
    def ratio(self) -> float | None:
        """The repeated injection ratio: `again` of `tokens`, 0..1; None where nothing was sent."""
        return self.again / self.tokens if self.tokens else None

    @property
    def doubled_ratio(self) -> float | None:
        """`doubled` of `tokens`, 0..1; None where nothing was sent."""
        return self.doubled / self.tokens if self.tokens else None

    def __add__(self, other: Injection) -> Injection:
        return Injection(self.tokens + other.tokens, self.again + other.again, self.doubled + other.doubled)

    def as_object(self) -> Json:
        """Tokens and ratios for scripts."""
        return asdict(self) | {"ratio": self.ratio, "doubled_ratio": self.doubled_ratio}


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What one recorded compaction or clearing took, and what came of it."""

    call: int
    """The first call that was made after it."""
    kind: str
    note: str
    messages: int
    """Messages that stood in the window before in full, and in the one after not."""
    tokens: int
    """Of those messages."""
    results: Classes
    """Results that stood in the window before and were still true: where they are after it."""
    fetched_again: Paid
    """What was fetched again of what it took, within the next calls."""
    within: int
    """How many calls that is; fewer at the end of a session."""
    to_next_edit: int | None
    """Calls from it up to the next edit, that one included; None: none follows."""
    median_before: float | None
    """Calls between two edits before it, at the median; None where fewer than two were made."""
