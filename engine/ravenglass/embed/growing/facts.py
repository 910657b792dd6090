"""The facts of a conversation that grows: what `Inputs.grown` finds anew at each call, kept and gone on with.

One message costs what it holds and what it changes, however many came before it. Only what changes the past costs as
much as all of it: an instruction that pushes others out of the global tier, a result that comes after the next request
and changes where a task begins, or after 512 more tool calls.
"""

from __future__ import annotations

from collections.abc import Sequence

from ravenglass.curator.summary.build import Transcript
from ravenglass.curator.working_state.extraction import Extraction
from ravenglass.embed.growing.features import GrowingFeatures
from ravenglass.embed.growing.standing import GrowingStanding
from ravenglass.embed.growing.thread import GrowingThread
from ravenglass.hub.size_key import SizeKey
from ravenglass.hub.sizes import Sizes
from ravenglass.profile import Profile
from ravenglass.replay.answers import registering
from ravenglass.replay.stepping.changes import Change
from ravenglass.replay.stepping.inputs import Inputs, StateLimits, measured_system, outside
from ravenglass.scheduler.budget import budget
from ravenglass.sessions.model.session import Message, Session


class GrowingFacts:
    """Facts about the messages so far, with the next call as the last one. `inputs` share the lists of this object:
    they hold until it grows."""

    def __init__(self, session: Session, profile: Profile, transcript: Transcript) -> None:
        """`session` says all but the messages. Raises ProfileError where the profile leaves no budget."""
        self._session, self._profile, self._transcript = session, profile, transcript
        self.lost = False
        """Whether something came that only looking at everything anew can place: this object says nothing more."""
        self._changed: int | None = None
        self._begin()

    def _begin(self) -> None:
        profile = self._profile
        self._thread = GrowingThread(self._session)
        session = self._thread.session
        self._features = GrowingFeatures(session)
        self._sizes = Sizes(session, SizeKey.of(profile))
        self._budget = budget(profile, measured_system(session, self._sizes))
        self._standing = GrowingStanding(self._features, self._sizes, profile, self._budget)
        self._states = Extraction(session, StateLimits.of(profile))
        self._followed = 0

    def __len__(self) -> int:
        """Messages taken in."""
        return len(self._thread.messages)

    def changed_since(self) -> int | None:
        """The first group that is not what it was when this was asked last, though it was there; None for none."""
        changed, self._changed = self._changed, None
        return 0 if self.lost else changed

    def grow(self, messages: Sequence[Message]) -> bool:
        """Take in the messages, which begin with those that were taken in before. False where this object is `lost`."""
        known, grown = len(self._features.entities), set()
        for m in range(len(self), len(messages)):
            g = self._thread.add(messages[m])
            if g is None:
                self.lost = True
                return False
            self._features.see(messages[m], g)
            if g < known:
                grown.add(g)
        self._sizes.catch_up(grown)
        self._changed = min((g for g in (self._changed, *grown) if g is not None), default=None)
        if not self._standing.expect(self._features.groups[known:]) or not all(map(self._again, sorted(grown))):
            self._begin()
            self._changed = 0
            return self.grow(messages)
        for g in range(known, self._groups):
            self._take(g)
        self._standing.follow()
        calls = self._features.calls
        for call in range(self._followed, len(calls)):
            self._states.follow(calls[call])
        self._followed = len(calls) - 1
        return True

    @property
    def _groups(self) -> int:
        return len(self._features.groups)

    def _take(self, g: int) -> None:
        """Take in the next group."""
        group, features = self._features.groups[g], self._features
        first = features.take(group)
        registering.take_in(features.session, features.uses[first:])
        self._standing.take(group, first)

    def _again(self, g: int) -> bool:
        """Take in a group again that has more results now."""
        group, features = self._features.groups[g], self._features
        first = features.again(group)
        registering.take_in(features.session, [use for use in features.uses[first:] if use.group == g])
        return self._standing.again(group, first)

    def inputs(self, changes: Sequence[Change]) -> Inputs:
        """The facts under these changes."""
        features = self._features
        return Inputs(
            features.session, self._profile, self._budget, features, self._sizes,
            outside(self._standing.value(), features, changes), self._states.versions, self._transcript,
            tuple(sorted(changes, key=lambda change: change.call)),
        )  # fmt: skip
