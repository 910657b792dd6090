"""The trace of one call, made by running the call again: one event for every decision, in the order it fell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Literal

from ravenglass.curator.working_state.state import texts
from ravenglass.hub.item import Form, State
from ravenglass.hub.pins import Pin
from ravenglass.replay.answers.archived import VirtualArchive
from ravenglass.replay.answers.manifest import gist, squeeze
from ravenglass.replay.answers.notes import Note, Notes
from ravenglass.replay.answers.registering import natures_of
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Rerun, differing
from ravenglass.rules import TIERS
from ravenglass.scheduler.budget import Budget
from ravenglass.sessions.model.session import Group, Message
from ravenglass.trace import Json, OurPayload, TraceEvent
from ravenglass.trace.curating import (
    CuratorStart,
    Fallback,
    FastPath,
    MainAgentResult,
    PlanMade,
    SlowPathAccepted,
    Validation,
)
from ravenglass.trace.items import (
    Archived,
    Deduplicated,
    ItemDemoted,
    ItemRegistered,
    ItemRetrieved,
    Offloaded,
    PinMoved,
    Pinned,
    ProtectedOverflow,
    QuotaExceeded,
    StateChanged,
    Summarized,
    ToolResult,
    Updated,
)
from ravenglass.trace.payload import UNSET

_RESPONSE_CHARS = 400


def budget_payload(budget: Budget) -> Json:
    """The budget as the trace and the command line print it."""
    return {
        "window": budget.window, "output_reserve": budget.output_reserve, "system": budget.system,
        "safety": budget.safety, "available": budget.available, "quotas": dict(budget.quotas),
    }  # fmt: skip


def response_event(response: Message, call: int) -> TraceEvent:
    """What a call produced: the last event of its trace."""
    usage = asdict(response.usage) if response.usage else None
    made = MainAgentResult(message=response.id, response=squeeze(gist(response), _RESPONSE_CHARS), usage=usage)
    return TraceEvent(made, call, response.ts, (response.id,))


class Tracer:
    """Makes the events of one call from its re-run."""

    def __init__(self, inputs: Inputs, archive: VirtualArchive, rerun: Rerun, notes: Notes) -> None:
        self._inputs = inputs
        self._notes = notes
        self._archive = archive
        self._rerun = rerun
        self._call = rerun.result.call
        self._ts = inputs.time_of(self._call)

    def events(self) -> tuple[TraceEvent, ...]:
        return tuple(self._all())

    def _event(self, body: OurPayload, groups: tuple[int, ...] = ()) -> TraceEvent:
        messages = tuple(m for g in groups for m in self._inputs.features.groups[g].messages)
        return TraceEvent(body, self._call, self._ts, messages)

    def start(self) -> Iterator[TraceEvent]:
        """Everything before the path is chosen."""
        inputs = self._inputs
        yield self._event(
            CuratorStart(
                budget=budget_payload(inputs.budget),
                message_count=inputs.features.boundary(self._call),
                history_tokens=self._rerun.history,
                threshold_tokens=inputs.budget.threshold,
                max_steps=inputs.profile.max_steps,
            )
        )
        yield from self._noted(self._notes.opening(self._call))
        new = range(inputs.features.known[self._call - 1], inputs.features.known[self._call])
        for g in new:
            yield from self._registered(g)
        # Registering makes an item active and puts it in whole; what was released at once says so like any other.
        states, forms = map(bytearray, self._rerun.before)
        for g in new:
            states[g], forms[g] = State.ACTIVE, Form.FULL
        yield from self._state_changes(
            (bytes(states), bytes(forms)), self._rerun.intake, skip=frozenset(), when="intake"
        )
        yield from self._brought_back(by="hand")

    def _noted(self, notes: Iterator[Note]) -> Iterator[TraceEvent]:
        for note in notes:
            yield self._event(note)

    def _brought_back(self, *, by: Literal["hand", "curator"]) -> Iterator[TraceEvent]:
        """What a person retrieved is in the window after the intake, what the curator wants only later."""
        for g in self._rerun.result.moves.retrieved:
            if bool(self._rerun.intake[1][g]) == (by == "hand"):
                yield self._event(ItemRetrieved(ref=self._archive.ref(g), by=by), (g,))

    def _registered(self, g: int) -> Iterator[TraceEvent]:
        inputs = self._inputs
        group = inputs.features.groups[g]
        yield self._event(
            ItemRegistered(
                address=inputs.sizes.address(group.messages[-1]),
                tier=inputs.standing.tier[g],
                source=inputs.features.sources[g],
                tokens=inputs.standing.full[g],
                task=inputs.standing.task_of[g],
                messages=list(group.messages),
                results=list(self._results(group)) or UNSET,
            ),
            (g,),
        )
        if g in inputs.standing.demoted:
            yield self._event(ItemDemoted(before="global", after="task", reason=inputs.standing.demoted[g]), (g,))
        pin = inputs.standing.pins.get(g)
        if pin is not None:
            yield from self._pin(g, pin)

    def _results(self, group: Group) -> Iterator[ToolResult]:
        natures = natures_of(self._inputs)
        for m in group.messages:
            nature = natures.of(m)
            if nature.result is not None:
                hashed = UNSET if nature.parameters is None else nature.parameters
                yield ToolResult(message=m, status=nature.result, parameters=hashed)

    def _pin(self, g: int, pin: Pin) -> Iterator[TraceEvent]:
        before = [h for h, p in self._inputs.standing.pins.items() if p.moved_to == g]
        if before:
            yield self._event(
                PinMoved(instruction=pin.key, before=self._first(before[-1]), after=self._first(g)),
                (g,),
            )
        else:
            yield self._event(Pinned(instruction=pin.key), (g,))

    def _first(self, g: int) -> int:
        return self._inputs.features.groups[g].messages[0]

    def _all(self) -> Iterator[TraceEvent]:
        yield from self.start()
        yield from self.ending()

    def ending(self) -> Iterator[TraceEvent]:
        """The path, and everything after it was chosen."""
        result, inputs = self._rerun.result, self._inputs
        if result.path == "fast":
            yield self._event(FastPath(history_tokens=result.history, threshold_tokens=inputs.budget.threshold))
        yield from self._outcome()

    def _outcome(self) -> Iterator[TraceEvent]:
        result, inputs = self._rerun.result, self._inputs
        if result.assembled is not None and result.decision is not None:
            yield from self._pressure()
            yield from self._offloads()
            yield from self._summarized()
            yield self._verdict()
        yield from self._brought_back(by="curator")
        yield from self._state_changes(
            self._rerun.intake, self._rerun.after, skip=frozenset(result.moves.archived), when="path"
        )
        for g, reason in result.moves.archived.items():
            by = "hand" if g in result.moves.by_hand else "scheduler"
            yield self._event(Archived(ref=self._archive.ref(g), reason=reason, by=by), (g,))
        yield from self._noted(self._notes.closing(self._rerun))
        response = inputs.response(self._call)
        if response is not None:
            yield response_event(response, self._call)

    def _pressure(self) -> Iterator[TraceEvent]:
        decision = self._rerun.result.decision
        assert decision is not None
        exempt = decision.exempt
        if exempt.overflow:
            yield self._event(
                ProtectedOverflow(
                    tokens=exempt.protected_tokens,
                    cap=exempt.cap,
                    droppable=[self._first(g) for g in exempt.released],
                ),
                exempt.released,
            )
        for tier in TIERS:
            cut = decision.cuts[tier]
            if cut.cut_rank is not None:
                yield self._event(QuotaExceeded(tier=tier, **asdict(cut)))

    def _offloads(self) -> Iterator[TraceEvent]:
        assembled = self._rerun.result.assembled
        assert assembled is not None
        for g, placed in assembled.placed.items():
            before = self._rerun.intake[1][g]
            if placed.form is Form.FULL or (before == placed.form and not placed.cap):
                continue
            full = self._inputs.standing.full[g]
            if placed.form is Form.UPDATED:
                edits = self._inputs.sizes.edited.shown(g, placed.cap)
                yield self._event(Updated(edits=edits, tokens=placed.tokens, full_tokens=full), (g,))
            elif placed.tokens < full:
                made = Deduplicated if placed.form is Form.REFERENCE else Offloaded
                yield self._event(made(form=placed.form.label, tokens=placed.tokens, full_tokens=full), (g,))

    def _summarized(self) -> Iterator[TraceEvent]:
        """A summary was made at this call; about the messages that it stands for."""
        summary, inputs = self._rerun.result.summary, self._inputs
        if summary is None or summary.call != self._call:
            return
        out = tuple(g for g in range(inputs.features.known[self._call]) if not self._rerun.after[1][g])
        tokens = sum(self._inputs.standing.full[g] for g in out)
        yield self._event(
            Summarized(
                messages=summary.messages,
                tokens=summary.tokens,
                full_tokens=tokens,
                transcript=inputs.transcript.path,
                text=summary.text,
            ),
            out,
        )

    def _verdict(self) -> TraceEvent:
        result = self._rerun.result
        assembled = result.assembled
        assert assembled is not None
        verdict = assembled.verdict
        include = [m for g in assembled.placed for m in self._inputs.features.groups[g].messages]
        state = assembled.working_state
        plan = PlanMade(
            # Who it was goes without saying, or is in the conversation; a person's plan is replayed without one.
            author="manual" if assembled.author == "manual" else UNSET,
            include_message_ids=include,
            archive=[self._first(g) for g in assembled.archive],
            working_state_injection=assembled.with_working_state,
            summary=assembled.summary is not None,
            working_state=UNSET if state is None else texts(state),
        )
        validation = Validation(
            ok=verdict.ok,
            total_tokens=verdict.tokens,
            max_prompt_tokens=verdict.budget,
            over_by=verdict.over_by,
            source=self._source(include),
            dropped=[self._first(g) for g in assembled.dropped],
            shrunk=[self._first(g) for g in assembled.shrunk],
            assembler_warnings=list(verdict.warnings),
            impossible=verdict.impossible,
        )
        if result.path == "fail_safe":
            return self._event(Fallback(reason=result.reason, plan=plan, validation=validation))
        return self._event(SlowPathAccepted(plan=plan, validation=validation))

    def _source(self, messages: list[int]) -> str:
        """Who counted the tokens of a window, and whether all of them exactly."""
        sizes = self._inputs.sizes
        name = self._inputs.profile.tokenizer
        return name if sizes.estimated.isdisjoint(messages) else f"{name}, estimated in part"

    def _state_changes(
        self, before: tuple[bytes, bytes], after: tuple[bytes, bytes], *, skip: frozenset[int], when: str
    ) -> Iterator[TraceEvent]:
        inputs = self._inputs
        for g in differing(before, after, inputs.features.known[self._call]):
            if g in skip:
                continue
            reason = self._reason(g, State(after[0][g])) if when == "intake" else ""
            changed = StateChanged(
                before=State(before[0][g]).label,
                after=State(after[0][g]).label,
                form=Form(after[1][g]).label,
                form_before=Form(before[1][g]).label,
                reason=reason or UNSET,
            )
            yield self._event(changed, (g,))

    def _reason(self, g: int, after: State) -> str:
        standing = self._inputs.standing
        if after is State.EXPIRED and g in standing.expired:
            return standing.expired[g].reason
        if after is State.STANDBY:
            return "used for its one call" if standing.tier[g] == "atomic" else "its task ended"
        return ""
