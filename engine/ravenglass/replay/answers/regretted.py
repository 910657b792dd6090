"""What Why adds for a message whose absence is a regret: which response needed what of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ravenglass.replay.figures import Regret
from ravenglass.replay.frame import Why

_MOST = 3
"""Regrets told one by one; more are counted."""


def with_regrets(why: Why, regrets: Iterable[Regret]) -> Why:
    """The explanation with what the call's response needed of the message, if that is a regret."""
    found = [regret for regret in regrets if regret.call == why.call and why.message in regret.sources]
    told = [_sentence(regret) for regret in found[:_MOST]]
    if len(found) > _MOST:
        told.append(f"More regrets of it: {len(found) - _MOST:,}.")
    return replace(why, reasons=(*why.reasons, *told)) if told else why


def _sentence(regret: Regret) -> str:
    if regret.kind == "name":
        return f"The response of this call needed {_names(regret)} here: a regret."
    if regret.paid is None:
        return f"The response of this call fetched {regret.what} again, which is {regret.where} here: a regret."
    return f"The response of this call fetched {regret.what} again: paid again, {regret.paid.tokens:,} tokens."


def _names(regret: Regret) -> str:
    if len(regret.names) < 2:
        return f"{regret.what}, which is {regret.where}"
    return f"{regret.needed} of #{regret.message}, which are {regret.where}"
