"""Windows as messages: the exact ordered list of what a call sees, made from a run's log on demand."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from ravenglass.curator.dialects import Caching
from ravenglass.hub.item import WITH_CAP, Form
from ravenglass.hub.sizes import ShownText
from ravenglass.hub.stub import BARE_ARGUMENTS, NO_RESULT, OPENING
from ravenglass.replay.frame import Breakpoint, Section, Window, WindowMessage
from ravenglass.replay.measures.breakpoints import CacheMark
from ravenglass.replay.measures.lifetime import remembered
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.sections import OPENING_BLOCK, OPENING_MARK, SUMMARY, WORKING_STATE, SectionBlock, head
from ravenglass.scheduler.view import visible
from ravenglass.sessions.model.session import Group, Session

_HOUR = 3_600
"""Seconds that the longer of a provider's two lifetimes lasts."""


def blocks(inputs: Inputs, log: ChangeLog, call: int) -> list[SectionBlock]:
    """The blocks of a call's window in order."""
    found = head(inputs, log, call, log.versions[call - 1], log.summaries[call - 1])
    if log.openings[call - 1]:
        found.append(OPENING_BLOCK)
    return [*found, *history(inputs, log, call)]


def history(inputs: Inputs, log: ChangeLog, call: int, first: int = 0) -> Iterator[SectionBlock]:
    """The blocks of a call's history from the group `first` on; the call's groups are in the log already."""
    features, instructions = inputs.features, inputs.standing.instructions
    inside = log.inside(call)
    for g in inside[bisect_left(inside, first) :]:
        if g in instructions:
            continue
        track = log.tracks[g]
        form = track.form_at(call)
        group = features.groups[g]
        seen = len(group.messages)
        if features.ready[g] > call:
            seen = len(visible(features, group, call).messages)
        yield SectionBlock(g, form, track.cap_at(call) if form in WITH_CAP else 0, seen)


@dataclass(frozen=True, slots=True)
class Common:
    """What two windows have in common from their beginning on, in messages and tokens, and the first message of the
    earlier one that the later does not go on with; None where it has them all."""

    messages: int
    tokens: int
    broken: WindowMessage | None


def common(
    inputs: Inputs, log: ChangeLog, call: int, now: Iterable[SectionBlock], before: Iterable[SectionBlock]
) -> Common:
    """Compare blocks of a call with those of the call before, message by message in what a provider gets: a result that
    changed does not take the call before it away, and the same text in another form or version is the same."""
    messages = tokens = 0
    earlier = _parts(inputs, log, call - 1, before)
    for old, new in zip_longest(earlier, _parts(inputs, log, call, now)):
        if old is None:
            break
        if new is None or _bytes(old) != _bytes(new):
            return Common(messages, tokens, old)
        messages += 1
        tokens += new.tokens
    return Common(messages, tokens, None)


def _parts(inputs: Inputs, log: ChangeLog, call: int, found: Iterable[SectionBlock]) -> Iterator[WindowMessage]:
    for block in found:
        yield from _messages(inputs, log, call, block, added=False)


def _bytes(message: WindowMessage) -> tuple[object, ...]:
    """What a provider gets of a message; by its tokens one that lost its images is another."""
    return message.role, message.text, message.thinking, message.tool_calls, message.tool_call_id, message.tokens


MadeMessages = dict[SectionBlock, tuple[WindowMessage, ...]]
"""Groups as they stand in a window and stood in the one before -> their messages."""


def window(
    inputs: Inputs, log: ChangeLog, call: int, marks: Sequence[CacheMark] = (), made_before: MadeMessages | None = None
) -> Window:
    """The window of a call, with what is new in it against the previous call, and its breakpoints. `made_before`: of an
    earlier window of this session, used and brought up to date."""
    now = blocks(inputs, log, call)
    before = blocks(inputs, log, call - 1) if call > 1 else []
    known_before = set(before)
    same = 0
    while same < min(len(now), len(before)) and now[same] == before[same]:
        same += 1
    messages: list[WindowMessage] = []
    kept: MadeMessages = {}
    stable = stable_tokens = 0
    for position, block in enumerate(now):
        added = block not in known_before
        made = made_before.get(block) if made_before and not added else None
        if made is None:
            made = tuple(_messages(inputs, log, call, block, added=added))
        if not added and block.group >= 0:
            kept[block] = made
        messages.extend(made)
        if position < same:
            stable += len(made)
            stable_tokens += sum(m.tokens for m in made)
    if made_before is not None:
        made_before.clear()
        made_before.update(kept)
    rest = common(inputs, log, call, now[same:], before[same:])
    first = stable
    stable += rest.messages
    messages[first:stable] = [replace(m, added=False) for m in messages[first:stable]]
    return Window(
        call, log.paths[call - 1], tuple(messages), sum(m.tokens for m in messages), stable,
        stable_tokens + rest.tokens, call in log.impossible, remembered=call > 1 and remembered(inputs, call),
        breakpoints=tuple(_breakpoints(messages, marks)), long_lived=inputs.profile.cache_ttl_s >= _HOUR,
    )  # fmt: skip


