"""Every threshold there is, as one immutable validated object.

Sliders, `--set` options, TOML files and the table in docs are all generated from the fields' metadata, so a
number exists exactly once: here. Figures are those of docs/design (budget, quotas, curator, archive).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo

from ravenglass.errors import ProfileError
from ravenglass.rules import (
    DEFAULT_PIN_RULES,
    DEFAULT_RELIABILITY,
    DEFAULT_TIER_RULES,
    DEFAULT_TTL_RULES,
    SECTIONS,
    TIERS,
    PinRule,
    SectionName,
    TierName,
    TierRule,
    TtlRule,
)

_KIND = re.compile(r"constrained-\w+|literal\[.*\]")
GroupName = Literal[
    "Window", "Quotas", "Curator", "Scores", "Lifecycle", "Protection", "Offload", "Summary",
    "Retrieval", "Working state", "Tokens", "Cost", "Snapshots", "Needs",
]  # fmt: skip


def _number(
    default: float,
    low: float,
    high: float,
    unit: str,
    group: GroupName,
    title: str,
    text: str,
    *,
    step: float | None = None,
    used: bool = True,
) -> Any:
    """A numeric field with everything a slider needs. `used=False`: accepted and kept, but no replay reads it yet."""
    return Field(
        default=default,
        ge=low,
        le=high,
        title=title,
        description=text,
        json_schema_extra={"unit": unit, "group": group, "step": step, "used": used},
    )


def _choice(default: Any, group: GroupName, title: str, text: str, *, used: bool = True) -> Any:
    return Field(
        default=default,
        title=title,
        description=text,
        json_schema_extra={"unit": "", "group": group, "used": used},
    )


class Profile(BaseModel):
    """All thresholds, rules and prices of one replay. Immutable; `with_values` gives a changed copy."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    name: str = Field(default="default", min_length=1, title="Name", description="What this profile is called.")

    # fmt: off
    window: int = _number(128_000, 1_000, 4_000_000, "tokens", "Window", "Window size W", "The model's context window.", step=1_000)
    output_reserve: float = _number(0.20, 0, 0.9, "of W", "Window", "Output reserve O", "Share of the window kept free for the model's answer.", step=0.01)
    system_overhead: int = _number(3_000, 0, 1_000_000, "tokens", "Window", "System overhead S", "System prompt and tool definitions, where the record does not hold them.", step=250)
    safety_buffer: float = _number(0.05, 0, 0.5, "of W", "Window", "Safety buffer B", "Share of the window kept free against counting differences.", step=0.01)
    quota_global: float = _number(0.20, 0, 1, "of C", "Quotas", "Global quota", "Share of the budget for project-wide context.", step=0.01)
    quota_session: float = _number(0.30, 0, 1, "of C", "Quotas", "Session quota", "Share of the budget for what the whole conversation needs.", step=0.01)
    quota_task: float = _number(0.40, 0, 1, "of C", "Quotas", "Task quota", "Share of the budget for the task in hand.", step=0.01)
    quota_atomic: float = _number(0.10, 0, 1, "of C", "Quotas", "Atomic quota", "Share of the budget for results used once.", step=0.01)
    quota_borrowing: bool = _choice(False, "Quotas", "Quota borrowing", "Lend unused quota of a tier: task to session to atomic, never to global.")
    global_cap: float = _number(0.20, 0, 1, "of C", "Quotas", "Global hard cap", "The global tier never takes more than this share of the budget; what is over is demoted to task when it is registered.", step=0.01)

    fast_path_threshold: float = _number(0.60, 0, 1, "of C", "Curator", "Fast path threshold", "Below this share of the budget everything live passes untouched; at or above it the slow path runs.", step=0.01)
    trim_target: float = _number(0.45, 0.05, 1, "of C", "Curator", "Trim target", "The slow path packs the window into this share of the budget, so that the prefix then stays stable for many calls.", step=0.01)
    pressure_basis: Literal["live", "full_log"] = _choice("live", "Curator", "Pressure basis", "What is measured against the threshold: the live set, or the whole log.")
    max_steps: int = _number(12, 1, 100, "steps", "Curator", "Curator steps", "The slow path asks its policy at most this often, then the fail-safe decides.", step=1, used=False)
    timeout_s: float = _number(30, 1, 600, "s", "Curator", "Curator time limit", "A slow path that takes longer ends in the fail-safe.", step=1, used=False)
    fail_safe_top: int = _number(12, 0, 200, "messages", "Curator", "Fail-safe: most relevant", "How many messages of the highest relevance the fail-safe keeps.", step=1, used=False)
    fail_safe_last: int = _number(16, 1, 200, "messages", "Curator", "Fail-safe: latest", "How many of the latest messages the fail-safe keeps.", step=1, used=False)

    weight_relevance: float = _number(0.6, 0, 1, "", "Scores", "Relevance weight", "Weight of the relevance part of the score.", step=0.05)
    weight_recency: float = _number(0.3, 0, 1, "", "Scores", "Recency weight", "Weight of the recency part of the score.", step=0.05)
    weight_source: float = _number(0.1, 0, 1, "", "Scores", "Source weight", "Weight of the source reliability part of the score.", step=0.05)
    relevance_decay: float = _number(0.95, 0, 1, "per turn", "Scores", "Recency decay", "Recency is this number to the power of the age in turns.", step=0.01)
    reliability: dict[str, float] = Field(default_factory=lambda: dict(DEFAULT_RELIABILITY), title="Source reliability", description="How far each kind of source is trusted, 0 to 1. A kind that is not named keeps its default.", json_schema_extra={"group": "Scores"})

    archive_below: float = _number(0.25, 0, 1, "score", "Lifecycle", "Archive below", "Standby groups that score less are archived.", step=0.01)
    standby_calls: int = _number(40, 1, 10_000, "calls", "Lifecycle", "Archive after", "Standby groups unused for this many calls are archived.", step=1)
    eager_lifecycle: bool = _choice(False, "Lifecycle", "Eager lifecycle", "On: released and expired items leave at the next call. Off: they keep their place until the next slow path, so that the prefix stays stable.")
    edited_files: bool = _choice(True, "Lifecycle", "Edits update files", "On: a file that was read whole and edited since stands once, as the edits left it, where they say what they did. Off: what was read expires with the edit.")
    task_boundary: Literal["every_user_message", "topic_shift", "todo"] = _choice("topic_shift", "Lifecycle", "Task boundary", "When a task ends and its items are released.")
    topic_overlap: float = _number(0.15, 0, 1, "of entities", "Lifecycle", "Topic overlap", "A request that shares less of the task's entities than this starts a new task (task boundary: topic_shift).", step=0.01)

    protect_first_n: int = _number(3, 0, 50, "exchanges", "Protection", "Protect first", "The first exchanges of the session are exempt from trimming.", step=1)
    protected_cap: float = _number(0.5, 0, 1, "of C", "Protection", "Protected cap", "Protected and pinned groups may take this share of the budget; beyond it protected groups can be dropped, largest first.", step=0.01)

    offload_tokens: int = _number(2_000, 50, 200_000, "tokens", "Offload", "Offload results over", "Older tool results larger than this shrink to a stub.", step=50)
    offload_after: int = _number(2, 0, 1_000, "calls", "Offload", "Offload after", "A result is offloaded only when it is older than this many calls.", step=1)
    stub_lines: int = _number(4, 0, 100, "lines", "Offload", "Stub lines", "First and last lines of a result that its stub shows.", step=1)
    stub_chars: int = _number(400, 40, 20_000, "characters", "Offload", "Stub length", "Most characters that a stub shows of the head, and of the tail.", step=20)

    summarize: bool = _choice(True, "Summary", "Summary as last resort", "Where offload and eviction do not reach the budget, a summary stands for what had to leave. It needs a transcript on disk, whose path it ends with.")
    summary_tokens: int = _number(2_000, 100, 50_000, "tokens", "Summary", "Summary size", "Most tokens of that summary; with the working state it stays within the session quota.", step=100)

    retrieve_tokens: int = _number(2_000, 50, 200_000, "tokens", "Retrieval", "Retrieval cap", "Most tokens that one retrieval brings back.", step=50)
    snippet_chars: int = _number(240, 20, 4_000, "characters", "Retrieval", "Snippet length", "Length of a message's snippet in the manifest.", step=10)
    summary_chars: int = _number(420, 20, 8_000, "characters", "Retrieval", "Summary length", "Length of a message's summary in the manifest.", step=10)
    keyword_count: int = _number(16, 0, 64, "keywords", "Retrieval", "Keywords", "Most keywords of a message in the manifest.", step=1)

    max_goals: int = _number(8, 0, 50, "lines", "Working state", "Goals", "Most goals the working state holds.", step=1)
    max_open_threads: int = _number(12, 0, 50, "lines", "Working state", "Open threads", "Most open threads the working state holds.", step=1)
    max_decisions: int = _number(20, 0, 100, "lines", "Working state", "Decisions", "Most decisions the working state holds.", step=1)
    max_line_chars: int = _number(400, 40, 4_000, "characters", "Working state", "Line length", "Longest line of the working state.", step=20)

    tokenizer: Literal["o200k_base", "cl100k_base"] = _choice("o200k_base", "Tokens", "Token table", "Which table counts tokens.")
    image_tokens: int = _number(1_600, 0, 20_000, "tokens", "Tokens", "Image cost", "Flat cost of an image; its bytes are never counted.", step=50)
    page_tokens: int = _number(2_000, 0, 20_000, "tokens", "Tokens", "Page cost", "Estimated cost of a page of a document in base64, where its pages can be counted; its bytes are never counted.", step=50)
    document_tokens: int = _number(6_000, 0, 200_000, "tokens", "Tokens", "Document cost", "Flat cost of a document, or of other encoded bytes, whose pages cannot be counted.", step=100)
    audio_second_tokens: int = _number(32, 0, 1_000, "tokens", "Tokens", "Audio cost a second", "Estimated cost of a second of a recording, where its length can be told.", step=1)
    audio_tokens: int = _number(2_000, 0, 200_000, "tokens", "Tokens", "Audio cost", "Flat cost of a recording whose length cannot be told.", step=50)
    message_overhead: int = _number(4, 0, 50, "tokens", "Tokens", "Message overhead", "Tokens that a message's frame (role, separators) costs.", step=1)

    fit_scale_low: float = _number(0.5, 0.01, 1, "x", "Tokens", "Smallest scale", "Least tokens of a provider to one of ours that two token tables can have; below, the record does not show what was sent.", step=0.05)
    fit_scale_high: float = _number(2.5, 1, 100, "x", "Tokens", "Largest scale", "Most tokens of a provider to one of ours that two token tables can have.", step=0.1)
    fit_shift_tokens: int = _number(1_000, 50, 100_000, "tokens", "Tokens", "Unexplained change from", "A reported figure that rises or falls by more than this beyond what the record explains begins a new segment of the fit.", step=50)
    fit_shift_share: float = _number(0.02, 0.001, 1, "of the figure", "Tokens", "Unexplained change share", "The same, as a share of the reported figure; the larger of the two counts.", step=0.005)
    fit_good_median: float = _number(0.005, 0, 1, "relative", "Tokens", "Good fit: median", "A fit with a larger error at the median is called coarse.", step=0.001)
    fit_good_p95: float = _number(0.05, 0, 1, "relative", "Tokens", "Good fit: 95th percentile", "A fit with a larger error at the 95th percentile is called coarse.", step=0.01)
    fit_unfit_p95: float = _number(0.20, 0, 10, "relative", "Tokens", "Unfit from", "A fit with a larger error at the 95th percentile is called unfit, and nothing is told in its terms.", step=0.01)

    price_input: float = _number(3.00, 0, 1_000, "per million", "Cost", "Input price", "Price of a million input tokens.", step=0.05)
    price_cached: float = _number(0.30, 0, 1_000, "per million", "Cost", "Cached price", "Price of a million input tokens read from the provider's cache.", step=0.01)
    price_write_5m: float = _number(3.75, 0, 1_000, "per million", "Cost", "Cache write price, 5 minutes", "Price of a million input tokens written to the provider's cache for 5 minutes.", step=0.05)
    price_write_1h: float = _number(6.00, 0, 1_000, "per million", "Cost", "Cache write price, 1 hour", "Price of a million input tokens written to the provider's cache for an hour.", step=0.05)
    cache_ttl_s: int = _number(300, 0, 86_400, "s", "Cost", "Cache lifetime", "The provider forgets a cached prefix after this long without a call.", step=60)
    cache_breakpoints: int = _number(4, 0, 4, "marks", "Cost", "Cache breakpoints", "How many cache breakpoints a request carries at most, the automatic one at its end included; providers refuse more than 4. 0: the provider caches every beginning by itself.", step=1)
    cache_look_back: int = _number(20, 0, 1_000, "blocks", "Cost", "Cache look-back", "So many content blocks before a breakpoint a provider looks for what it has cached.", step=1)
    rot_tokens: int = _number(200_000, 1_000, 4_000_000, "tokens", "Cost", "Context-rot line", "Windows past this size are counted as exposed to context rot.", step=1_000)

    snapshot_every_calls: int = _number(3, 1, 1_000, "tool calls", "Snapshots", "Snapshot every", "A snapshot is taken after this many tool calls.", step=1)
    snapshot_tokens: int = _number(5_000, 100, 1_000_000, "tokens", "Snapshots", "Snapshot after change", "A snapshot is taken after this much change.", step=100)
    snapshot_keep: int = _number(3, 1, 100, "snapshots", "Snapshots", "Snapshots kept", "Latest snapshots kept per task, besides the initial one.", step=1)
    rollback_drop: float = _number(0.35, 0, 1, "of the mean", "Snapshots", "Rollback drop", "A fall of the mean score by more than this offers a rollback.", step=0.01)
    rollback_calls: int = _number(5, 1, 1_000, "calls", "Snapshots", "Rollback reference", "The mean score is compared with its mean over this many calls before.", step=1)

    need_exchanges: int = _number(12, 1, 10_000, "exchanges", "Needs", "Stands all over from", "A name that stands in more exchanges than this before a response is no need of it: losing one message loses nothing.", step=1)
    need_within_calls: int = _number(40, 1, 10_000, "calls", "Needs", "Put down to a compaction", "What is fetched again within this many calls after a recorded compaction or clearing is put down to it.", step=1)
    # fmt: on

    section_order: tuple[SectionName, ...] = Field(
        default=SECTIONS,
        title="Section order",
        description="In which order a window's sections stand before the history, which is chronological and last.",
    )
    tier_rules: tuple[TierRule, ...] = Field(
        default=DEFAULT_TIER_RULES,
        title="Tier rules",
        description="First match decides the tier of a message.",
    )
    pin_rules: tuple[PinRule, ...] = Field(
        default=DEFAULT_PIN_RULES, title="Pin rules", description="Groups that may not be trimmed."
    )
    ttl_rules: tuple[TtlRule, ...] = Field(
        default=DEFAULT_TTL_RULES,
        title="Time-to-live rules",
        description="First match decides how long a tool's result lives: seconds of recorded time, until_invalidated or none.",
    )

    @field_validator("reliability")
    @classmethod
    def _complete(cls, given: dict[str, float]) -> dict[str, float]:
        """A table that names some kinds changes those only: a missing kind must not mean no trust at all."""
        return {**DEFAULT_RELIABILITY, **given}

    @field_validator("section_order", mode="before")
    @classmethod
    def _listed(cls, given: object) -> object:
        """A command line gives the names in one text, with commas."""
        return [name.strip() for name in given.split(",")] if isinstance(given, str) else given

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        total = sum(self.quotas.values())
        if total > 1 + 1e-9:
            raise ValueError(f"quota_global: the four quotas add up to {total:.2f} of C; they may not pass 1.00")
        if self.available() <= 0:
            raise ValueError(
                f"window: W = {self.window:,} leaves nothing after the reserves"
                f" (O {self.output_tokens:,}, S {self.system_overhead:,}, B {self.safety_tokens:,})"
            )
        if sorted(self.section_order) != sorted(SECTIONS):
            given = ", ".join(self.section_order) or "nothing"
            raise ValueError(f"section_order: it has to hold each of {', '.join(SECTIONS)} once, not {given}")
        for source, value in self.reliability.items():
            if source not in DEFAULT_RELIABILITY:
                kinds = ", ".join(DEFAULT_RELIABILITY)
                raise ValueError(f"reliability: there is no kind of source {source!r}; there are {kinds}")
            if not 0 <= value <= 1:
                raise ValueError(f"reliability: {source} is {value}; it must lie between 0 and 1")
        return self

    @property
    def quotas(self) -> dict[TierName, float]:
        """Shares of C by tier."""
        return {tier: getattr(self, f"quota_{tier}") for tier in TIERS}

    @property
    def output_tokens(self) -> int:
        return round(self.output_reserve * self.window)

    @property
    def safety_tokens(self) -> int:
        return round(self.safety_buffer * self.window)

    def available(self, system: int | None = None) -> int:
        """C = W - O - S - B, in tokens; `system` replaces S where it was measured."""
        overhead = self.system_overhead if system is None else system
        return self.window - self.output_tokens - overhead - self.safety_tokens

    def with_values(self, **values: object) -> Profile:
        """A copy with the named fields changed. Raises ProfileError naming the first bad field."""
        return make_profile(**{**{n: getattr(self, n) for n in type(self).model_fields}, **values})

    def changed(self, base: Profile | None = None) -> dict[str, object]:
        """Fields whose value differs from `base` (the defaults where None), without the name."""
        base = base or Profile()
        return {
            n: getattr(self, n) for n in type(self).model_fields if n != "name" and getattr(self, n) != getattr(base, n)
        }


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """What a slider, a `--set` option or a row of the docs needs to know about one field."""

    name: str
    title: str
    help: str
    unit: str
    group: GroupName
    kind: Literal["int", "float", "bool", "choice"]
    default: int | float | bool | str
    low: float
    high: float
    step: float
    choices: tuple[str, ...]
    used: bool
    """False where no replay reads the value yet; such fields are kept, but not shown as sliders."""


