"""The scheduler's decision at one call: who is a candidate, how they rank, who fits the quotas, who is archived.

It proposes; the curator's assembler decides. Pure: the same view gives the same decision.
"""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.hub.item import Form, State
from ravenglass.rules import TIERS, TierName
from ravenglass.scheduler.exempt import Exempt, exemptions
from ravenglass.scheduler.scoring import Scores, scores
from ravenglass.scheduler.view import View

PACKING_ORDER: tuple[TierName, ...] = ("global", "task", "session", "atomic")
"""Borrowing lends in this order: task to session to atomic, never to global."""


_STANDBY, _EXPIRED, _ARCHIVED = int(State.STANDBY), int(State.EXPIRED), int(State.ARCHIVED)


@dataclass(frozen=True, slots=True)
class TierCut:
    """How a tier was packed, in tokens and 1-based ranks. `cut_rank` is the first rank that did not fit."""

    quota: int
    """Share of the trim target, with what was borrowed."""
    exempt: int
    used: int
    ranked: int
    cut_rank: int | None
    cut_score: float | None
    left_at_cut: int
    needed_at_cut: int


@dataclass(frozen=True, slots=True)
class Decision:
    """Result of the scheduler. Groups by index, ascending where a tuple."""

    scores: Scores
    exempt: Exempt
    include: dict[int, Form]
    """Everything proposed for the window, exempt groups included."""
    ranks: dict[int, int]
    rooms: dict[int, int]
    """Tokens that were left for a ranked group when its turn came: of its tier's share, and of the target."""
    needs: dict[int, int]
    """Tokens that a ranked group needed at that moment, in the form it would have taken."""
    cuts: dict[TierName, TierCut]
    archive: dict[int, str]
    """Group -> why it is archived."""
    with_working_state: bool


def schedule(view: View) -> Decision:
    """Score, rank and pack what a call may have in its window."""
    scored = scores(view)
    exempt = exemptions(view)
    include = dict(exempt.forms)
    tier = view.standing.tier
    used = dict.fromkeys(TIERS, 0)
    for g, form in exempt.forms.items():
        used[tier[g]] += view.tokens(g, form)
    with_working_state = 0 < view.working_state_tokens <= view.budget.quotas["session"]
    if with_working_state:
        used["session"] += view.working_state_tokens
    exempt_use = dict(used)
    candidates = view.open_groups()
    scored.rate(candidates)
    groups: list[int] = candidates.tolist()
    ranked = _ranked(view, groups, exempt, scored)
    ranks: dict[int, int] = {}
    rooms: dict[int, int] = {}
    needs: dict[int, int] = {}
    cuts: dict[TierName, TierCut] = {}
    total_left = view.budget.target - sum(used.values())
    lent = 0
    for name in PACKING_ORDER:
        quota = round(view.profile.quotas[name] * view.budget.target) + (lent if name != "global" else 0)
        left = quota - used[name]
        cut: tuple[int, float, int, int] | None = None
        for rank, g in enumerate(ranked[name], start=1):
            ranks[g] = rank
            form, need = view.base(g)
            needs[g] = need
            room = rooms[g] = max(0, min(left, total_left))
            if need <= room:
                include[g] = form
                left -= need
                total_left -= need
                used[name] += need
            elif cut is None:
                cut = (rank, scored.total[g], room, need)
        cuts[name] = TierCut(
            quota, exempt_use[name], used[name], len(ranked[name]), *(cut or (None, None, max(left, 0), 0))
        )
        if view.profile.quota_borrowing and name in ("task", "session"):
            lent = max(left, 0)
    archive = _archive(view, groups, include, scored)
    return Decision(scored, exempt, include, ranks, rooms, needs, cuts, archive, with_working_state)


def _ranked(view: View, groups: list[int], exempt: Exempt, scored: Scores) -> dict[TierName, list[int]]:
    """Candidates by tier, best score first, newer first among equals."""
    states, forms, tier, whole = view.live.states, view.live.forms, view.standing.tier, view.hand.whole
    relevance, total, kept = scored.relevance, scored.total, exempt.forms
    found: dict[TierName, list[tuple[float, int]]] = {name: [] for name in TIERS}
    for g in groups:
        state = states[g]
        if g in kept or state in (_EXPIRED, _ARCHIVED):
            continue
        # A standby group is a candidate when it shares an entity with the intent, or is a look-up's stub in place.
        if state == _STANDBY and not (relevance[g] > 0 or g in whole or (forms[g] and tier[g] == "atomic")):
            continue
        found[tier[g]].append((-total[g], -g))
    return {name: [-g for _, g in sorted(found[name])] for name in TIERS}


def _archive(view: View, groups: list[int], include: dict[int, Form], scored: Scores) -> dict[int, str]:
    """Groups that leave standby or expired for the archive. What is cut at this very call stays on standby."""
    found: dict[int, str] = {}
    profile = view.profile
    for g in groups:
        state = view.live.states[g]
        if (state != _STANDBY and state != _EXPIRED) or g in include or view.is_pinned(g):
            continue
        if state == _EXPIRED:
            end = view.standing.expired.get(g)
            found[g] = "its content is outdated" if end is None or end.outdated else end.reason
            continue
        unused = view.call - view.live.out_since[g] if not view.live.forms[g] else 0
        if scored.total[g] < profile.archive_below:
            found[g] = f"its score {scored.total[g]:.2f} is below {profile.archive_below:.2f}"
        elif unused >= profile.standby_calls:
            found[g] = f"unused for {unused} calls"
    return found
