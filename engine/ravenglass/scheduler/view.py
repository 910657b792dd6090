"""What one decision may look at: a session up to one call, its standing, its state, its budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ravenglass.hub.item import Form, State
from ravenglass.hub.live import Live
from ravenglass.hub.sizes import Sizes
from ravenglass.profile import Profile
from ravenglass.scheduler.budget import Budget
from ravenglass.scheduler.features import Features
from ravenglass.scheduler.last_resort import Summarizer
from ravenglass.scheduler.standing import Standing
from ravenglass.sessions.model.session import Group


@dataclass(frozen=True, slots=True)
class ByHand:
    """What a person changed up to a call, by group."""

    pins: frozenset[int] = frozenset()
    unpins: frozenset[int] = frozenset()
    protects: frozenset[int] = frozenset()
    unprotects: frozenset[int] = frozenset()
    relevance: dict[int, float] = field(default_factory=dict)
    whole: frozenset[int] = frozenset()
    """Groups retrieved: they come back whole, and are not offloaded again."""
    now: frozenset[int] = frozenset()
    """Groups retrieved at this very call: who asked for them must see them come."""
    archived: frozenset[int] = frozenset()
    """Groups archived, and not taken back since: a person wants them out."""


NOTHING_BY_HAND: Final = ByHand()


@dataclass(frozen=True)
class View:
    """Read-only to those who decide. Groups known at the call are 0..known-1."""

    features: Features
    sizes: Sizes
    standing: Standing
    profile: Profile
    budget: Budget
    live: Live
    call: int
    goals: tuple[str, ...] = ()
    working_state_tokens: int = 0
    """What injecting the current working state would cost."""
    hand: ByHand = NOTHING_BY_HAND
    summarizer: Summarizer | None = None
    """Who writes a summary when nothing else helps; None where none is wanted."""

    @property
    def known(self) -> int:
        return self.features.known[self.call]

    def open_groups(self) -> NDArray[np.int64]:
        """Known groups, ascending, that the call can still have in its window by itself: all but those that were
        archived and are out, and those that are never sent."""
        known = self.known
        states = np.frombuffer(self.live.states, dtype=np.uint8, count=known)
        forms = np.frombuffer(self.live.forms, dtype=np.uint8, count=known)
        return np.flatnonzero(((states != State.ARCHIVED) | (forms != Form.OUT)) & self.features.sent[:known])

    def group(self, index: int) -> Group:
        """The group as this call sees it: results that arrive later are still missing."""
        whole = self.features.groups[index]
        if self.features.ready[index] <= self.call:
            return whole
        return visible(self.features, whole, self.call)

    def tokens(self, index: int, form: Form, cap: int = 0) -> int:
        """Tokens of a group in a form at this call."""
        if form is Form.UPDATED and not cap:
            cap = self.edits(index)
        if self.features.ready[index] <= self.call:
            if form is Form.FULL:
                return self.standing.full[index]
            if not cap and (form is Form.STUB or form is Form.OFFLOADED):
                return self.sizes.shortened(index, form, self.profile.offload_tokens)
        return self.sizes.tokens(self.group(index), form, self.profile.offload_tokens, cap)

    def placed_tokens(self, index: int) -> int:
        """Tokens of a group as it stands in the window now; 0 if it is out."""
        return self.tokens(index, Form(self.live.forms[index]), self.live.caps.get(index, 0))

    def placed_messages(self, index: int) -> int:
        """Messages of a group that stand in the window now, also those without a token; 0 if it is out."""
        form = Form(self.live.forms[index])
        if form is not Form.SHRUNK:
            return len(self.group(index).messages) if form else 0
        cap = self.live.caps.get(index, 0)
        return len(self.sizes.shown(self.group(index), form, self.profile.offload_tokens, cap))

    def leaves_out(self, index: int, message: int) -> bool:
        """Whether a group stands in the window with fewer calls than it has, and the message is a result of one of
        those that are left out."""
        if Form(self.live.forms[index]) is not Form.SHRUNK:
            return False
        cap = self.live.caps.get(index, 0)
        return message not in self.sizes.shown(self.group(index), Form.SHRUNK, self.profile.offload_tokens, cap)

    def is_pinned(self, index: int) -> bool:
        if index in self.hand.unpins or not self.sent(index):
            return False
        if index in self.hand.pins:
            return True
        pin = self.standing.pins.get(index)
        return pin is not None and pin.moved_to >= self.known

    @cached_property
    def protected(self) -> frozenset[int]:
        """Known groups of the session's head and those protected by hand, without those unprotected by hand."""
        found = (self.standing.protected | self.hand.protects) - self.hand.unprotects
        return frozenset(g for g in found if g < self.known and self.sent(g))

    def sent(self, index: int) -> bool:
        """Whether a window may hold the group at all (`Group.unsent`)."""
        return not self.features.groups[index].unsent

    @cached_property
    def newest(self) -> int | None:
        """The latest known group that a window may hold; None before any."""
        return next((g for g in range(self.known - 1, -1, -1) if self.sent(g)), None)

    def must_keep(self) -> frozenset[int]:
        """The current user message, the newest group, and a group whose results no call has seen yet."""
        kept = {g for g in (self.standing.prompt_at[self.call], self.standing.user_at[self.call]) if g is not None}
        known = self.known
        if self.newest is not None:
            kept.add(self.newest)
        before = self.features.known[self.call - 1]
        for g in range(known - 1, before - 1, -1):
            if len(self.features.groups[g].messages) > 1 and self.sent(g):
                kept.add(g)
                break
        kept.update(g for g in self.hand.now if g < known and self.sent(g))
        # Results that came late belong to an older group; they too have not been seen by any call.
        kept.update(g for g in self.standing.growths.get(self.call, ()) if self.live.forms[g])
        return frozenset(kept)

    @cached_property
    def _edited(self) -> Mapping[int, tuple[int, ...]]:
        return self.sizes.edited.groups if self.profile.edited_files else {}

    def edits(self, index: int) -> int:
        """What an UPDATED group remembers (`Edited.cap`): the edits that this call knows of; 0 where there are none."""
        if index not in self._edited:
            return 0
        old = self.call - self.features.groups[index].call > self.profile.offload_after
        return self.sizes.edited.cap(index, self.features.boundary(self.call), offloaded=old)

    def base(self, index: int) -> tuple[Form, int]:
        """The form a group takes when the slow path lets it in, and its tokens in it."""
        if self.features.ready[index] > self.call or index in self._edited:
            form = self.base_form(index, keep_whole=False)
            return form, self.tokens(index, form)
        full, standing = self.standing.full[index], self.standing
        form = Form.FULL
        if index in self.hand.whole:
            return form, full
        if standing.tier[index] == "atomic" and standing.released_at[index] <= self.call:
            form = Form.STUB
        elif self.call - self.features.groups[index].call > self.profile.offload_after:
            form = Form.OFFLOADED
        if form is Form.FULL:
            return form, full
        less = self.sizes.shortened(index, form, self.profile.offload_tokens)
        return (form, less) if less < full else (Form.FULL, full)

    def base_form(self, index: int, keep_whole: bool) -> Form:
        """The form a group takes when the slow path lets it in."""
        if keep_whole or index in self.hand.whole:
            return Form.FULL
        if self.standing.tier[index] == "atomic" and self.standing.released_at[index] <= self.call:
            return self._if_smaller(index, Form.STUB)
        return Form.UPDATED if self.edits(index) else self.offload_form(index)

    def offload_form(self, index: int) -> Form:
        """OFFLOADED once the group is older than `offload_after` calls and has a result large enough."""
        age = self.call - self.features.groups[index].call
        return self._if_smaller(index, Form.OFFLOADED) if age > self.profile.offload_after else Form.FULL

    def _if_smaller(self, index: int, form: Form) -> Form:
        """The form, or FULL where it would change nothing: an equal text must not look like a rewrite."""
        return form if self.tokens(index, form) < self.tokens(index, Form.FULL) else Form.FULL

    def state(self, index: int) -> State:
        return State(self.live.states[index])


def visible(features: Features, group: Group, call: int) -> Group:
    """The part of a group that a call sees; calls without a result so far count as unanswered."""
    boundary = features.boundary(call)
    messages = tuple(m for m in group.messages if m < boundary)
    answers = Counter(features.session.messages[m].tool_call_id for m in messages)
    unanswered = []
    # A result may stand before its call, so the call's message need not be the first.
    for tool_call in (c for m in messages for c in features.session.messages[m].tool_calls):
        if answers[tool_call.id] > 0:
            answers[tool_call.id] -= 1
        else:
            unanswered.append(tool_call.id)
    return replace(group, messages=messages, unanswered=tuple(unanswered))
