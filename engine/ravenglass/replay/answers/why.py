"""Why a message is in or out of a window: the parts of its score, its rank, the cut, and every rule that held."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ravenglass.hub.item import Form, State
from ravenglass.hub.live import decode
from ravenglass.replay.frame import LifeSpan, Why
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.changes import HandPlan
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Moment, Rerun
from ravenglass.scheduler.packing import Decision
from ravenglass.scheduler.scoring import matched


def life(inputs: Inputs, log: ChangeLog, group: int) -> tuple[LifeSpan, ...]:
    """The states of a group over the calls that know it."""
    track, last = log.tracks[group], len(inputs.features.calls)
    first_call = inputs.features.groups[group].call
    if not track.calls:  # it was never sent, so nothing was ever decided on it
        return (LifeSpan(first_call, last, State.REGISTERED, Form.OUT),) if first_call <= last else ()
    ends = [*(c - 1 for c in track.calls[1:]), last]
    return tuple(
        LifeSpan(first, end, *decode(code)) for first, end, code in zip(track.calls, ends, track.codes, strict=True)
    )


@dataclass(frozen=True)
class Explainer:
    """Explains one message at one call. `ruling` is the re-run of the slow path that last decided, if any did, and
    `facts` what held at it: of a branch, the decision may be older than what the branch changed."""

    inputs: Inputs
    log: ChangeLog
    moment: Moment
    ruling: Rerun | None
    facts: Inputs
    message: int

    @property
    def group(self) -> int:
        return self.inputs.session.structure.group_of[self.message]

    def why(self) -> Why:
        g, call = self.group, self.moment.call
        form = Form(self.moment.live.forms[g])
        decision = self._decision()
        inputs = self.facts if decision else self.inputs
        scores = decision.scores if decision else self.moment.scores
        cut = decision.cuts.get(inputs.standing.tier[g]) if decision else None
        profile = inputs.profile
        reasons = tuple(self._reasons(decision, form))
        ranked = decision if self._plan_by_hand() is None and self._policy() is None else None
        return Why(
            message=self.message, call=call, included=form is not Form.OUT and not self._call_left_out(),
            headline=reasons[0],
            relevance=scores.relevance[g], recency=scores.recency[g], reliability=scores.reliability[g],
            weights=(profile.weight_relevance, profile.weight_recency, profile.weight_source),
            score=scores.total[g], decided_at=self.ruling.result.call if self.ruling else 0,
            rank=ranked.ranks.get(g) if ranked else None, ranked=cut.ranked if cut else 0,
            cut_rank=cut.cut_rank if cut and ranked else None, cut_score=cut.cut_score if cut and ranked else None,
            reasons=reasons[1:], matched=matched(self.moment.view, g, scores.intent), life=life(inputs, self.log, g),
        )  # fmt: skip

    def _call_left_out(self) -> bool:
        return self.moment.view.leaves_out(self.group, self.message)

    def _decision(self) -> Decision | None:
        """The decision that the group was part of; None where it is newer than the last slow path."""
        if self.ruling is None or self.group >= self.facts.features.known[self.ruling.result.call]:
            return None
        return self.ruling.result.decision

    def _plan_by_hand(self) -> HandPlan | None:
        """The plan that a person made for the slow path that last decided, where it was taken."""
        if self.ruling is None or (made := self.ruling.result.assembled) is None or made.author != "manual":
            return None
        return self.facts.plans.get(self.ruling.result.call)

    def _policy(self) -> str | None:
        """Who was asked at the slow path that last decided, and what it kept; None for the planner."""
        made = None if self.ruling is None else self.log.made.get(self.ruling.result.call)
        return None if made is None else _POLICY.get(made.assembled.author)

    def _reasons(self, decision: Decision | None, form: Form) -> Iterator[str]:
        """Complete sentences; the first is the one that decided."""
        state = State(self.moment.live.states[self.group])
        never = self.inputs.session.structure.never_sent
        if self.message in never:
            yield f"It is out because {never[self.message]}."
            return
        if self._call_left_out():
            head = self.moment.view.group(self.group).messages[0]
            yield f"It is out because message #{head} has more calls than there was room for, and its call is left out."
            return
        if self.ruling is None:
            yield from self._fast(form)
        elif decision is None:
            yield (
                f"It is in because it is newer than the last slow path, at call {self.ruling.result.call}."
                if form
                else ("It is out although no slow path has decided on it yet.")
            )
        elif form:
            yield from self._kept(decision)
        else:
            yield from self._left_out(decision)
        yield from self._standing(state, form)

    def _fast(self, form: Form) -> Iterator[str]:
        budget = self.inputs.budget
        history = self.log.history[self.moment.call - 1]
        if form:
            yield (
                f"Everything live passes: history {history:,} tokens is under the fast path threshold of"
                f" {budget.threshold:,}."
            )
        else:
            yield "It left before any slow path ran: by hand, or because released items leave at once."

    def _kept(self, decision: Decision) -> Iterator[str]:
        g, inputs, ruling = self.group, self.facts, self.ruling
        assert ruling is not None
        at = ruling.result.call
        exempt = decision.exempt
        if not ruling.after[1][g]:
            yield f"It came back after the slow path at call {at}."
        elif g in exempt.pinned:
            yield "It is in because it is pinned: it is added whether the plan names it or not, and goes last."
        elif g in exempt.protected:
            head = inputs.profile.protect_first_n
            if g in inputs.standing.protected:
                yield f"It is in because it belongs to the protected head of the session (first {head} exchanges)."
            else:
                yield "It is in because it is protected by hand: exempt from trimming, archiving aside."
        elif g in exempt.must:
            yield f"It is in because it was the current request or the newest group at call {at}."
        elif (policy := self._policy()) is not None:
            yield f"It is in because {policy} holds it, or a message of its group: call {at}."
        elif (plan := self._plan_by_hand()) is not None:
            what = "it" if self.message in plan.include else "a message of its group"
            yield f"It is in because the plan made by hand for call {at} names {what}."
        else:
            cut = decision.cuts[inputs.standing.tier[g]]
            yield (
                f"It is in because it ranked {decision.ranks[g]} of {cut.ranked} in the {inputs.standing.tier[g]} tier"
                f" at call {at} and fitted its quota of {cut.quota:,} tokens: it needed {decision.needs[g]:,}, and"
                f" {decision.rooms[g]:,} were left when its turn came."
            )

    def _left_out(self, decision: Decision) -> Iterator[str]:
        g, inputs, ruling = self.group, self.facts, self.ruling
        assert ruling is not None
        at, assembled = ruling.result.call, ruling.result.assembled
        tier = inputs.standing.tier[g]
        cut = decision.cuts[tier]
        before = State(ruling.intake[0][g])
        if ruling.after[1][g]:
            yield f"It left after the slow path at call {at}."
        elif assembled is not None and g in assembled.dropped:
            available = inputs.budget.available
            yield f"It was dropped at call {at}, because the window would have passed the budget of {available:,}."
        elif (policy := self._policy()) is not None:
            yield f"It is out because {policy} does not hold it: call {at}."
        elif self._plan_by_hand() is not None:
            yield f"It is out because the plan made by hand for call {at} does not name it."
        elif g in decision.ranks:
            score = decision.scores.total[g]
            yield (
                f"It is out because it ranked {decision.ranks[g]} of {cut.ranked} in the {tier} tier at call {at}:"
                f" it needed {decision.needs[g]:,} tokens, and {decision.rooms[g]:,} were left when its turn came."
            )
            if (cut.cut_score or 0) > score:
                yield (
                    f"The first group of the tier that did not fit ranked {cut.cut_rank} (score {cut.cut_score:.2f}),"
                    f" {(cut.cut_score or 0) - score:.2f} above this one."
                )
        elif before is State.EXPIRED:
            yield f"It was left out at call {at}, because its content is outdated."
        elif before is State.ARCHIVED:
            yield f"It was already archived when the slow path ran at call {at}."
        elif g in ruling.view.hand.relevance:
            yield f"It was no candidate at call {at}: it was on standby, and its relevance was set to 0 by hand."
        else:
            yield (
                f"It was no candidate at call {at}: it was on standby and shares no entity with the request or an"
                " open goal."
            )

    def _standing(self, state: State, form: Form) -> Iterator[str]:
        g, inputs, call = self.group, self.inputs, self.moment.call
        group, standing = inputs.features.groups[g], inputs.standing
        if len(group.messages) > 1:
            others = ", ".join(f"#{m}" for m in group.messages if m != self.message)
            yield f"It stands or goes with {others}: a group is never split."
        if form in _FORM_SENTENCE:
            yield _FORM_SENTENCE[form].format(over=inputs.profile.offload_tokens, after=inputs.profile.offload_after)
        pin = standing.pins.get(g)
        if pin is not None and self.moment.view.is_pinned(g):
            yield f"Pinned by a rule: {pin.key!r}."
        elif self.moment.view.is_pinned(g):
            yield "Pinned by hand."
        elif pin is not None and g in self.moment.view.hand.unpins:
            yield f"A rule pins it ({pin.key!r}), but it was unpinned by hand."
        elif pin is not None:
            moved = inputs.features.groups[pin.moved_to].messages[0]
            yield f"It was pinned until the same instruction was read again in #{moved}."
        if g in self.moment.view.hand.protects:
            yield "Protected by hand."
        elif g in standing.protected and g in self.moment.view.hand.unprotects:
            yield "It is in the head of the session, but its protection was taken away by hand."
        if self.ruling is not None and self.ruling.result.decision is not None:
            exempt = self.ruling.result.decision.exempt
            if g in exempt.released:
                yield (
                    f"Protected and pinned groups take {exempt.protected_tokens:,} tokens, over their cap of"
                    f" {exempt.cap:,}; this one lost its exemption, largest first."
                )
        if g in standing.demoted:
            yield f"Demoted from global to task when it was registered: {standing.demoted[g]}."
        end = standing.expired.get(g)
        if end is not None and end.call <= call:
            yield f"Its content is outdated: {end.reason}."
        if state is State.STANDBY and standing.released_at[g] <= call:
            tier = standing.tier[g]
            what = "its response had been given" if tier == "atomic" else "its task had ended"
            yield f"Released at call {standing.released_at[g]}, when {what}."
        for at, archived in self.log.archived.items():
            if g in archived and at <= call:
                yield f"Archived at call {at}: {archived[g]}."
        told = self.log.summary(call)
        if not form and told is not None and not self.log.tracks[g].form_at(told.call):
            yield f"The summary made at call {told.call} stands for it; the whole message stays retrievable."
        if group.unanswered:
            yield "The record never answers one of its calls; a placeholder keeps the window valid."
        if group.orphan:
            yield "It is the result of a call that is not in the record; it is shown as a user message."


_POLICY = {
    "model": "the model's plan",
    "recorded": "the recorded plan",
    "manual": "the plan made by hand",
    "fail_safe": "the fail-safe's choice (protected, most relevant, latest)",
}

_FORM_SENTENCE = {
    Form.OFFLOADED: "Results over {over:,} tokens older than {after} calls are stubs; their address retrieves them.",
    Form.STUB: "Its result was for one call; it stands as a stub with its address.",
    Form.SHRUNK: "It was cut to what was left of the budget.",
    Form.REFERENCE: "Its content stands in the window elsewhere; here it is a reference or a difference.",
    Form.UPDATED: "It stands as the edits since left the file, not as it was read; its address retrieves that.",
}
