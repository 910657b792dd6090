"""Which tier a group belongs to: the profile's rules, first match wins, the strongest member decides."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ravenglass.hub.files.toolbox import file_use, matches
from ravenglass.hub.files.uses import source_of_group
from ravenglass.rules import TIERS, TierName, TierRule
from ravenglass.sessions.model.session import Group, Session

_MOST_MEMBERS = 65_536
"""Remembered kinds of members; every path makes one."""


def tiers(session: Session, rules: tuple[TierRule, ...]) -> list[TierName]:
    """The tier of every group, before the hard cap of the global tier is applied."""
    table = _table(rules)
    return [_tier(session, group, table) for group in session.structure.groups]


def tier_of(session: Session, rules: tuple[TierRule, ...], group: Group) -> TierName:
    """The tier of one group, as `tiers` has it."""
    return _tier(session, group, _table(rules))


def off_list(session: Session, rules: tuple[TierRule, ...], group: Group) -> tuple[str, ...]:
    """Tools of a group's calls that no rule makes global: what keeps a group off the white list of the tier."""
    calls = session.messages[group.messages[0]].tool_calls
    found = zip(calls, _rulings(session, group, _table(rules)), strict=True) if calls else ()
    return tuple(dict.fromkeys(call.name or "a call without a name" for call, tier in found if tier != "global"))


class _Member(NamedTuple):
    """What rules look at."""

    role: str
    source: str
    tool: str
    path: str
    closing: bool


class _Table(dict[_Member, TierName]):
    """The tier of each kind of member under some rules, found once."""

    def __init__(self, rules: tuple[TierRule, ...]) -> None:
        super().__init__()
        self._rules = rules
        self._left: dict[_Member, list[TierRule]] = {}

    def __missing__(self, member: _Member) -> TierName:
        if len(self) >= _MOST_MEMBERS:
            self.clear()
            self._left.clear()
        rules = self._but_for_path(member._replace(path=""))
        found: TierName = next((rule.tier for rule in rules if matches(rule.path, member.path)), "task")
        self[member] = found
        return found

    def _but_for_path(self, kind: _Member) -> list[TierRule]:
        """Rules that only the path can still decide on, up to the first that takes any path: there are many paths, and
        few kinds of members besides."""
        known = self._left.get(kind)
        if known is None:
            known = []
            for rule in self._rules:
                if _applies(rule, kind):
                    known.append(rule)
                    if rule.path == "*":
                        break
            self._left[kind] = known
        return known


@lru_cache(maxsize=16)
def _table(rules: tuple[TierRule, ...]) -> _Table:
    """Looked up once a session: hashing the rules takes longer than applying them to a member."""
    return _Table(rules)


def _applies(rule: TierRule, member: _Member) -> bool:
    """Whether a rule is about a member, whatever its path."""
    return (
        matches(rule.role, member.role)
        and matches(rule.source, member.source)
        and matches(rule.tool, member.tool)
        and rule.closing in (None, member.closing)
    )


def _tier(session: Session, group: Group, table: _Table) -> TierName:
    first = session.messages[group.messages[0]]
    source = source_of_group(session, group)
    if not first.tool_calls:
        role = "user" if group.orphan else first.role
        return table[_Member(role, source, first.tool_name or "", "", first.role == "assistant")]
    return min(_rulings(session, group, table), key=TIERS.index)


def _rulings(session: Session, group: Group, table: _Table) -> list[TierName]:
    """The tier of each tool call of a group."""
    calls, source = session.messages[group.messages[0]].tool_calls, source_of_group(session, group)
    return [table[_Member("tool", source, call.name, file_use(call).path, False)] for call in calls]