def field_specs() -> tuple[FieldSpec, ...]:
    """All scalar fields in declaration order (without `name` and the rule tables)."""
    specs = (_spec(name, info) for name, info in Profile.model_fields.items())
    return tuple(spec for spec in specs if spec is not None)


def _spec(name: str, info: FieldInfo) -> FieldSpec | None:
    extra = info.json_schema_extra
    if not isinstance(extra, dict) or "unit" not in extra:
        return None
    choices = tuple(str(c) for c in get_args(info.annotation) if isinstance(c, str))
    kind: Literal["int", "float", "bool", "choice"]
    if choices:
        kind = "choice"
    elif info.annotation is bool:
        kind = "bool"
    else:
        kind = "int" if info.annotation is int else "float"
    bounds = {type(m).__name__: m for m in info.metadata}
    low = float(getattr(bounds.get("Ge"), "ge", 0))
    high = float(getattr(bounds.get("Le"), "le", 1))
    return FieldSpec(
        name=name,
        title=info.title or name,
        help=info.description or "",
        unit=str(extra["unit"]),
        group=extra["group"],  # type: ignore[arg-type]  # declared through GroupName above
        kind=kind,
        default=info.default,
        low=low,
        high=high,
        step=float(extra.get("step") or 1),  # type: ignore[arg-type]
        choices=choices,
        used=bool(extra.get("used", True)),
    )


