"""Who is exempt from the cut: the current request, the newest group, pins, and the head of the session."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.hub.item import Form, State
from ravenglass.scheduler.view import View


@dataclass(frozen=True, slots=True)
class Exempt:
    """`forms` holds every exempt group with the form it takes. `released` are protected or pinned groups that
    the cap made droppable, largest first; they compete by score like any other."""

    must: frozenset[int]
    pinned: frozenset[int]
    protected: frozenset[int]
    forms: dict[int, Form]
    released: tuple[int, ...]
    protected_tokens: int
    """Of all protected and pinned groups, before the cap."""
    cap: int

    @property
    def overflow(self) -> bool:
        return bool(self.released)


def exemptions(view: View) -> Exempt:
    """The exempt groups at a call.

    Where they would leave nothing of the trim target at full size, the protected ones are offloaded first: that is
    reversible. What is over the cap even so loses its exemption, protected groups before pinned, largest first.
    """
    known = view.known
    must = view.must_keep()
    pinned = {g for g in (*view.standing.pins, *view.hand.pins) if g < known and view.is_pinned(g)}
    # What a person archived, or what was archived while it was over the cap, does not come back by itself.
    archived = {g for g in view.protected if view.live.states[g] == State.ARCHIVED}
    protected = view.protected - pinned - archived
    cap = round(view.profile.protected_cap * view.budget.available)
    whole = {g: view.tokens(g, Form.FULL) for g in pinned | protected | must}
    form = dict.fromkeys(sorted(whole), Form.FULL)
    for g in (pinned | protected) - must - view.hand.whole:
        if view.edits(g):
            form[g] = Form.UPDATED
    if sum(whole.values()) >= view.budget.target:
        for g in protected - must - view.standing.instructions:
            form[g] = form[g] if form[g] is Form.UPDATED else view.offload_form(g)
    size = {g: view.tokens(g, form[g]) for g in pinned | protected}
    total = sum(size.values())
    kept = total
    released: list[int] = []
    for candidates in (
        protected - view.standing.instructions,
        pinned,
        protected & view.standing.instructions,
    ):
        for g in sorted(candidates, key=lambda g: (-size[g], g)):
            if kept <= cap:
                break
            kept -= size[g]
            released.append(g)
    # A released group that is the current request or the newest group stays in all the same.
    pinned -= set(released)
    protected -= set(released)
    forms = {g: form[g] for g in sorted(pinned | protected | must)}
    return Exempt(must, frozenset(pinned), frozenset(protected), forms, tuple(released), total, cap)
