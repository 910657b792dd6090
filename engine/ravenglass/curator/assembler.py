"""The assembler decides: it closes a plan over groups, adds what may not be missing, and makes it fit the budget.

Its window is always valid for a provider and never over C, whatever the plan says: whole groups are trimmed,
unprotected ones by ascending score, then protected, then pinned; the current user message and the newest group
are never dropped, a group too large for what is left is shrunk. Where eviction was not enough, a summary stands for
what is out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from ravenglass.curator.plan import Assembled, Placed, Plan, Verdict
from ravenglass.curator.working_state.state import WorkingState, render
from ravenglass.hub.item import Form, State
from ravenglass.hub.summary import Summary
from ravenglass.scheduler.dedup import bereft, tell_again
from ravenglass.scheduler.exempt import Exempt
from ravenglass.scheduler.view import View

_NO_FORMS: Final[Mapping[int, Form]] = MappingProxyType({})


def needs_opening(view: View, groups: list[int]) -> bool:
    """True when a window of these groups (ascending) would not start with a user message; one without any history, as
    before an answer that the record begins with, does not either, and could not be sent."""
    standing = view.standing
    first = next((g for g in groups if g not in standing.instructions), None)
    return first is None or first not in standing.users


def opening_tokens(view: View) -> int:
    return view.sizes.opening


def assemble(
    view: View, plan: Plan, exempt: Exempt, scores: Sequence[float], forms: Mapping[int, Form] = _NO_FORMS
) -> Assembled:
    """Validate a plan and build the window from it. `scores` are per known group. `forms`: groups that are proposed
    besides those of the plan's messages, in the form that `View.base` gives them, or as they are exempt."""
    if plan.working_state is not None:
        view = replace(view, working_state_tokens=_state_tokens(view, plan.working_state))
    group_of = view.features.session.structure.group_of
    named = {group_of[m] for m in plan.include} | forms.keys()
    refused = [
        f"message {view.features.groups[g].messages[0]} is not known at call {view.call} yet"
        for g in sorted(named)
        if g >= view.known
    ]
    added = tuple(g for g in exempt.forms if g not in named)

    def fitted(reserve: int) -> _Draft:
        draft = _Draft(view, exempt, scores, plan.with_working_state and view.working_state_tokens > 0, reserve)
        draft.fill(named, forms)
        draft.fit()
        while draft.restore():
            draft.fit()
        return draft

    draft, summary = _summarized(fitted(0), fitted)
    archive = {}
    for g, reason in sorted(plan.archive.items()):
        error = _archive_error(view, draft, g)
        if error:
            refused.append(error)
        else:
            archive[g] = reason
    total = draft.total() - draft.reserve + (summary.tokens if summary is not None else 0)
    draft.warnings += draft.cuts()
    never = view.features.session.structure.never_sent
    passed_over = (view.features.groups[g].messages[0] for g in sorted(named) if g < view.known and not view.sent(g))
    if plan.author != "fail_safe":
        draft.warnings += [f"message {m} is left out: {never[m]}" for m in passed_over]
    errors = list(refused) if plan.author in ("model", "manual", "recorded") else []
    if draft.impossible:
        draft.warnings.insert(
            0,
            "the current user message alone does not fit the budget; it was cut, and the window is marked impossible",
        )
    verdict = Verdict(
        ok=not errors, tokens=total, budget=view.budget.available, errors=tuple(errors),
        warnings=tuple(draft.warnings), impossible=draft.impossible,
    )  # fmt: skip
    groups = sorted(draft.placed)
    return Assembled(
        verdict, {g: draft.placed[g] for g in groups}, needs_opening(view, groups), draft.with_working_state, archive,
        tuple(draft.dropped), tuple(draft.shrunk), added, summary, draft.asked, plan.author, plan.working_state,
        plan.relevance,
    )  # fmt: skip


def _state_tokens(view: View, state: WorkingState) -> int:
    """What injecting a working state would cost."""
    text = render(state)
    return view.sizes.tokenizer.count(text) + view.profile.message_overhead if text else 0


