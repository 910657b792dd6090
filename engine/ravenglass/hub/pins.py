"""Pins and protection: groups that trimming may not touch. Pins move when the same instruction is read again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ravenglass.hub.files.fingerprint import NEVER
from ravenglass.hub.files.toolbox import arguments, matches, strings
from ravenglass.hub.files.uses import Use
from ravenglass.rules import PinRule
from ravenglass.sessions.model.session import Group, Message, Session, ToolCall


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
    board = PinBoard(rules)
    for use in uses:
        board.take(use)
    return board.pins


class PinBoard:
    """Takes in tool calls in their order; `pins` is by group, ascending."""

    def __init__(self, rules: tuple[PinRule, ...]) -> None:
        self.pins: dict[int, Pin] = {}
        self._rules = rules
        self._holders: dict[str, list[int]] = {}
        self._keys: dict[int, list[str]] = {}
        """Group -> the instructions that it holds."""
        self._order: dict[str, int] = {}

    def matches(self, use: Use) -> bool:
        """Whether a rule is about the call."""
        return bool(_key(use.call, self._rules))

    def take(self, use: Use) -> None:
        """The next call, or one of the last group again, now with its result."""
        key = _key(use.call, self._rules)
        if not key:
            return
        held = self._holders.setdefault(key, [])
        self._order.setdefault(key, len(self._order))
        # A reading that failed takes no pin from one that worked.
        if not held or (use.result is not None and held[-1] != use.group):
            held.append(use.group)
            self._keys.setdefault(use.group, []).append(key)
            for group in held[-2:]:
                self.pins[group] = self._pin(group)

    def _pin(self, group: int) -> Pin:
        """The pin of the instruction that stays longest, the first that was held among equals."""
        keys = sorted(self._keys[group], key=self._order.__getitem__)
        return max((Pin(group, key, self._moved_to(group, key)) for key in keys), key=lambda pin: pin.moved_to)

    def _moved_to(self, group: int, key: str) -> int:
        held = self._holders[key]
        place = bisect_right(held, group)
        return held[place] if place < len(held) else NEVER


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
    head = SessionHead(exchanges)
    return frozenset(g.index for g in session.structure.groups if head.takes(session.messages[g.messages[0]], g))


class SessionHead:
    """Says of groups in their order which belong to the head of the session."""

    def __init__(self, exchanges: int) -> None:
        self._exchanges = exchanges
        self._seen = 0
        self._waiting = False
        self._over = False

    def takes(self, first: Message, group: Group) -> bool:
        """Whether the next group, which begins with `first`, is protected."""
        if group.unsent:
            return False
        if first.role in ("system", "developer"):
            return True
        if self._over:
            return False
        if first.role == "user" and first.kind == "prompt":
            self._over = self._seen == self._exchanges
            self._seen += 1
            self._waiting = not self._over
            return not self._over
        if self._waiting and first.role == "assistant" and not first.flags & _NO_RESPONSE:
            self._waiting = False
            return True
        return False


def newest_prompts(session: Session) -> list[tuple[Group, bool]]:
    """Groups that are user messages, in order, each with whether a person typed it."""
    return [
        (g, session.messages[g.messages[0]].kind == "prompt")
        for g in session.structure.groups
        if session.messages[g.messages[0]].role == "user" and not g.unsent
    ]
