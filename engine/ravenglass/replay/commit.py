"""Writes what a call decided into the log of a run. The bulk replay and a running engine record by the same code."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import chain

import numpy as np

from ravenglass.curator.assembler import opening_tokens
from ravenglass.hub.item import Form
from ravenglass.hub.live import Live
from ravenglass.replay.answers.windows import common, history
from ravenglass.replay.measures.at_risk import AtRisk
from ravenglass.replay.measures.lifetime import remembered
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.outcome import CallResult
from ravenglass.replay.stepping.sections import OPENING_BLOCK, SUMMARY, WORKING_STATE, SectionBlock, head
from ravenglass.replay.stepping.step import Stepper
from ravenglass.rules import TIERS
from ravenglass.scheduler.view import View


def add_call(inputs: Inputs, log: ChangeLog, stepper: Stepper, view: View, result: CallResult) -> None:
    """Add a call to the log, which ends with the call before it."""
    call = result.call
    changed = stepper.live.commit(log.tracks, call)
    if changed:
        log.changed[call] = tuple(changed)
    if result.summary is not None and result.summary.call == call:
        log.told[call] = result.summary
    _Prefix(inputs, log, stepper).add(view, result, changed)
    log.paths.append(result.path)
    log.tokens.append(result.tokens)
    log.history.append(result.history)
    for tier in TIERS:
        log.tiers[tier].append(result.tiers[tier])
    log.versions.append(result.state_version)
    log.summaries.append(result.summary.call if result.summary is not None else 0)
    log.openings.append(result.opening)
    log.included.append(stepper.included)
    evicted, seen = 0, inputs.features.boundary(call - 1) if call > 1 else 0
    for g in changed:
        track = log.tracks[g]
        form, before = track.latest()[1], track.latest(1)[1]
        if before and (form is Form.OUT or Form.SHRUNK in (form, before)):
            kept = _held(inputs, g, form, track.cap_at(call))
            evicted += sum(m < seen and m not in kept for m in _held(inputs, g, before, track.cap_at(call - 1)))
    if evicted:
        log.evicted[call] = evicted
    if result.moves.archived:
        log.archived[call] = result.moves.archived
    if result.moves.by_hand:
        log.by_hand[call] = result.moves.by_hand
    if result.moves.retrieved:
        log.retrieved[call] = result.moves.retrieved
    if result.impossible:
        log.impossible.append(call)
    if result.decision is not None:
        if result.decision.exempt.overflow:
            log.overflow.append(call)
        if any(cut.cut_rank is not None for cut in result.decision.cuts.values()):
            log.over_quota.append(call)


def _held(inputs: Inputs, g: int, form: Form, cap: int) -> Collection[int]:
    """Messages of a group that a window holds in a form: of a shrunk one maybe not all."""
    group = inputs.features.groups[g]
    if form is Form.OUT:
        return ()
    if form is not Form.SHRUNK:
        return group.messages
    return inputs.sizes.shown(group, form, inputs.profile.offload_tokens, cap).keys()


class _Prefix:
    """How much of each window is the same as the start of the one before: what a provider's cache can serve."""

    def __init__(self, inputs: Inputs, log: ChangeLog, stepper: Stepper) -> None:
        self._inputs, self._log, self._stepper = inputs, log, stepper

    def add(self, view: View, result: CallResult, changed: list[int]) -> None:
        log, call = self._log, result.call
        if call == 1:
            log.prefix.append(0)
            log.cached.append(0)
            return
        same = self._same(view, result, changed)
        log.prefix.append(same)
        log.cached.append(same if remembered(self._inputs, call) else 0)

    def _same(self, view: View, result: CallResult, changed: list[int]) -> int:
        log, call, inputs = self._log, result.call, self._inputs
        instructions = inputs.standing.instructions
        new_from = inputs.features.known[call - 1]
        broken = {g for g in inputs.standing.growths.get(call, ()) if log.tracks[g].form_at(call - 1)}
        for g in changed:
            track = log.tracks[g]
            before = track.latest(1)[1]
            cap_before = track.caps.get(track.calls[-2], 0) if len(track.calls) > 1 else 0
            if (before, cap_before) != (track.latest()[1], track.caps.get(track.calls[-1], 0)) and (
                g < new_from or g in instructions
            ):
                broken.add(g)
        # A group that came back behind everything the window held before breaks nothing: it is appended.
        if broken and not any(log.tracks[g].form_at(call - 1) for g in broken):
            last = next((g for g in range(new_from - 1, -1, -1) if log.tracks[g].form_at(call - 1)), -1)
            if min(broken) > last and not broken & instructions:
                broken.clear()
        told = result.summary.call if result.summary is not None else 0
        if not broken and (result.state_version, told, result.opening) == (
            log.versions[-1], log.summaries[-1], bool(log.openings[-1]),
        ):  # fmt: skip
            return log.tokens[-1]
        now = head(inputs, log, call, result.state_version, told)
        old = head(inputs, log, call - 1, log.versions[-1], log.summaries[-1])
        same = next((i for i, pair in enumerate(zip(now, old, strict=False)) if pair[0] != pair[1]), None)
        if same is None and len(now) != len(old):
            same = min(len(now), len(old))
        tokens = sum(self._tokens_of(view, block) for block in now[:same])
        opened = bool(log.openings[-1])
        first = 0
        if same is None and result.opening == opened:
            tokens += opening_tokens(view) if opened else 0
            first = min(broken - instructions, default=new_from)
            tokens += self._tokens_before(view, first)
            now, old = [], []
        else:
            now, old = now[same:] if same is not None else [], old[same:] if same is not None else []
            now += [OPENING_BLOCK] * result.opening
            old += [OPENING_BLOCK] * opened
        rest = common(
            inputs, log, call,
            chain(now, history(inputs, log, call, first)), chain(old, history(inputs, log, call - 1, first)),
        )  # fmt: skip
        return tokens + rest.tokens

    def _tokens_of(self, view: View, block: SectionBlock) -> int:
        """Tokens of a block of the head that did not change."""
        if block.group == WORKING_STATE:
            return self._inputs.rendered(block.seen)[1]
        if block.group == SUMMARY:
            return self._log.told[block.seen].tokens
        return view.placed_tokens(block.group)

    def _tokens_before(self, view: View, first: int) -> int:
        """Tokens of the groups of the history before `first`, none of which changed at the call or is new to it."""
        known = self._inputs.features.known[view.call - 1]
        weights = np.frombuffer(self._stepper.weights, dtype=np.int64, count=min(first, known))
        told = sum(int(weights[g]) for g in self._inputs.standing.instructions if g < len(weights))
        return int(weights.sum()) - told


def looked_back(facts_at: Callable[[int], Inputs], log: ChangeLog) -> AtRisk:
    """What was needed and at risk up to the end of a log."""
    risk = AtRisk(facts_at(1))
    live = Live(len(log.tracks))
    for call in range(1, log.calls + 1):
        changed = log.changed.get(call, ())
        live.take_over(log.tracks, changed, call)
        risk.inputs = facts_at(call)
        risk.look(call, live, changed, log.versions[call - 1], log.summary(call))
    return risk


def complete(inputs: Inputs, log: ChangeLog) -> None:
    """Fill in what depends on the responses, for a log that was recorded before they were there."""
    for call in range(2, log.calls + 1):
        log.cached[call - 1] = log.prefix[call - 1] if remembered(inputs, call) else 0
    log.keep_needed(looked_back(lambda _: inputs, log))