def _summarized(draft: _Draft, fitted: Callable[[int], _Draft]) -> tuple[_Draft, Summary | None]:
    """The last resort: where eviction was not enough, a summary stands for all that is out.

    `fitted(reserve)` makes the window with that many tokens kept free. For the summary unprotected groups may leave and
    a large newest group may be cut further; what has to stay is not touched, rather the summary gets smaller.
    """
    view = draft.view
    if view.summarizer is None or not draft.is_last_resort():
        return draft, None
    room = min(view.profile.summary_tokens, view.budget.quotas["session"] - draft.state_tokens())
    while room > 0:
        told = view.summarizer.summary(view.call, draft.out(), room)
        if told is None or told.tokens >= sum(view.tokens(g, Form.FULL) for g in draft.out()):
            return draft, None
        tighter = fitted(told.tokens)
        room = min(room, told.tokens) // 2
        if tighter.keeps(draft):
            if tighter.out() != draft.out():
                told = view.summarizer.summary(view.call, tighter.out(), told.tokens)
            if told is not None:
                return tighter, told
    return draft, None


def _archive_error(view: View, draft: _Draft, g: int) -> str:
    first = view.features.groups[g].messages[0]
    if view.is_pinned(g):
        return f"message {first} is pinned, so it cannot be archived"
    if g in draft.placed:
        return f"message {first} is in the window, so it cannot be archived"
    if view.live.states[g] not in (State.STANDBY, State.EXPIRED):
        return f"message {first} is {view.state(g).label}; only what is on standby or expired can be archived"
    return ""


