"""All inputs of one replay in one place: session, profile, budget, sizes, standing, working state, hand changes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ravenglass.curator.summary.build import Extractive, RecordedTranscript, Transcript, digest_of
from ravenglass.curator.working_state.edits import StateEdit, StateUpdate, edited
from ravenglass.curator.working_state.state import Versions, WorkingState, extract, render
from ravenglass.hub.live import Live
from ravenglass.hub.size_key import SizeKey
from ravenglass.hub.sizes import Progress, Sizes
from ravenglass.profile import Profile
from ravenglass.replay.stepping.by_hand import by_hand
from ravenglass.replay.stepping.changes import Change, Compaction, FileChange, HandChange, HandPlan, Rating
from ravenglass.scheduler.budget import Budget, budget
from ravenglass.scheduler.expiry import Expiry
from ravenglass.scheduler.features import Features, features_of
from ravenglass.scheduler.standing import Standing, outdated_outside, standing
from ravenglass.scheduler.sums import Sums
from ravenglass.scheduler.view import View
from ravenglass.sessions.model.derived import Slot
from ravenglass.sessions.model.session import Message, Session
from ravenglass.tokens import CountStore

SIZES = Slot[Sizes]("sizes")
"""By `SizeKey`."""
_STATES = Slot[Versions]("working states")


def sizes_of(
    session: Session, profile: Profile, progress: Progress | None = None, store: CountStore | None = None
) -> Sizes:
    """Token sizes of a session, counted once per setting that changes them."""
    key = SizeKey.of(profile)
    return SIZES.made(session, lambda: Sizes(session, key, progress, store), key)


class StateLimits(NamedTuple):
    """The profile fields that the working state depends on."""

    max_goals: int
    max_open_threads: int
    max_decisions: int
    max_line_chars: int

    @classmethod
    def of(cls, profile: Profile) -> StateLimits:
        return cls(profile.max_goals, profile.max_open_threads, profile.max_decisions, profile.max_line_chars)


def working_states(session: Session, limits: StateLimits) -> Versions:
    """(call from which it holds, state), ascending."""
    return _STATES.made(session, lambda: extract(session, limits), limits)


def measured_system(session: Session, sizes: Sizes) -> int | None:
    """S where the record holds it: tool definitions and a system prompt that is no message; else None."""
    if session.tools_text is None and session.system_prompt is None:
        return None
    count = sizes.tokenizer.count
    return count(session.tools_text or "") + count(session.system_prompt or "")


def outside(found: Standing, features: Features, changes: Sequence[Change]) -> Standing:
    """The standing with what became of files outside the session."""
    group_of, known = features.session.structure.group_of, features.known
    ends: dict[int, Expiry] = {}
    for c in sorted((c for c in changes if isinstance(c, FileChange)), key=lambda c: -c.call):
        if 0 < c.call < len(known) and group_of[c.message] < known[c.call]:
            ends[group_of[c.message]] = Expiry(c.call, f"{c.path} was {c.how} on the disk while the session was paused")
    return outdated_outside(found, ends) if ends else found


@dataclass(frozen=True)
class Inputs:
    """Read-only, shared by every call of a replay."""

    session: Session
    profile: Profile
    budget: Budget
    features: Features
    sizes: Sizes
    standing: Standing
    recorded_versions: Versions
    """The working state as the record has it, without changes by hand."""
    transcript: Transcript
    """The file that a summary refers to."""
    changes: tuple[Change, ...] = ()

    @classmethod
    def gather(
        cls,
        session: Session,
        profile: Profile,
        changes: Sequence[Change] = (),
        progress: Progress | None = None,
        store: CountStore | None = None,
    ) -> Inputs:
        """Count, read and rule on everything a replay needs; all but the first time it is mostly remembered.

        `progress` is called with (done, total) over messages; raises Cancelled when it returns False.
        """
        features = features_of(session, progress)
        sizes = sizes_of(session, profile, progress, store)
        limit = budget(profile, measured_system(session, sizes))
        return cls(
            session, profile, limit, features, sizes,
            outside(standing(features, sizes, profile, limit), features, changes),
            working_states(session, StateLimits.of(profile)), RecordedTranscript(session.place),
            tuple(sorted(changes, key=lambda c: c.call)),
        )  # fmt: skip

    @classmethod
    def grown(
        cls,
        session: Session,
        profile: Profile,
        previous: Inputs | None,
        changes: Sequence[Change] = (),
        transcript: Transcript | None = None,
    ) -> Inputs:
        """The facts of a session that grows while an agent runs; what `previous` knew already is reused. `transcript`:
        where its messages are kept, the session's own file if None."""
        features = Features(session, previous=previous.features if previous else None)
        sizes = Sizes(session, SizeKey.of(profile), previous=previous.sizes if previous else None)
        limit = budget(profile, measured_system(session, sizes))
        return cls(
            session, profile, limit, features, sizes,
            outside(standing(features, sizes, profile, limit), features, changes),
            extract(session, StateLimits.of(profile)), transcript or RecordedTranscript(session.place),
            tuple(sorted(changes, key=lambda c: c.call)),
        )  # fmt: skip

    def with_change(self, change: Change) -> Inputs:
        """The same with one more change."""
        return replace(self, changes=tuple(sorted((*self.changes, change), key=lambda c: c.call)))

    def response(self, call: int) -> Message | None:
        """What a call produced; None for the call that a running agent is about to make."""
        message = self.features.calls[call - 1].message
        return self.session.messages[message] if message < len(self.session.messages) else None

    def time_of(self, call: int) -> float | None:
        """When a call was answered; while it is not, the time of the latest message. None where it is not recorded."""
        messages = self.session.messages
        response = self.response(call) or (messages[-1] if messages else None)
        return response.ts if response is not None else None

    @cached_property
    def sums(self) -> Sums:
        """What is known at every call, added up."""
        return self.standing.sums(self.features)

    @cached_property
    def remembered(self) -> list[bool]:
        """By call: whether the provider's cache outlives the pause before it; unknown times count as no pause. Index 0
        and the first call mean nothing."""
        times = np.array(self.features.times, dtype=np.float64)
        kept: list[bool] = (~(np.diff(times) > self.profile.cache_ttl_s)).tolist()
        return [False, False, *kept]

    @cached_property
    def _effective(self) -> tuple[HandChange, ...]:
        """Changes by hand to what their call knows; others have no effect, then or later."""
        known, group_of = self.features.known, self.session.structure.group_of
        held = (c.held() if isinstance(c, Rating) else c for c in self.changes if isinstance(c, HandChange | Rating))
        made = (c for c in sorted(held, key=lambda c: c.call) if 0 < c.call < len(known))
        return tuple(c for c in made if group_of[c.message] < known[c.call])

    @cached_property
    def changes_at(self) -> dict[int, list[HandChange]]:
        found: dict[int, list[HandChange]] = {}
        for change in self._effective:
            found.setdefault(change.call, []).append(change)
        return found

    @cached_property
    def plans(self) -> dict[int, HandPlan]:
        """Call -> the plan that a person made for it, the latest; without the ids that the call does not know."""
        last = len(self.features.calls)
        made = [c for c in self.changes if isinstance(c, HandPlan) and 0 < c.call <= last]
        known = {c.call: frozenset(range(self.features.boundary(c.call))) for c in made}
        return {c.call: replace(c, include=c.include & known[c.call], archive=c.archive & known[c.call]) for c in made}

    @cached_property
    def compactions(self) -> dict[int, int]:
        """Call -> the target in tokens of the slow path that was asked for at it, the latest."""
        return {c.call: c.target for c in self.changes if isinstance(c, Compaction)}

    @cached_property
    def versions(self) -> Versions:
        """(call from which it holds, state), ascending, with the changes by hand and by a curator."""
        last = len(self.features.calls)
        edits = [c for c in self.changes if isinstance(c, StateEdit | StateUpdate) and 0 < c.call <= last]
        return edited(
            self.recorded_versions, edits, self.profile, lambda call: max(0, self.features.boundary(call) - 1)
        )

    @cached_property
    def _version_calls(self) -> list[int]:
        return [call for call, _ in self.versions]

    def version_at(self, call: int) -> int:
        """Index of the working state that holds at a call; -1 before the first."""
        return bisect_right(self._version_calls, call) - 1

    def working_state(self, version: int) -> WorkingState:
        return self.versions[version][1] if version >= 0 else WorkingState()

    @cached_property
    def _rendered(self) -> dict[int, tuple[str, int]]:
        return {}

    def rendered(self, version: int) -> tuple[str, int]:
        """The text a working state is injected as, and its tokens (0 for an empty one)."""
        if version < 0:
            return "", 0
        if version not in self._rendered:
            text = render(self.versions[version][1])
            tokens = self.sizes.tokenizer.count(text) + self.profile.message_overhead if text else 0
            self._rendered[version] = (text, tokens)
        return self._rendered[version]

    @cached_property
    def summarizer(self) -> Extractive | None:
        """Who writes summaries under this profile; None where it wants none."""
        if not self.profile.summarize:
            return None
        count = self.sizes.tokenizer.count
        return Extractive(digest_of(self.features), self.versions, self.profile, self.transcript, count)

    def view(self, call: int, live: Live) -> View:
        """What a decision at this call may look at."""
        version = self.version_at(call)
        goals = tuple(line.text for line in self.working_state(version).goals)
        target = self.compactions.get(call)
        limit = self.budget if target is None else replace(self.budget, target=min(target, self.budget.available))
        return View(
            self.features, self.sizes, self.standing, self.profile, limit, live, call, goals,
            self.rendered(version)[1], by_hand(self._effective, call, self.session.structure.group_of), self.summarizer,
        )  # fmt: skip
