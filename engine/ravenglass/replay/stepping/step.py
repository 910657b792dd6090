"""One call of a replay: what is new comes in, the fast or slow path decides, the state moves on.

The bulk replay, the re-run of a single call for its trace, and the stepped curator loop all use `Stepper`, so the
number on the screen is the number that decided.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from ravenglass.curator.assembler import assemble
from ravenglass.curator.plan import Assembled, Plan
from ravenglass.hub.item import Form, State
from ravenglass.hub.live import Live, Track
from ravenglass.hub.summary import Summary
from ravenglass.replay.frame import PathName
from ravenglass.replay.stepping.changes import HandChange
from ravenglass.replay.stepping.hand_plans import sound
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.outcome import CallResult, Moves
from ravenglass.rules import TIERS, TierName
from ravenglass.scheduler.dedup import bereft
from ravenglass.scheduler.packing import Decision, schedule
from ravenglass.scheduler.view import View


class Stepper:
    """Carries the state of a replay from call to call."""

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self.live = Live(len(inputs.features.groups))
        self.state_version = -1
        self.summary: Summary | None = None
        self.weights = array("q", bytes(8 * len(inputs.features.groups)))
        """Tokens of every group as it stands in the window."""
        self._used: dict[TierName, int] = dict.fromkeys(TIERS, 0)
        self._log = self._log_before = 0
        """Tokens of the whole log, now and before the latest call."""
        self.included = 0
        """Messages in the window."""
        self._counts = [0] * len(inputs.features.groups)
        self._first: int | None = None
        self._left: dict[int, list[int]] = {}
        self._archived: dict[int, str] = {}
        self._by_hand: set[int] = set()
        self._retrieved: list[int] = []

    @classmethod
    def after(
        cls, inputs: Inputs, tracks: list[Track], call: int, state_version: int, summary: Summary | None = None
    ) -> Stepper:
        """A stepper that stands right after `call` of a finished replay."""
        live = Live.restore(tracks, call, inputs.features.known[call])
        return cls.standing_at(inputs, live, call, state_version, summary)

    @classmethod
    def standing_at(
        cls, inputs: Inputs, live: Live, call: int, state_version: int, summary: Summary | None = None
    ) -> Stepper:
        """A stepper that stands right after `call`, with that state of every group. It takes `live` over."""
        stepper = cls(inputs)
        known = inputs.features.known[call]
        stepper.live = live
        stepper.state_version = state_version
        stepper.summary = summary
        if call:
            view = inputs.view(call, stepper.live)
            stepper._log = sum(full for g, full in enumerate(inputs.standing.full[:known]) if view.sent(g))
            stepper.live.touched.update(range(known))
            stepper._settle(view)
            stepper.live.touched.clear()
        for g in range(known):
            if stepper.live.out_since[g]:
                stepper._left.setdefault(stepper.live.out_since[g], []).append(g)
        return stepper

    def grow(self, inputs: Inputs) -> None:
        """Go on under the facts of the same session when it is longer; they say the same of the groups known so far."""
        more = len(inputs.features.groups) - len(self._counts)
        self.inputs = inputs
        self.live.grow(len(inputs.features.groups))
        self.weights.frombytes(bytes(8 * more))
        self._counts.extend([0] * more)

    def back(self, tracks: list[Track], changed: Iterable[int], call: int, version: int, told: Summary | None) -> None:
        """Stand right after `call` again, from right after the next one: that one is taken back, in the log already.
        `changed`: groups whose place it changed."""
        groups = {*changed, *self.inputs.standing.growths.get(call + 1, ())}
        self.live.take_back(tracks, groups, call)
        self._left.pop(call + 1, None)
        self.state_version, self.summary, self._log = version, told, self._log_before
        self.live.touched.update(groups)
        if call:
            self._settle(self.inputs.view(call, self.live))
        self.live.touched.clear()

    def intake(self, call: int) -> View:
        """Register what is new, expire, release, apply what a person changed. Returns the view to decide on."""
        inputs, live = self.inputs, self.live
        standing, features = inputs.standing, inputs.features
        self._archived, self._by_hand, self._retrieved = {}, set(), []
        self._log_before = self._log
        for g in range(features.known[call - 1], features.known[call]):
            if features.groups[g].unsent:
                continue
            live.move(g, State.ACTIVE)
            live.place(g, Form.FULL, call)
            self._log += standing.full[g]
        gone = []
        for g in standing.expiries.get(call, ()):
            if live.states[g] in (State.ACTIVE, State.STANDBY):
                live.move(g, State.EXPIRED)
                gone.append(g)
        for g in standing.releases.get(call, ()):
            if live.states[g] == State.ACTIVE:
                live.move(g, State.STANDBY)
                gone.append(g)
        view = inputs.view(call, live)
        if inputs.profile.eager_lifecycle:
            self._leave(view, [*gone, *self._kept_on(call)])
            self._update(view)
        for change in inputs.changes_at.get(call, ()):
            self._apply(view, change)
        self._restore(view)
        live.touched.update(standing.growths.get(call, ()))
        self._settle(view)
        return view

    def advance(self, call: int) -> tuple[View, CallResult]:
        """One call without a conversation, intake to outcome. Returns what was decided on, and what came of it."""
        view = self.intake(call)
        return view, self.take_path(view)

    def take_path(self, view: View) -> CallResult:
        """Let everything pass where that is allowed, else decide and make it the live set."""
        return self.pass_fast(view) if self.is_fast(view) else self.accept(view, *self.decide(view), "slow")

    def _kept_on(self, call: int) -> list[int]:
        """Released or expired groups that the call before still needed: they leave now, if this one does not."""
        if call < 2:
            return []
        needed = self.inputs.view(call - 1, self.live).must_keep()
        over = (State.STANDBY, State.EXPIRED)
        return sorted(g for g in needed if self.live.states[g] in over and self.live.forms[g] == Form.FULL)

    def _leave(self, view: View, gone: list[int]) -> None:
        """Eager lifecycle: what was released or expired leaves now, look-ups shrink to their stub."""
        keep = view.protected | view.must_keep()
        for g in gone:
            if g in keep or view.is_pinned(g) or not self.live.forms[g]:
                continue
            stub = self.live.states[g] == State.STANDBY and view.standing.tier[g] == "atomic"
            self._place(g, Form.STUB if stub else Form.OUT, view.call)

    def _update(self, view: View) -> None:
        """Eager lifecycle: a read is shown at once as the edits left the file that are new to the call."""
        if not view.profile.edited_files:
            return
        before = view.features.boundary(view.call - 1) if view.call > 1 else 0
        keep = view.must_keep() | view.hand.whole
        for g in view.sizes.edited.changed(before, view.features.boundary(view.call)):
            form, cap = self.live.forms[g], view.edits(g)
            if g not in keep and cap and form in (Form.FULL, Form.OFFLOADED, Form.UPDATED):
                self._place(g, Form.UPDATED, view.call, cap)

    def _restore(self, view: View) -> None:
        """Differences whose first version left this call, or is shown otherwise now, stand as they would without it."""
        live = self.live
        if int(Form.REFERENCE) not in live.forms or all(live.forms[g] == Form.FULL for g in live.touched):
            return
        forms = {g: Form(form) for g, form in enumerate(live.forms[: view.known]) if form}
        for g in bereft(view, forms, [g for g, form in forms.items() if form is Form.REFERENCE]):
            self._place(g, view.base_form(g, keep_whole=False), view.call)

    def _apply(self, view: View, change: HandChange) -> None:
        """A change made by hand that moves an item; pins and relevance are read from the facts instead."""
        g = view.features.session.structure.group_of[change.message]
        live = self.live
        if g >= view.known or not view.sent(g):
            return
        if change.kind == "archive" and not view.is_pinned(g) and g not in view.must_keep():
            if live.states[g] == State.ACTIVE:
                live.move(g, State.STANDBY)
            if live.states[g] in (State.STANDBY, State.EXPIRED):
                self._place(g, Form.OUT, view.call)
                self._to_archive(g, "archived by hand")
                self._by_hand.add(g)
        elif change.kind in ("retrieve", "pin", "protect") and not live.forms[g]:
            if live.states[g] == State.ARCHIVED:
                live.move(g, State.STANDBY)
            if live.states[g] == State.STANDBY:
                live.move(g, State.ACTIVE)
            self._place(g, Form.FULL, view.call)
            self._retrieved.append(g)
            # Archived and taken back at one call is not archived.
            self._archived.pop(g, None)
            self._by_hand.discard(g)

    def _place(self, g: int, form: Form, call: int, cap: int = 0) -> None:
        if form is Form.OUT and self.live.forms[g]:
            self._left.setdefault(call, []).append(g)
        self.live.place(g, form, call, cap)

    def _to_archive(self, g: int, reason: str) -> None:
        self.live.move(g, State.ARCHIVED)
        self._archived[g] = reason

    def _settle(self, view: View) -> None:
        """Bring the running totals up to date with what was touched."""
        tier, live = view.standing.tier, self.live
        instructions = view.standing.instructions
        for g in live.touched:
            now = view.placed_tokens(g) if live.forms[g] else 0
            self._used[tier[g]] += now - self.weights[g]
            self.weights[g] = now
            count = view.placed_messages(g)
            self.included += count - self._counts[g]
            self._counts[g] = count
            if g not in instructions:
                if live.forms[g]:
                    self._first = g if self._first is None else min(self._first, g)
                elif g == self._first:
                    self._first = next(
                        (h for h in range(g + 1, view.known) if live.forms[h] and h not in instructions), None
                    )

    @property
    def pressure(self) -> int:
        """Tokens measured against the threshold: the live set, or the whole log."""
        if self.inputs.profile.pressure_basis == "full_log":
            return self._log
        return sum(self._used.values())

    @property
    def has_history(self) -> bool:
        """Whether a group of the history stands in the window."""
        return self._first is not None

    @property
    def opening(self) -> bool:
        """Whether the window needs the opening mark."""
        return self._first is None or self._first not in self.inputs.standing.users

    @property
    def told(self) -> int:
        """The call at which the summary in the window was made; 0: there is none."""
        return self.summary.call if self.summary is not None else 0

    @property
    def total(self) -> int:
        """Tokens of the window."""
        return sum(self._used.values()) + self._extra

    @property
    def _extra(self) -> int:
        extra = self.inputs.rendered(self.state_version)[1] + (self.inputs.sizes.opening if self.opening else 0)
        return extra + (self.summary.tokens if self.summary is not None else 0)

    def tiers(self) -> dict[TierName, int]:
        """Tokens of the window by tier. The working state, the summary and the opening mark speak for the whole
        session, so its tier carries them."""
        return {**self._used, "session": self._used["session"] + self._extra}

    def take_in(self, first: int, last: int) -> None:
        """What is new to these calls stands in the window, whole: the running totals that this makes."""
        known, sums = self.inputs.features.known, self.inputs.sums
        begin, end = known[first - 1], known[last]
        self.weights[begin:end] = array("q", sums.weights[begin:end])
        self._counts[begin:end] = sums.counts[begin:end]
        for tier in TIERS:
            self._used[tier] += int(sums.tiers[tier][last] - sums.tiers[tier][first - 1])
        self.included += int(sums.messages[last] - sums.messages[first - 1])
        self._log += int(sums.tokens[last] - sums.tokens[first - 1])

    def is_fast(self, view: View) -> bool:
        """Whether everything live passes: under the threshold, never over C, and no slow path was asked for."""
        return (
            view.call not in self.inputs.compactions
            and self.pressure < view.budget.threshold
            and self.total <= view.budget.available
        )

    def pass_fast(self, view: View) -> CallResult:
        """The fast path: everything live passes; only what was unused for long goes from standby to the archive."""
        history = self.pressure
        self.archive_unused(view.call, view)
        return self._result(view, "fast", history)

    def archive_unused(self, call: int, view: View | None = None) -> dict[int, str]:
        """What was unused for long goes from standby to the archive: group -> why. `view`: that of the call."""
        found: dict[int, str] = {}
        for g in sorted(self._left.get(call - self.inputs.profile.standby_calls, ())):
            view = view or self.inputs.view(call, self.live)
            unused = call - self.live.out_since[g]
            if (
                self.live.states[g] == State.STANDBY
                and not self.live.forms[g]
                and unused == view.profile.standby_calls
                and not view.is_pinned(g)
            ):
                found[g] = f"unused for {unused} calls"
                self._to_archive(g, found[g])
        return found

    def decide(self, view: View) -> tuple[Decision, Assembled]:
        """The slow path without the conversation: the plan made by hand, where there is one, else the planner's. The
        stepped loop ends in the same."""
        decision = schedule(view)
        by_hand = self.inputs.plans.get(view.call)
        if by_hand is not None:
            plan = sound(by_hand, view, decision).plan(view.features.session.structure.group_of)
            assembled = assemble(view, plan, decision.exempt, decision.scores.total)
            if assembled.verdict.ok:
                return decision, assembled
        plan = Plan(frozenset(), "planner", archive=decision.archive, with_working_state=decision.with_working_state)
        return decision, assemble(view, plan, decision.exempt, decision.scores.total, decision.include)

    def accept(
        self, view: View, decision: Decision, assembled: Assembled, path: PathName, reason: str = ""
    ) -> CallResult:
        """Make an assembled window the live set. `reason` says why the fail-safe decided."""
        live, call = self.live, view.call
        history = self.pressure
        for g in sorted(assembled.placed.keys() | set(view.open_groups().tolist())):
            placed = assembled.placed.get(g)
            if placed is None:
                if live.states[g] == State.ACTIVE:
                    live.move(g, State.STANDBY)
                if live.forms[g]:
                    self._place(g, Form.OUT, call)
                continue
            if live.states[g] == State.ARCHIVED:
                live.move(g, State.STANDBY)
                self._retrieved.append(g)
            if live.states[g] == State.STANDBY and placed.form is not Form.STUB:
                live.move(g, State.ACTIVE)
            if live.forms[g] != placed.form or placed.cap:
                self._place(g, placed.form, call, placed.cap)
        for g, reason in assembled.archive.items():
            self._to_archive(g, reason)
        if assembled.author == "manual":
            self._by_hand.update(assembled.archive)
        self._settle(view)
        self.state_version = self.inputs.version_at(call) if assembled.with_working_state else -1
        told = assembled.summary
        # The same text again is the same block: the prefix stays.
        if told is None or self.summary is None or (told.text, told.tokens) != (self.summary.text, self.summary.tokens):
            self.summary = told
        return self._result(view, path, history, decision, assembled, reason)

    def draft(self, view: View) -> CallResult:
        """What is known of a call after its intake, before the path was taken."""
        return self._result(view, "fast", self.pressure)

    def _result(
        self,
        view: View,
        path: PathName,
        history: int,
        decision: Decision | None = None,
        assembled: Assembled | None = None,
        reason: str = "",
    ) -> CallResult:
        tiers = self.tiers()
        return CallResult(
            call=view.call,
            path=path,
            tokens=sum(tiers.values()),
            history=history,
            tiers=tiers,
            state_version=self.state_version,
            opening=self.opening,
            summary=self.summary,
            decision=decision,
            assembled=assembled,
            moves=Moves(dict(self._archived), frozenset(self._by_hand), tuple(self._retrieved)),
            reason=reason,
        )
