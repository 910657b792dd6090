"""Pins and protection: groups that trimming may not touch. Pins move when the same instruction is read again."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.hub.fingerprint import NEVER
from ravenglass.hub.toolbox import arguments, matches, strings
from ravenglass.rules import PinRule
from ravenglass.sessions.model import Group, Session, ToolCall


@dataclass(frozen=True, slots=True)
class Pin:
    """The group is pinned from the moment it is known until group `moved_to` is (NEVER: for good)."""

    group: int
    key: str
    moved_to: int = NEVER


def pins(session: Session, rules: tuple[PinRule, ...]) -> dict[int, Pin]:
    """Group -> its pin, for groups whose tool calls match a rule."""
    found: dict[int, Pin] = {}
    latest: dict[str, int] = {}
    for group in session.structure.groups:
        for call in session.messages[group.messages[0]].tool_calls:
            key = _key(call, rules)
            if not key:
                continue
            before = latest.get(key)
            if before is not None and before != group.index:
                found[before] = Pin(before, key, group.index)
            latest[key] = group.index
            found[group.index] = Pin(group.index, key)
    return found


def _key(call: ToolCall, rules: tuple[PinRule, ...]) -> str:
    for rule in rules:
        if matches(rule.tool, call.name):
            for text in strings(arguments(call)):
                if matches(rule.argument, text):
                    return text
    return ""


def protected(session: Session, exchanges: int) -> frozenset[int]:
    """Groups of the head of the session: leading instructions, and the first `exchanges` exchanges.

    An exchange is a prompt and the first assistant response to it with its tool results.
    """
    groups = session.structure.groups
    kept = {g.index for g in groups if session.messages[g.messages[0]].role in ("system", "developer")}
    seen = 0
    waiting = False
    for group in groups:
        first = session.messages[group.messages[0]]
        if first.role == "user" and first.kind == "prompt":
            if seen == exchanges:
                break
            seen += 1
            waiting = True
            kept.add(group.index)
        elif waiting and first.role == "assistant" and "synthetic" not in first.flags:
            kept.add(group.index)
            waiting = False
    return frozenset(kept)


def newest_prompts(session: Session) -> list[tuple[Group, bool]]:
    """Groups that are user messages, in order, each with whether a person typed it."""
    return [
        (g, session.messages[g.messages[0]].kind == "prompt")
        for g in session.structure.groups
        if session.messages[g.messages[0]].role == "user"
    ]
