"""Pins and protection: groups that trimming may not touch. Pins move when the same instruction is read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ravenglass.hub.files.fingerprint import NEVER
from ravenglass.hub.files.toolbox import arguments, matches, strings
from ravenglass.hub.files.uses import Use
from ravenglass.rules import PinRule
from ravenglass.sessions.model.session import Group, Session, ToolCall


@dataclass(frozen=True, slots=True)
class Pin:
    """The group is pinned from the moment it is known until group `moved_to` is (NEVER: for good).

    `key` is the instruction; of several in one group, the one that stays longest.
    """

    group: int
    key: str
    moved_to: int = NEVER


def pins(uses: Sequence[Use], rules: tuple[PinRule, ...]) -> dict[int, Pin]:
    """Group -> its pin, for groups whose tool calls match a rule."""
    holders: dict[str, list[int]] = {}
    for use in uses:
        key = _key(use.call, rules)
        held = holders.setdefault(key, []) if key else None
        # A reading that failed takes no pin from one that worked.
        if held is not None and (not held or (use.result is not None and held[-1] != use.group)):
            held.append(use.group)
    found: dict[int, Pin] = {}
    for key, groups in holders.items():
        for group, moved_to in zip(groups, (*groups[1:], NEVER), strict=True):
            if group not in found or found[group].moved_to < moved_to:
                found[group] = Pin(group, key, moved_to)
    return dict(sorted(found.items()))


def _key(call: ToolCall, rules: tuple[PinRule, ...]) -> str:
    for rule in rules:
        if matches(rule.tool, call.name):
            for text in strings(arguments(call)):
                if matches(rule.argument, text):
                    return text
    return ""


_NO_RESPONSE = frozenset({"synthetic", "api_error"})
"""Flags of assistant messages that answer nothing."""


def protected(session: Session, exchanges: int) -> frozenset[int]:
    """Groups of the head of the session: every instruction, and the first `exchanges` exchanges.

    An exchange is a prompt and the first assistant response to it with its tool results.
    """
    groups = session.structure.groups
    kept = {g.index for g in groups if session.messages[g.messages[0]].role in ("system", "developer") and not g.unsent}
    seen = 0
    waiting = False
    for group in groups:
        first = session.messages[group.messages[0]]
        if group.unsent:
            continue
        if first.role == "user" and first.kind == "prompt":
            if seen == exchanges:
                break
            seen += 1
            waiting = True
            kept.add(group.index)
        elif waiting and first.role == "assistant" and not first.flags & _NO_RESPONSE:
            kept.add(group.index)
            waiting = False
    return frozenset(kept)


def newest_prompts(session: Session) -> list[tuple[Group, bool]]:
    """Groups that are user messages, in order, each with whether a person typed it."""
    return [
        (g, session.messages[g.messages[0]].kind == "prompt")
        for g in session.structure.groups
        if session.messages[g.messages[0]].role == "user" and not g.unsent
    ]