def make_profile(**values: Any) -> Profile:
    """A Profile, or a ProfileError whose sentence names the field, its value and what is allowed."""
    try:
        return Profile(**values)
    except ValidationError as error:
        raise _profile_error(error) from None


def _profile_error(error: ValidationError) -> ProfileError:
    first = error.errors()[0]
    if not first["loc"]:
        message = str(first["msg"]).removeprefix("Value error, ")
        return ProfileError(message, field=message.split(":", 1)[0])
    name = str(first["loc"][0])
    where = _where(first["loc"])
    if first["type"] == "extra_forbidden":
        return ProfileError(f"{where}: there is no such field in a profile", field=name)
    # A field that takes several kinds of value has an error for each of them.
    wanted = dict.fromkeys(e["msg"] for e in error.errors() if _where(e["loc"]) == where)
    said = " or ".join(message.removeprefix("Input should be ") for message in wanted)
    said = f"input should be {said}" if first["msg"].startswith("Input") else f"{said[0].lower()}{said[1:]}"
    return ProfileError(f"{where}: {said}, not {first['input']!r}", field=name)


def _where(location: tuple[int | str, ...]) -> str:
    """The place of an error as people write it, without the names of the kinds of value that were tried."""
    return ".".join(str(part) for part in location if not _KIND.fullmatch(str(part)))
