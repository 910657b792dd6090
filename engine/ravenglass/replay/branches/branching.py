"""Branches: what a run would have become if the profile or a flag had been another from some call on.

A branch keeps everything before its first call as the original run has it and replays on from there. It stands beside
the original; neither changes. A rollback is a branch that begins at a snapshot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ravenglass.errors import StoreError
from ravenglass.hub.files.fingerprint import NEVER
from ravenglass.hub.live import Live
from ravenglass.hub.size_key import SizeKey
from ravenglass.hub.sizes import Progress
from ravenglass.hub.snapshots.snapshot import Snapshot
from ravenglass.hub.summary import Summary
from ravenglass.profile import Profile
from ravenglass.replay.answers.snapshots import restored
from ravenglass.replay.branches.joined import Branch
from ravenglass.replay.bulk import go_on
from ravenglass.replay.commit import looked_back
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.changes import Change
from ravenglass.replay.stepping.inputs import Inputs, StateLimits
from ravenglass.replay.stepping.step import Stepper
from ravenglass.scheduler.expiry import Expiry
from ravenglass.scheduler.standing import Standing
from ravenglass.tokens import CountStore


def branch(
    run: SimulatedRun,
    call: int,
    profile: Profile | None = None,
    changes: Sequence[Change] = (),
    *,
    progress: Progress | None = None,
    store: CountStore | None = None,
) -> Branch:
    """The run as it is before `call`, replayed on from there under `profile` with further `changes` by hand.

    What the new profile would have released or let expire before is released and expires at `call`. What is on standby
    for longer than a lowered `standby_calls` is archived by the next slow path. Raises IndexError where `call` is not
    of the run or a change lies before it, and what `replay` raises.
    """
    if not 1 <= call <= run.calls:
        raise IndexError(f"call {call} is not between 1 and {run.calls}")
    return _continued(run, call, profile, changes, None, progress, store)


def rollback(
    run: SimulatedRun,
    held: Snapshot,
    profile: Profile | None = None,
    changes: Sequence[Change] = (),
    *,
    progress: Progress | None = None,
) -> Branch:
    """The run brought back to a snapshot of it and replayed on from there.

    Raises StoreError where the snapshot is not of this session, and what `branch` raises.
    """
    if held.step > run.calls:
        raise IndexError(f"call {held.step} is not between 1 and {run.calls}")
    return _continued(run, held.step + 1, profile, changes, held, progress, None)


def _continued(
    run: SimulatedRun,
    at: int,
    profile: Profile | None,
    changes: Sequence[Change],
    held: Snapshot | None,
    progress: Progress | None,
    store: CountStore | None,
) -> Branch:
    for change in changes:
        if change.call < at:
            raise IndexError(f"a change at call {change.call} lies before call {at}, where the branch begins")
    before = run.facts_at(max(1, at - 1))
    inputs = _inputs(run, at, profile, tuple(sorted((*run.changes, *changes), key=lambda c: c.call)), progress, store)
    if inputs.standing is not before.standing and at > 1:
        inputs = replace(inputs, standing=_caught_up(inputs.standing, before.standing, at))
    log = run.log_before(at)
    risk = looked_back(run.facts_at, log)
    risk.inputs = inputs
    stepper = _stepper(before, inputs, log, held)
    go_on(inputs, log, stepper, risk, progress)
    made = Branch(inputs, log, run, at, rewritten=_rewrites(before, inputs), held=held)
    made.settle_prefix()
    return made


def _stepper(before: Inputs, inputs: Inputs, log: ChangeLog, held: Snapshot | None) -> Stepper:
    """A stepper under the new facts that stands where the log ends, or at the snapshot taken there."""
    call = log.calls
    if not call:
        return Stepper(inputs)
    live = Live.restore(log.tracks, call, inputs.features.known[call])
    if held is not None:
        there = restored(before, held).live
        if (live.states, live.forms, live.caps, live.out_since) != (
            there.states, there.forms, there.caps, there.out_since,
        ):  # fmt: skip
            raise StoreError(f"The snapshot {held.name} is of another run of this session; nothing was restored.")
        live = there
        log.versions[-1] = held.working_state
        _tell(log, held.summary)
    log.versions[-1] = _version(before, inputs, log.versions[-1])
    _tell(log, _counted(inputs, log.summary(call)))
    return Stepper.standing_at(inputs, live, call, log.versions[-1], log.summary(call))


def _tell(log: ChangeLog, summary: Summary | None) -> None:
    """Have the window of the last call hold this summary."""
    log.summaries[-1] = summary.call if summary is not None else 0
    if summary is not None:
        log.told[summary.call] = summary


def _counted(inputs: Inputs, summary: Summary | None) -> Summary | None:
    """The summary with its tokens as the new facts count them."""
    if summary is None:
        return None
    tokens = inputs.sizes.tokenizer.count(summary.text) + inputs.profile.message_overhead
    return replace(summary, tokens=tokens)


def _inputs(
    run: SimulatedRun,
    at: int,
    profile: Profile | None,
    changes: tuple[Change, ...],
    progress: Progress | None,
    store: CountStore | None,
) -> Inputs:
    if profile in (None, run.profile) and at >= run.at:
        return replace(run.inputs, changes=changes)
    return Inputs.gather(run.session, profile or run.profile, changes, progress, store)


def _rewrites(before: Inputs, inputs: Inputs) -> bool:
    """Whether the same groups in the same forms may stand with other texts or sizes under the new facts."""

    def shape(of: Inputs) -> tuple[object, ...]:
        profile = of.profile
        return SizeKey.of(profile), StateLimits.of(profile), profile.offload_tokens, profile.section_order

    return shape(before) != shape(inputs)


def _version(before: Inputs, inputs: Inputs, version: int) -> int:
    """The version of the working state that takes the place of one made under other limits."""
    if version < 0 or before.versions is inputs.versions:
        return version
    return inputs.version_at(before.versions[version][0])


def _caught_up(now: Standing, before: Standing, at: int) -> Standing:
    """What is due earlier under the new rules than it happened is due at `at`."""
    released = [at if new < at <= old else new for new, old in zip(now.released_at, before.released_at, strict=True)]
    expired: dict[int, Expiry] = {}
    for g, end in now.expired.items():
        old = before.expired.get(g)
        late = end.call < at <= (old.call if old is not None else NEVER)
        expired[g] = replace(end, call=at) if late else end
    releases, expiries = dict(now.releases), dict(now.expiries)
    releases[at] = sorted({g for g, call in enumerate(released) if call == at})
    expiries[at] = sorted({g for g, end in expired.items() if end.call == at})
    return replace(now, released_at=released, expired=expired, releases=releases, expiries=expiries)
