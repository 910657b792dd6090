"""What a view shows about one call: Frame and its parts. Plain immutable values, made on demand by a Run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from ravenglass.curator.working_state.state import WorkingState
from ravenglass.hub.item import Form, State
from ravenglass.hub.stub import NEWER, SAME, UPDATED
from ravenglass.replay.figures import Classes, Control, Injection, Paid
from ravenglass.rules import SectionName, TierName

MarkKind = Literal["head", "kept", "outlasted", "lasting", "cached", "automatic"]
"""What a cache breakpoint stands behind: the head before the working state; what a slow path keeps; what outlasted the
latest break; what stays at the next call, before look-ups that shrink then; what the cache holds already; the whole
window (the one that a provider sets by itself)."""
PathName = Literal["fast", "slow", "fail_safe", "recorded"]
_STAND_INS = {
    UPDATED.partition("#")[0]: "updated",
    NEWER.partition("#")[0]: "difference",
    SAME.partition("#")[0]: "reference",
}
Section = SectionName | Literal["history"]
"""Where a block stands: a section of the head of the window, or its history."""


@dataclass(frozen=True, slots=True)
class WindowMessage:
    """One block of a window. `id` is None for what is no recorded message (the working state, a summary).

    `text` is exactly what the call sees; `verbatim` says whether it is the recorded text or a stub of it.
    """

    id: int | None
    role: str
    text: str
    tokens: int
    section: Section
    verbatim: bool
    group: int | None
    label: str
    """What it is, for people: `user`, `assistant`, `Read`, `working state`, `summary`, `no result recorded`."""
    thinking: str = ""
    tool_calls: tuple[tuple[str, str, str], ...] = ()
    """(id, name, arguments) of each call."""
    tool_call_id: str | None = None
    added: bool = False
    """Not in the previous call's window, or in another form there."""

    @property
    def stand_in(self) -> str:
        """What stands for a recorded message that is not verbatim, in one word; empty for what is."""
        if self.verbatim or self.id is None:
            return ""
        return next((word for beginning, word in _STAND_INS.items() if self.text.startswith(beginning)), "stub")


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A cache breakpoint of a window's request: the blocks and tokens before it, and what it stands behind. Before
    the first block it stands behind tools and system prompt."""

    blocks: int
    tokens: int
    kind: MarkKind


@dataclass(frozen=True, slots=True)
class Window:
    """The exact ordered list of what one call sees. `tokens` excludes the system overhead S."""

    call: int
    path: PathName
    messages: tuple[WindowMessage, ...]
    tokens: int
    stable_prefix: int
    """How many leading blocks are unchanged since the previous call: what a provider's cache could hit."""
    stable_tokens: int
    impossible: bool = False
    """True when the current user message alone does not fit the budget."""
    remembered: bool = True
    """Whether the provider's cache outlived the pause before the call: else the stable prefix is paid again."""
    breakpoints: tuple[Breakpoint, ...] = ()
    """Ascending; none where the provider caches by itself, and in a recorded window."""
    long_lived: bool = False
    """Whether they ask the provider to keep what it caches for an hour."""


@dataclass(frozen=True, slots=True)
class TierUse:
    """Use of one tier at one call, in tokens. `exempt` is the part that protection and pins take."""

    tier: TierName
    used: int
    quota: int
    exempt: int

    @property
    def share(self) -> float:
        return self.used / self.quota if self.quota else (0.0 if not self.used else float("inf"))