def _breakpoints(messages: Sequence[WindowMessage], marks: Sequence[CacheMark]) -> Iterator[Breakpoint]:
    """Each mark with the number of blocks before it; the automatic one stands behind all."""
    blocks = tokens = 0
    for mark in marks:
        while blocks < len(messages) and (tokens < mark.tokens or mark.kind == "automatic"):
            tokens += messages[blocks].tokens
            blocks += 1
        yield Breakpoint(blocks, mark.tokens, mark.kind)


def caching(window: Window) -> Caching:
    """The breakpoints of a window as its request carries them. One before the first block belongs to the tools, which
    are no part of it."""
    after = frozenset(mark.blocks for mark in window.breakpoints if mark.kind != "automatic" and mark.blocks)
    automatic = any(mark.kind == "automatic" for mark in window.breakpoints)
    return Caching(after, automatic, window.long_lived)


def _messages(
    inputs: Inputs, log: ChangeLog, call: int, block: SectionBlock, *, added: bool
) -> Iterator[WindowMessage]:
    if block.group == WORKING_STATE:
        text, tokens = inputs.rendered(block.seen)
        yield WindowMessage(None, "system", text, tokens, "session", False, None, "working state", added=added)
        return
    if block.group == SUMMARY:
        told = log.told[block.seen]
        yield WindowMessage(None, "system", told.text, told.tokens, "session", False, None, "summary", added=added)
        return
    if block.group == OPENING_MARK:
        yield WindowMessage(
            None, "user", OPENING, inputs.sizes.opening, "history", False, None, "opening mark", added=added
        )
        return
    group = inputs.features.groups[block.group]
    if inputs.features.ready[block.group] > call:
        group = visible(inputs.features, group, call)
    section: Section = inputs.standing.sections.get(block.group, "history")
    shown = inputs.sizes.shown(group, Form(block.form), inputs.profile.offload_tokens, block.cap)
    closed, loose = _order(inputs.session, group)
    for m in closed:
        if m not in shown:  # half a group: recorded so, or with more calls than there was room for
            continue
        yield _message(inputs, m, shown[m], section, block.group, added, loose=False)
    names = {c.id: c.name for m in closed for c in inputs.session.messages[m].tool_calls}
    for call_id in group.unanswered:
        yield WindowMessage(
            None, "tool", NO_RESULT, inputs.sizes.no_result, section, False, block.group,
            f"{names.get(call_id, 'tool')}: no result recorded", tool_call_id=call_id, added=added,
        )  # fmt: skip
    for m in (one for one in loose if one in shown):
        yield _message(inputs, m, shown[m], section, block.group, added, loose=True)


def _order(session: Session, group: Group) -> tuple[list[int], list[int]]:
    """The group's messages as providers demand them: a call, then one result each; and the results that no call
    is left for (its call comes later, or has its answer), which can only be shown as user messages."""
    messages = [session.messages[m] for m in group.messages]
    head = [m.id for m in messages if m.role != "tool"]
    open_calls = Counter(c.id for m in messages for c in m.tool_calls)
    closed: list[int] = head
    loose: list[int] = []
    for message in messages:
        if message.role == "tool":
            answers = open_calls[message.tool_call_id or ""] > 0
            open_calls[message.tool_call_id or ""] -= answers
            (closed if answers else loose).append(message.id)
    return closed, loose


def _message(
    inputs: Inputs, m: int, shown: ShownText, section: Section, group: int, added: bool, *, loose: bool
) -> WindowMessage:
    message = inputs.session.messages[m]
    held = message.tool_calls[: shown.calls]
    calls = tuple((c.id, c.name, BARE_ARGUMENTS if shown.bare else c.arguments) for c in held)
    return WindowMessage(
        id=m,
        role="user" if loose else message.role,
        text=shown.text,
        tokens=shown.tokens,
        section=section,
        verbatim=shown.verbatim and m not in inputs.sizes.orphans,
        group=group,
        label=message.tool_name or message.role if message.role == "tool" else message.role,
        thinking="" if shown.bare else message.thinking,
        tool_calls=calls,
        tool_call_id=None if loose else message.tool_call_id,
        added=added,
    )


def first_break(inputs: Inputs, log: ChangeLog, call: int) -> str:
    """Name of the first block that differs from the previous window; empty where new ones only follow."""
    if call <= 1:
        return ""
    now, before = blocks(inputs, log, call), blocks(inputs, log, call - 1)
    same = next((i for i, pair in enumerate(zip(now, before, strict=False)) if pair[0] != pair[1]), None)
    if same is None:
        same = min(len(now), len(before))
    broken = common(inputs, log, call, now[same:], before[same:]).broken
    return "" if broken is None else _name(broken)


def _name(message: WindowMessage) -> str:
    if message.id is None:
        return message.label
    what = ", ".join(name for _, name, _ in message.tool_calls[:3]) or message.label
    return f"#{message.id} {what}"
