"""Which tier a group belongs to: the profile's rules, first match wins, the strongest member decides."""

from __future__ import annotations

from functools import lru_cache

from ravenglass.hub.toolbox import file_use, matches
from ravenglass.hub.uses import source_of_group
from ravenglass.rules import TIERS, TierName, TierRule
from ravenglass.sessions.model import Group, Session


def tiers(session: Session, rules: tuple[TierRule, ...]) -> list[TierName]:
    """The tier of every group, before the hard cap of the global tier is applied."""
    return [_tier(session, group, rules) for group in session.structure.groups]


def _tier(session: Session, group: Group, rules: tuple[TierRule, ...]) -> TierName:
    first = session.messages[group.messages[0]]
    source = source_of_group(session, group)
    if not first.tool_calls:
        role = "user" if group.orphan else first.role
        return _rule_for(rules, role, source, first.tool_name or "", "", first.role == "assistant")
    found = (_rule_for(rules, "tool", source, call.name, file_use(call).path, False) for call in first.tool_calls)
    return min(found, key=TIERS.index)


@lru_cache(maxsize=65_536)
def _rule_for(rules: tuple[TierRule, ...], role: str, source: str, tool: str, path: str, closing: bool) -> TierName:
    for rule in rules:
        if (
            matches(rule.role, role)
            and matches(rule.source, source)
            and matches(rule.tool, tool)
            and matches(rule.path, path)
            and rule.closing in (None, closing)
        ):
            return rule.tier
    return "task"
