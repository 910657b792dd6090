"""Manifest rows at a call, and the query that filters and sorts them. Texts are cut once per session."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ravenglass.hub.item import Form, State
from ravenglass.hub.registry.addressing import message_address
from ravenglass.replay.frame import ManifestRow
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Moment
from ravenglass.rules import TIERS
from ravenglass.scheduler.intent.entities import keywords
from ravenglass.sessions.model.session import Message
from ravenglass.trace import Json

_KEYWORD_CHARS = 20_000
_MOST_LOWERED = 64 << 20
"""Characters of lower-case text kept so that typing in the filter stays fast."""


def squeeze(text: str, limit: int) -> str:
    """The text on one line, at most `limit` characters; "…" at the end exactly where something is missing."""
    head = text[: limit * 4]
    line = " ".join(head.split())
    if len(line) <= limit and len(head) < len(text):
        line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def gist(message: Message) -> str:
    """What stands for a message in one line: its text, else its calls, else its thinking."""
    if message.text.strip():
        return message.text
    if message.tool_calls:
        return "; ".join(f"{call.name} {call.arguments[:200]}" for call in message.tool_calls)
    return message.thinking


def manifest_item(row: ManifestRow) -> Json:
    """A manifest row in the layout of the reference implementation, with our own fields behind it."""
    return {
        "id": row.id, "role": row.role, "ts": row.ts, "tokens": row.tokens, "turn_id": row.turn, "call": row.call,
        "group_id": row.group, "snippet": row.snippet, "summary": row.summary, "keywords": list(row.keywords),
        "relevance": round(row.relevance, 4), "protected": row.protected, "pinned": row.pinned,
        "archived": row.archived, "archive_ref": row.archive_ref, "address": row.address, "tier": row.tier,
        "state": row.state.label, "score": round(row.score, 4), "recency": round(row.recency, 4),
        "reliability": row.reliability,
    }  # fmt: skip


class Manifest:
    """Rows of one run. Static texts are remembered, at most a few thousand."""

    _KEPT = 20_000

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._texts: OrderedDict[int, tuple[str, str, str]] = OrderedDict()
        self._lowered: dict[int, str] = {}
        self._lowered_chars = 0

    def _static(self, m: int) -> tuple[str, str, str]:
        known = self._texts.get(m)
        if known is None:
            message, profile = self._inputs.session.messages[m], self._inputs.profile
            text = gist(message)
            known = (
                squeeze(text, profile.snippet_chars),
                squeeze(text, profile.summary_chars),
                str(message_address(self._inputs.session, m)),
            )
            self._texts[m] = known
            while len(self._texts) > self._KEPT:
                self._texts.popitem(last=False)
        return known

    def _keywords(self, m: int) -> tuple[str, ...]:
        text = gist(self._inputs.session.messages[m])
        return keywords(text, self._inputs.profile.keyword_count, max_chars=_KEYWORD_CHARS)

    def _search_text(self, m: int) -> str:
        """Everything of a message that a filter looks at, lower-case; remembered up to some megabytes."""
        known = self._lowered.get(m)
        if known is None:
            known = _search_text(self._inputs.session.messages[m])
            if self._lowered_chars + len(known) <= _MOST_LOWERED:
                self._lowered[m] = known
                self._lowered_chars += len(known)
        return known

    def row(self, moment: Moment, m: int, archive_ref: str | None) -> ManifestRow:
        """The row of message m right after a call."""
        inputs, view = self._inputs, moment.view
        message = inputs.session.messages[m]
        g = inputs.session.structure.group_of[m]
        state, form = State(moment.live.states[g]), Form(moment.live.forms[g])
        snippet, summary, address = self._static(m)
        scores = moment.scores
        if view.leaves_out(g, m):
            form = Form.OUT
        included = form is not Form.OUT
        changed = g in moment.changed
        return ManifestRow(
            id=m, role=message.role, ts=message.ts, tokens=inputs.sizes.full[m], turn=inputs.features.groups[g].turn,
            call=inputs.features.groups[g].call, group=g, snippet=snippet, summary=summary,
            keywords_of=partial(self._keywords, m),
            relevance=scores.relevance[g], recency=scores.recency[g], reliability=scores.reliability[g],
            score=scores.total[g], protected=g in view.protected, pinned=view.is_pinned(g),
            archived=state is State.ARCHIVED, archive_ref=archive_ref, address=address, tier=inputs.standing.tier[g],
            state=state, form=form, included=included, changed=changed,
            tool=message.tool_name or ", ".join(c.name for c in message.tool_calls), source=inputs.features.sources[g],
            flags=self._flags(moment, m, g, state, form),
        )  # fmt: skip

    def _flags(self, moment: Moment, m: int, g: int, state: State, form: Form) -> frozenset[str]:
        inputs, message = self._inputs, self._inputs.session.messages[m]
        group = inputs.features.groups[g]
        changed = form not in (Form.OUT, Form.FULL) and not self._verbatim(moment, m, g, form)
        found = {
            "protected": g in moment.view.protected,
            "pinned": moment.view.is_pinned(g),
            "archived": state is State.ARCHIVED,
            "expired": state is State.EXPIRED,
            "included": form is not Form.OUT,
            "changed": g in moment.changed,
            "stub": changed and form is not Form.UPDATED,
            "updated": changed and form is Form.UPDATED,
            "orphan": group.orphan,
            "unanswered": bool(group.unanswered) and m == group.messages[0],
            "error": message.is_error,
        }
        return frozenset(name for name, holds in found.items() if holds)

    def _verbatim(self, moment: Moment, m: int, g: int, form: Form) -> bool:
        inputs = self._inputs
        shown = inputs.sizes.shown(
            moment.view.group(g), form, inputs.profile.offload_tokens, moment.live.caps.get(g, 0)
        )
        return shown[m].verbatim if m in shown else form is not Form.SHRUNK

    def query(self, moment: Moment, text: str, sort: str, descending: bool) -> list[int]:
        """Ids of the known messages that match, in the order of a column. Raises FilterError."""
        inputs = self._inputs
        count = inputs.features.boundary(moment.call)
        ids = list(range(count))
        if text.strip():
            from ravenglass.replay.filter.parser import parse_filter

            wanted = parse_filter(text)
            ids = [m for m in ids if wanted.matches(self._filter_row(moment, m))]
        key = self._sort_key(moment, sort)
        if key is not None:
            ids.sort(key=key, reverse=descending)
        elif descending:
            ids.reverse()
        return ids

    def _sort_key(self, moment: Moment, sort: str) -> Callable[[int], Any] | None:
        inputs = self._inputs
        group_of = inputs.session.structure.group_of
        tier_rank = {tier: i for i, tier in enumerate(TIERS)}
        keys: dict[str, Callable[[int], Any]] = {
            "call": lambda m: inputs.features.groups[group_of[m]].call,
            "turn": lambda m: inputs.features.groups[group_of[m]].turn,
            "role": lambda m: (inputs.session.messages[m].role, inputs.session.messages[m].tool_name or ""),
            "tier": lambda m: tier_rank[inputs.standing.tier[group_of[m]]],
            "state": lambda m: (moment.live.states[group_of[m]], not moment.live.forms[group_of[m]]),
            "tokens": lambda m: inputs.sizes.full[m],
            "score": lambda m: moment.scores.total[group_of[m]],
            "flags": lambda m: len(self._filter_row(moment, m).flags),
            "snippet": lambda m: self._static(m)[0].casefold(),
        }
        return keys.get(sort)

    def _filter_row(self, moment: Moment, m: int) -> _FilterRow:
        inputs = self._inputs
        message = inputs.session.messages[m]
        g = inputs.session.structure.group_of[m]
        state, form = State(moment.live.states[g]), Form(moment.live.forms[g])
        if moment.view.leaves_out(g, m):
            form = Form.OUT
        return _FilterRow(
            m, inputs.features.groups[g].call, inputs.features.groups[g].turn, message.role, inputs.standing.tier[g],
            state.label, inputs.sizes.full[m], moment.scores.total[g], self._flags(moment, m, g, state, form),
            message.tool_name or ", ".join(c.name for c in message.tool_calls),
            partial(self._search_text, m),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _FilterRow:
    """What a filter looks at."""

    id: int
    call: int
    turn: int
    role: str
    tier: str
    state: str
    tokens: int
    score: float | None
    flags: frozenset[str]
    tool: str
    text: Callable[[], str]


def _search_text(message: Message) -> str:
    parts = [message.text, message.thinking, *(f"{c.name} {c.arguments}" for c in message.tool_calls)]
    return "\n".join(parts).lower()
