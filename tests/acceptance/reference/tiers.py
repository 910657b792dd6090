"""Tiers as engine.md section 4 has them: ordered rules, the strongest of a group, the white list and its hard cap."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase

from ravenglass.profile import Profile
from tests.acceptance.reference.facts import Facts, Group
from tests.acceptance.reference.sizes import Sizes

ORDER = ("global", "session", "task", "atomic")
_PATHS = ("file_path", "path", "notebook_path", "filePath", "filename", "file", "absolute_path", "target_file")


def path_of(arguments: str) -> str:
    """The file that a call names; empty where it names none."""
    try:
        given = json.loads(arguments)
    except ValueError:
        return ""
    if not isinstance(given, dict):
        return ""
    return next((given[key] for key in _PATHS if isinstance(given.get(key), str) and given[key]), "")


def tier_of(profile: Profile, role: str, source: str, tool: str, path: str, closing: bool) -> str:
    """The tier that the first matching rule gives."""
    for rule in profile.tier_rules:
        if rule.closing is not None and rule.closing != closing:
            continue
        pairs = ((role, rule.role), (source, rule.source), (tool, rule.tool), (path, rule.path))
        if all(glob == "*" or fnmatchcase(value, glob) for value, glob in pairs):
            return rule.tier
    return "task"


def wished(facts: Facts, group: Group, source: str, profile: Profile) -> list[str]:
    """Tiers of a group's members: of each of its calls, else of its one message."""
    first = facts.messages[group.messages[0]]
    if first.tool_calls:
        return [tier_of(profile, "tool", source, c.name, path_of(c.arguments), False) for c in first.tool_calls]
    # A result without a call stands in a window as a user's message.
    role = "user" if first.role == "tool" else first.role
    return [tier_of(profile, role, source, first.tool_name or "", "", facts.closing(first.id))]


class Global:
    """Tiers at registration, with what the hard cap of the global tier leaves."""

    def __init__(self, facts: Facts, sizes: Sizes, profile: Profile, available: int) -> None:
        self.facts, self.sizes, self.profile = facts, sizes, profile
        self.cap, self.used = profile.global_cap * available, 0

    def tier(self, group: Group, source: str) -> str:
        """The tier of a group; groups are asked for in the order of their registration, each once."""
        found = wished(self.facts, group, source, self.profile)
        strongest = min(found, key=ORDER.index)
        if strongest != "global":
            return strongest
        if any(tier != "global" for tier in found):
            return "task"
        size = self.sizes.group(group, "full")
        instruction = self.facts.messages[group.messages[0]].role in ("system", "developer")
        if not instruction and self.used + size > self.cap:
            return "task"
        self.used += size
        return "global"
