"""Sentences about a plan by hand: its running total, and what the assembler said of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ravenglass.replay.vocabulary import Assembled, Budget, ManualPolicy
from ravenglass.sessions.model.session import Group
from ravenglass_gui.text.numbers import amount

_NAMED = 6


def total(assembled: Assembled, budget: Budget) -> str:
    """`61,200 of 93,000 tokens · trim target 41,850`, and how much is over."""
    verdict = assembled.verdict
    over = f" (over by {assembled.asked - verdict.budget:,})" if assembled.asked > verdict.budget else ""
    return f"{assembled.asked:,} of {verdict.budget:,} tokens{over} · trim target {budget.target:,}"


def consequence(assembled: Assembled) -> str:
    """What the assembler would do beside taking what is ticked; empty where nothing."""
    said = []
    if assembled.dropped:
        said.append(f"{amount(len(assembled.dropped), 'group')} would be dropped, lowest score first")
    if assembled.shrunk:
        said.append(f"{amount(len(assembled.shrunk), 'group')} would be cut")
    if assembled.summary is not None:
        said.append("a summary would stand for what is out")
    return ("The assembler makes it fit: " + ", ".join(said) + ".") if said else ""


def accepted(assembled: Assembled, groups: Sequence[Group], refusals: Sequence[str]) -> str:
    """The verdict on a plan that was taken."""
    verdict = assembled.verdict
    count = amount(sum(len(groups[g].messages) for g in assembled.placed), "message")
    said = [f"Accepted: {count}, {verdict.tokens:,} of {verdict.budget:,} tokens."]
    if assembled.dropped:
        said.append(f"Dropped to fit the budget, lowest score first: {_named(assembled.dropped, groups)}.")
    if assembled.archive:
        said.append(f"Archived: {_named(assembled.archive, groups)}.")
    said += [_sentence(text) for text in (*verdict.warnings, *refusals)]
    said.append("From here on this is a branch; Ctrl+Z goes back to the run before.")
    return " ".join(said)


def rejected(policy: ManualPolicy) -> str:
    """The verdict on a plan that came back."""
    rejection = policy.rejection
    reasons = rejection.reasons if rejection is not None else policy.refusals
    return " ".join(("Rejected:", *map(_sentence, reasons), "Change the ticks and submit again."))


def _named(found: Iterable[int], groups: Sequence[Group]) -> str:
    first = [groups[g].messages[0] for g in found]
    more = f" and {len(first) - _NAMED:,} more" if len(first) > _NAMED else ""
    return ", ".join(f"#{m}" for m in first[:_NAMED]) + more


def _sentence(text: str) -> str:
    text = text.strip().rstrip(".")
    return f"{text[:1].upper()}{text[1:]}." if text else ""
