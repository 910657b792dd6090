"""Windows as messages: the exact ordered list of what a call sees, made from a run's log on demand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ravenglass.hub.item import Form
from ravenglass.hub.sizes import ShownText
from ravenglass.hub.stub import BARE_ARGUMENTS, NO_RESULT, OPENING
from ravenglass.replay.frame import Section, Window, WindowMessage
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.sections import OPENING_MARK, SUMMARY, WORKING_STATE, SectionBlock, head
from ravenglass.scheduler.view import visible
from ravenglass.sessions.model.session import Group, Session


def blocks(inputs: Inputs, log: ChangeLog, call: int) -> list[SectionBlock]:
    """The blocks of a call's window in order."""
    features, instructions = inputs.features, inputs.standing.instructions
    found = head(inputs, log, call, log.versions[call - 1], log.summaries[call - 1])
    if log.openings[call - 1]:
        found.append(SectionBlock(OPENING_MARK, Form.FULL, 0, 0))
    for g in range(features.known[call]):
        track = log.tracks[g]
        form = track.form_at(call)
        if not form or g in instructions:
            continue
        group = features.groups[g]
        seen = len(group.messages)
        if features.ready[g] > call:
            seen = len(visible(features, group, call).messages)
        found.append(SectionBlock(g, form, track.cap_at(call) if form in (Form.SHRUNK, Form.REFERENCE) else 0, seen))
    return found


def window(inputs: Inputs, log: ChangeLog, call: int) -> Window:
    """The window of a call, with what is new in it against the previous call."""
    now = blocks(inputs, log, call)
    before = blocks(inputs, log, call - 1) if call > 1 else []
    known_before = set(before)
    same = 0
    while same < min(len(now), len(before)) and now[same] == before[same]:
        same += 1
    messages: list[WindowMessage] = []
    stable = stable_tokens = 0
    for position, block in enumerate(now):
        made = list(_messages(inputs, log, call, block, added=block not in known_before))
        messages.extend(made)
        if position < same:
            stable += len(made)
            stable_tokens += sum(m.tokens for m in made)
    return Window(
        call, log.paths[call - 1], tuple(messages), sum(m.tokens for m in messages), stable, stable_tokens,
        call in log.impossible,
    )  # fmt: skip


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
        tokens = inputs.sizes.tokenizer.count(OPENING) + inputs.profile.message_overhead
        yield WindowMessage(None, "user", OPENING, tokens, "history", False, None, "opening mark", added=added)
        return
    group = inputs.features.groups[block.group]
    if inputs.features.ready[block.group] > call:
        group = visible(inputs.features, group, call)
    section: Section = inputs.standing.sections.get(block.group, "history")
    shown = inputs.sizes.shown(group, Form(block.form), inputs.profile.offload_tokens, block.cap)
    closed, loose = _order(inputs.session, group)
    for m in closed:
        yield _message(inputs, m, shown[m], section, block.group, added, loose=False)
    names = {c.id: c.name for m in closed for c in inputs.session.messages[m].tool_calls}
    for call_id in group.unanswered:
        yield WindowMessage(
            None, "tool", NO_RESULT, inputs.sizes.no_result, section, False, block.group,
            f"{names.get(call_id, 'tool')}: no result recorded", tool_call_id=call_id, added=added,
        )  # fmt: skip
    for m in loose:
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
    calls = tuple((c.id, c.name, BARE_ARGUMENTS if shown.bare else c.arguments) for c in message.tool_calls)
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
    """Name of the first block that differs from the previous window; empty where new blocks only follow."""
    if call <= 1:
        return ""
    now, before = blocks(inputs, log, call), blocks(inputs, log, call - 1)
    for position, block in enumerate(before):
        if position >= len(now) or now[position] != block:
            return _name(inputs, block)
    return ""


def _name(inputs: Inputs, block: SectionBlock) -> str:
    if block.group == WORKING_STATE:
        return "working state"
    if block.group == OPENING_MARK:
        return "opening mark"
    if block.group == SUMMARY:
        return "summary"
    message = inputs.session.messages[inputs.features.groups[block.group].messages[0]]
    what = ", ".join(c.name for c in message.tool_calls[:3]) or message.role
    return f"#{message.id} {what}"