@dataclass
class _Draft:
    """A window being made to fit."""

    view: View
    exempt: Exempt
    scores: Sequence[float]
    with_working_state: bool
    reserve: int = 0
    """Tokens kept free for a summary."""
    placed: dict[int, Placed] = field(default_factory=dict)
    first: int | None = None
    """The first group of the history that was placed when it was last looked for."""
    dropped: list[int] = field(default_factory=list)
    shrunk: list[int] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    impossible: bool = False
    pressed: bool = False
    """Everything unprotected left, and that was not enough."""
    used: int = 0
    asked: int = 0
    """Tokens before anything was done to make it fit."""

    def fill(self, named: set[int], forms: Mapping[int, Form]) -> None:
        """Place what a plan names and what is exempt; `forms` as in `assemble`."""
        view, exempt = self.view, self.exempt
        for g in sorted(named):
            if g in exempt.forms:
                continue
            if g in forms:
                self.place(g, forms[g])
            elif g < view.known and view.sent(g):
                self.place(g, view.base_form(g, keep_whole=False))
        for g, form in exempt.forms.items():
            self.place(g, form)
        for g, form, cap in tell_again(view, {g: p.form for g, p in self.placed.items()}, exempt):
            self.place(g, form, cap)
        self.asked = self.total() - self.reserve

    def out(self) -> list[int]:
        """Known groups that are not in the window, though they could be."""
        return [g for g in range(self.view.known) if g not in self.placed and self.view.sent(g)]

    def is_last_resort(self) -> bool:
        """Whether offload and eviction did not reach the budget: what is exempt alone passed C, or a group is out
        that only protection or a pin had kept, because they passed their cap."""
        view = self.view
        pinned = {g for g in (*view.standing.pins, *view.hand.pins) if g < view.known and view.is_pinned(g)}
        return self.pressed or bool((view.protected | pinned) - self.placed.keys() - view.hand.archived)

    def keeps(self, other: _Draft) -> bool:
        """Whether everything stays that may not make room for a summary: exempt groups, working state, request."""
        must = self.exempt.forms.keys() & other.placed.keys()
        request = self._request() & other.placed.keys()
        return (
            must <= self.placed.keys()
            and self.with_working_state == other.with_working_state
            and self.impossible == other.impossible
            and all(self.placed[g] == other.placed[g] for g in request)
        )

    def state_tokens(self) -> int:
        return self.view.working_state_tokens if self.with_working_state else 0

    def restore(self) -> bool:
        """Differences whose first version left or was shortened stand as they would without it. True where there were
        any."""
        forms = {g: placed.form for g, placed in self.placed.items()}
        found = bereft(self.view, forms, (g for g, form in forms.items() if form is Form.REFERENCE))
        for g in found:
            self.place(g, self.view.base_form(g, keep_whole=False))
        return bool(found)

    def place(self, g: int, form: Form, cap: int = 0) -> None:
        if form is Form.UPDATED and not cap:
            cap = self.view.edits(g)
        self.used -= self.placed[g].tokens if g in self.placed else 0
        tokens = self.view.tokens(g, form, cap)
        self.placed[g] = Placed(form, tokens, cap)
        self.used += tokens
        if self.first is not None and g < self.first:
            self.first = None

    def drop(self, g: int) -> None:
        self.used -= self.placed.pop(g).tokens
        self.dropped.append(g)
        if g in self.shrunk:
            self.shrunk.remove(g)

    def total(self) -> int:
        """Tokens of the window: groups, working state, opening mark, what is kept free."""
        extra = self.state_tokens() + self.reserve
        first = self._first_placed()
        if first is None or first not in self.view.standing.users:
            extra += opening_tokens(self.view)
        return self.used + extra

    def _first_placed(self) -> int | None:
        """The first group of the history. Remembered: the whole window would be walked at every drop."""
        if self.first not in self.placed:
            self.first = min(self.placed.keys() - self.view.standing.instructions, default=None)
        return self.first

    def over(self) -> int:
        return self.total() - self.view.budget.available

    def fit(self) -> None:
        """Trim and shrink until the window fits, in the fixed order; each stage stops as soon as it does."""
        if self.over() <= 0:
            return
        exempt = self.exempt
        for g in sorted(set(self.placed) - set(exempt.forms), key=lambda g: (self.scores[g], g)):
            self.drop(g)
            if self.over() <= 0:
                return
        self.pressed = True
        request = self._request()
        newest = exempt.must - request
        self._shrink(newest)
        if self.with_working_state and self.over() > 0:
            self.with_working_state = False
            self.warnings.append("the working state was left out: it does not fit beside the newest group")
        for kind in (exempt.protected, exempt.pinned):
            for g in sorted(kind - exempt.must, key=lambda g: (-self.placed[g].tokens, g)):
                if self.over() > 0:
                    self.drop(g)
        if self.over() <= 0:
            self._regrow(newest)
        else:
            self._last_resort(request)

    def _request(self) -> set[int]:
        """The current request: the latest prompt, and the latest user message of any kind."""
        standing, call = self.view.standing, self.view.call
        return {g for g in (standing.prompt_at[call], standing.user_at[call]) if g is not None}

    def _last_resort(self, request: set[int]) -> None:
        """Nothing but the current request and the newest group is left. A group that no call has seen goes
        before the newest group, the request is cut before it goes, and a window is rather empty than over C."""
        for g in sorted(self.exempt.must - request - {self.view.newest}):
            if self.over() > 0 and g in self.placed:
                self.drop(g)
        if self.over() <= 0:
            return
        alone = max((self.view.tokens(g, Form.FULL) for g in request), default=0)
        self.impossible = alone > self.view.budget.available or not request
        self._shrink(request)
        for g in sorted(self.placed, key=lambda g: (g in request, g)):
            if self.over() > 0:
                self.impossible = True
                self.drop(g)
        self._use_room(request)

    def _use_room(self, request: set[int]) -> None:
        """A request that was cut leaves by its images and texts at once, maybe more than was asked for: what was cut or
        dropped for it before comes back as far as it fits, the newest group first."""
        self._regrow(frozenset(self.placed.keys() - request))
        for g in self.dropped[::-1]:
            form = self.exempt.forms.get(g) or self.view.base_form(g, keep_whole=False)
            self.place(g, form)
            if self.over() <= 0:
                self.dropped.remove(g)
            else:
                self.used -= self.placed.pop(g).tokens

    def _shrink(self, groups: frozenset[int] | set[int]) -> None:
        """Cut the largest of these groups to what is left."""
        for g in sorted(groups & set(self.placed), key=lambda g: (-self.placed[g].tokens, g)):
            over = self.over()
            if over <= 0:
                return
            before = self.placed[g].tokens
            self.place(g, Form.SHRUNK, max(1, before - over))
            after = self.placed[g].tokens
            if after < before:
                self.shrunk.append(g)
            else:
                self.place(g, Form.FULL)

    def _regrow(self, groups: frozenset[int]) -> None:
        """Cut anew what was cut before more was dropped: it may use the room that this left."""
        placed, shrunk, used = dict(self.placed), list(self.shrunk), self.used
        for g in shrunk:
            if g in groups:
                self.place(g, Form.FULL)
                self.shrunk.remove(g)
        self._shrink(groups)
        if self.over() > 0:
            self.placed, self.shrunk, self.used = placed, shrunk, used

    def cuts(self) -> list[str]:
        """A sentence for every group that was cut."""
        view = self.view
        return [
            f"message {view.features.groups[g].messages[0]} was cut from {view.tokens(g, Form.FULL):,}"
            f" to {self.placed[g].tokens:,} tokens to fit"
            for g in self.shrunk
        ]
