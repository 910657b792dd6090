"""Plans over budget: a model hears by how much, while it can still mend its plan; after that the assembler trims."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ravenglass.curator.desk import Desk
from ravenglass.curator.plan import Assembled

_NAMED: Final = 5
"""Groups that the sentence names."""


def over_budget(desk: Desk, assembled: Assembled) -> str:
    """By how much a model's plan is over budget, as a sentence without its full stop; empty where it fits, or where
    what has to stay is too much already, so that no plan could mend it.

    A plan by hand, and one of a log, are trimmed as they are: nobody is there to be asked again.
    """
    budget, view = assembled.verdict.budget, desk.view
    exempt = desk.decision.exempt.forms
    stays = sum(view.tokens(g, form) for g, form in exempt.items())
    if desk.author != "model" or assembled.asked <= budget or stays > budget:
        return ""
    named = sorted(
        {*assembled.placed, *assembled.dropped} - exempt.keys(),
        key=lambda g: (-view.tokens(g, view.base_form(g, keep_whole=False)), g),
    )
    large = ", ".join(
        f"#{view.group(g).messages[0]} ({view.tokens(g, view.base_form(g, keep_whole=False)):,})"
        for g in named[:_NAMED]
    )
    return (
        f"the plan needs {assembled.asked:,} tokens, {assembled.asked - budget:,} over the budget of {budget:,}; what"
        f" has to stay takes {stays:,} of it, and the largest of the rest are {large or 'none'}"
    )


def with_warning(assembled: Assembled, said: str) -> Assembled:
    """The trimmed window, whose verdict says that and why it was trimmed."""
    verdict = assembled.verdict
    left = len(assembled.dropped)
    told = f"{said}: {left:,} group{'s were' if left != 1 else ' was'} left out, the lowest scores first"
    return replace(assembled, verdict=replace(verdict, warnings=(told, *verdict.warnings)))
