"""A plan made by hand, replayed: what of it still holds at its call, for the bulk replay and the stepped loop alike."""

from __future__ import annotations

from dataclasses import replace

from ravenglass.curator.loop import Answer, Deliberation
from ravenglass.curator.plan import Author
from ravenglass.curator.policies.manual import ManualPolicy
from ravenglass.hub.item import State
from ravenglass.replay.stepping.changes import HandPlan
from ravenglass.scheduler.packing import Decision
from ravenglass.scheduler.view import View


def sound(made: HandPlan, view: View, decision: Decision) -> HandPlan:
    """The plan without what cannot be archived at the call: under another profile a group may be pinned, protected,
    active, or archived already by then. What is left is never rejected."""
    group_of = view.features.session.structure.group_of
    inside = {group_of[m] for m in made.include} | decision.exempt.forms.keys()

    def fits(g: int) -> bool:
        idle = view.live.states[g] in (State.STANDBY, State.EXPIRED)
        return g < view.known and g not in inside and idle and not view.is_pinned(g)

    return replace(made, archive=frozenset(m for m in made.archive if fits(group_of[m])))


class HandPolicy:
    """Answers as the person did who made the plan."""

    name: Author = "manual"

    def __init__(self, made: HandPlan) -> None:
        self._made = made

    def answer(self, so_far: Deliberation) -> Answer:
        """The whole plan in one answer."""
        person = ManualPolicy()
        person.submit(sound(self._made, so_far.desk.view, so_far.desk.decision).submission())
        return person.answer(so_far)