@dataclass(frozen=True, slots=True)
class CallTotals:
    """The figures of one call: sizes in tokens, counts in messages. `by_tier` adds up to `tokens`."""

    call: int
    path: PathName
    tokens: int
    by_tier: dict[TierName, int]
    included: int
    """Messages in the window."""
    evicted: int
    """Messages that left the window at this call."""
    archived: int
    """Messages archived at this call."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Everything true after one call. Counts are messages, sizes are tokens."""

    call: int
    path: PathName
    tokens: int
    history_tokens: int
    """What was measured against the fast path threshold."""
    tiers: tuple[TierUse, ...]
    working_state_tokens: int
    included: int
    """Messages in the window."""
    evicted: int
    """Messages that left the window at this call."""
    archived: int
    """Messages archived at this call."""
    known: int
    """Messages recorded before this call: the rows of the manifest."""
    task: int
    user_message: int | None
    """Id of the latest prompt before the call."""
    response: int
    """Id of the message that the call produced."""
    ts: float | None
    working_state: WorkingState
    changed: frozenset[int]
    """Ids of messages whose state, form or flags differ from the previous call."""
    cache_hit: float
    """Share of the window that the provider's cache serves with the breakpoints set, 0..1."""
    cache_break: str
    """Name of the first block that differs from the previous window; empty if only new blocks follow."""
    impossible: bool = False
    injection: Injection = field(default_factory=Injection)
    """How much of the window had been sent before, and stands in it twice."""
    summary_tokens: int = 0
    """Size of the summary in the window; 0: there is none."""
    summary_call: int = 0
    """The call at which it was made."""


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """One message in the manifest at one call."""

    id: int
    role: str
    ts: float | None
    tokens: int
    turn: int
    call: int
    group: int
    snippet: str
    summary: str
    relevance: float
    recency: float
    reliability: float
    score: float
    protected: bool
    pinned: bool
    archived: bool
    archive_ref: str | None
    address: str
    tier: TierName
    state: State
    form: Form
    included: bool
    changed: bool
    tool: str
    source: str
    flags: frozenset[str]
    """protected, pinned, archived, included, changed, expired, stub, orphan, unanswered, error."""
    keywords_of: Callable[[], tuple[str, ...]] = field(repr=False, compare=False, default=tuple)

    @property
    def keywords(self) -> tuple[str, ...]:
        """At most `keyword_count` telling words, found when asked for."""
        return self.keywords_of()


@dataclass(frozen=True, slots=True)
class LifeSpan:
    """The group was in `state` and stood in the window as `form` from call `first` to call `last`."""

    first: int
    last: int
    state: State
    form: Form


@dataclass(frozen=True, slots=True)
class Why:
    """Why a message is in or out of a window at a call. `reasons` are complete sentences, deciding one first."""

    message: int
    call: int
    included: bool
    headline: str
    relevance: float
    recency: float
    reliability: float
    weights: tuple[float, float, float]
    score: float
    decided_at: int
    """The call whose slow path decided it; 0 while only fast paths ran."""
    rank: int | None
    """1-based rank inside its tier at that decision; None where it was exempt or no candidate."""
    ranked: int
    cut_rank: int | None
    """First rank that did not fit at that decision."""
    cut_score: float | None
    reasons: tuple[str, ...]
    matched: tuple[str, ...]
    """Entities of the intent that the group holds, most telling first."""
    life: tuple[LifeSpan, ...]


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One archiving: the group's messages, when and why, and the reference that brings them back."""

    ref: str
    call: int
    messages: tuple[int, ...]
    tokens: int
    reason: str
    by: str
    """`scheduler`, `curator` or `hand`."""
    retrieved_at: int | None = None


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a retrieval brought back. `truncated` is true exactly when something was left out."""

    ref: str
    text: str
    raw: tuple[bytes, ...]
    """Verbatim source records, complete, one a message."""
    digests: tuple[str, ...]
    tokens: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class Metrics:
    """Figures of a whole run. Tokens are counts of the chosen token table; costs are in the price's currency."""

    calls: int
    fast: int
    slow: int
    fail_safe: int
    peak_tokens: int
    mean_tokens: float
    evictions: int
    """Messages that left a window."""
    archived: int
    retrievals: int
    cache_hit: float
    """Cached share of all tokens sent, 0..1."""
    cache_breaks: int
    cost: float
    recall: float | None
    """Share of all needs whose source the window held verbatim: an upper bound. None where nothing is needed."""
    names: Classes
    """Where the names were that responses needed."""
    fetches_again: Classes
    """Where the sources of what was fetched again were."""
    regrets: int
    """Simulated: needs at risk. Recorded: fetches again after a loss."""
    control: Control
    paid_again: Paid | None
    """What fetches again after a loss cost; None for a simulated run, which cannot know."""
    injection: Injection
    """Of all windows together."""
    rot_calls: int
    over_budget: int
    """Calls whose window passed C. Always 0 unless `impossible` calls exist."""
    impossible: int
    summaries: int = 0
    """Slow paths that made a summary."""
    summarized_calls: int = 0
    """Calls whose window holds one."""
