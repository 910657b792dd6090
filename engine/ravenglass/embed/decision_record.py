"""What one decided call added to the log of a run, as a value that can be written down and put back."""

from __future__ import annotations

from dataclasses import dataclass, field

from ravenglass.hub.item import Form
from ravenglass.hub.live import Live, decode
from ravenglass.hub.summary import Summary
from ravenglass.replay.frame import PathName
from ravenglass.replay.stepping.changelog import ChangeLog, Made
from ravenglass.replay.stepping.changes import StateUpdate
from ravenglass.rules import TIERS, TierName


@dataclass(frozen=True, slots=True)
class CallRecord:
    """The entries of a `ChangeLog` for one call; sizes in tokens. `seen`: the messages it was decided on.

    `changed`: group, its code (hub.live) and its cap, for groups whose state or form changed.
    """

    call: int
    seen: int
    path: PathName
    tokens: int
    history: int
    tiers: dict[TierName, int]
    version: int
    summary: int
    opening: bool
    included: int
    prefix: int
    cached: int
    changed: tuple[tuple[int, int, int], ...] = ()
    archived: dict[int, str] = field(default_factory=dict)
    by_hand: tuple[int, ...] = ()
    retrieved: tuple[int, ...] = ()
    evicted: int = 0
    told: Summary | None = None
    made: Made | None = None
    update: StateUpdate | None = None
    """What a policy made of the working state at the call."""
    impossible: bool = False
    overflow: bool = False
    over_quota: bool = False


def record_of(log: ChangeLog, call: int, seen: int, update: StateUpdate | None) -> CallRecord:
    """The record of a call that the log holds."""
    n = call - 1
    return CallRecord(
        call, seen, log.paths[n], log.tokens[n], log.history[n], {tier: log.tiers[tier][n] for tier in TIERS},
        log.versions[n], log.summaries[n], bool(log.openings[n]), log.included[n], log.prefix[n], log.cached[n],
        tuple((g, log.tracks[g].at(call), log.tracks[g].cap_at(call)) for g in log.changed.get(call, ())),
        log.archived.get(call, {}), tuple(sorted(log.by_hand.get(call, ()))), log.retrieved.get(call, ()),
        log.evicted.get(call, 0), log.told.get(call), log.made.get(call), update,
        call in log.impossible, call in log.overflow, call in log.over_quota,
    )  # fmt: skip


def fits(record: CallRecord, log: ChangeLog, known: int) -> bool:
    """Whether the record can be the log's next call, which knows `known` groups."""
    return (
        record.call == log.calls + 1
        and all(0 <= g < known for g, _, _ in record.changed)
        and record.tiers.keys() == set(TIERS)
        and (not record.summary or record.summary in log.told or record.told is not None)
        and all(_is_code(value) for _, value, _ in record.changed)
    )


def _is_code(value: int) -> bool:
    try:
        decode(value)
    except KeyError:
        return False
    return True


def put_back(log: ChangeLog, record: CallRecord, live: Live) -> None:
    """Add the call to the log, whose tracks are long enough, as it was added when it was decided. `live` is that of the
    records before it."""
    call = record.call
    for g, value, cap in record.changed:
        state, form = decode(value)
        live.states[g], live.forms[g] = state, form
        live.caps.pop(g, None)
        if form is not Form.OUT and cap:
            live.caps[g] = cap
        live.touched.add(g)
    live.commit(log.tracks, call)
    log.paths.append(record.path)
    log.tokens.append(record.tokens)
    log.history.append(record.history)
    for tier in TIERS:
        log.tiers[tier].append(record.tiers[tier])
    log.versions.append(record.version)
    log.summaries.append(record.summary)
    log.openings.append(record.opening)
    log.included.append(record.included)
    log.prefix.append(record.prefix)
    log.cached.append(record.cached)
    _tables(log, record)


def _tables(log: ChangeLog, record: CallRecord) -> None:
    call = record.call
    if record.changed:
        log.changed[call] = tuple(g for g, _, _ in record.changed)
    if record.archived:
        log.archived[call] = record.archived
    if record.by_hand:
        log.by_hand[call] = frozenset(record.by_hand)
    if record.retrieved:
        log.retrieved[call] = record.retrieved
    if record.evicted:
        log.evicted[call] = record.evicted
    if record.told is not None:
        log.told[call] = record.told
    if record.made is not None:
        log.made[call] = record.made
    for marked, calls in (
        (record.impossible, log.impossible), (record.overflow, log.overflow), (record.over_quota, log.over_quota),
    ):  # fmt: skip
        if marked:
            calls.append(call)
