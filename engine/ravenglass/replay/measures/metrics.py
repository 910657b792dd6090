"""Figures of a whole run, from its log. What makes tuning mean something."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ravenglass.replay.figures import Classes, Injection
from ravenglass.replay.frame import Metrics
from ravenglass.replay.measures.control import control
from ravenglass.replay.measures.losses import Losses
from ravenglass.replay.measures.prices import MILLION, price_of_new
from ravenglass.replay.measures.recorded_needs import recorded_needs
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs

Read = Callable[[int], tuple[int, bool]]
"""Of a call: tokens of its window that are read from the cache, and whether the system overhead is."""


def metrics(inputs: Inputs, log: ChangeLog, losses: Losses, read: Read, injection: Injection) -> Metrics:
    """Metrics of a run. Costs count the input side only: window and system overhead, cached or not."""
    calls = len(log.paths)
    names = Classes.of(one.where for one in log.placed if one.kind == "name")
    fetches = Classes.of(one.where for one in log.placed if one.kind == "fetch_again")
    needs = names + fetches
    sent = sum(log.tokens)
    reads = [read(call) for call in range(1, calls + 1)]
    cached = sum(tokens for tokens, _ in reads)
    return Metrics(
        calls=calls,
        fast=log.paths.count("fast"),
        slow=log.paths.count("slow"),
        fail_safe=log.paths.count("fail_safe"),
        peak_tokens=max(log.tokens, default=0),
        mean_tokens=sent / calls if calls else 0.0,
        evictions=sum(log.evicted.values()),
        archived=sum(len(inputs.features.groups[g].messages) for groups in log.archived.values() for g in groups),
        retrievals=sum(len(groups) for groups in log.retrieved.values()),
        cache_hit=cached / sent if sent else 0.0,
        cache_breaks=sum(1 for i in range(1, calls) if log.prefix[i] < log.tokens[i - 1]),
        cost=cost(inputs, log, reads),
        recall=needs.verbatim / needs.total if needs.total else None,
        names=names,
        fetches_again=fetches,
        regrets=len(log.regrets),
        control=control(
            recorded_needs(inputs.session, inputs.profile).needs, inputs.features.boundaries, log.placed, losses.first
        ),
        paid_again=None,
        injection=injection,
        rot_calls=sum(t > inputs.profile.rot_tokens for t in log.tokens),
        over_budget=sum(t > inputs.budget.available for t in log.tokens),
        impossible=len(log.impossible),
        summaries=len(log.told),
        summarized_calls=sum(map(bool, log.summaries)),
    )


def cost(inputs: Inputs, log: ChangeLog, reads: Sequence[tuple[int, bool]]) -> float:
    """Price of the input of all calls, in the unit of the price fields. What is new is written to the cache as far as
    the record shows that the writer did so."""
    profile, overhead = inputs.profile, inputs.budget.system
    new = price_of_new(inputs.session, profile)
    total = 0.0
    for tokens, (read, warm) in zip(log.tokens, reads, strict=True):
        cached = read + (overhead if warm else 0)
        total += (tokens + overhead - cached) * new + cached * profile.price_cached
    return total / MILLION
