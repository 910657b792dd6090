"""How long what a tool returned may live, by the profile's rules."""

from __future__ import annotations

from ravenglass.hub.files.fingerprint import shows_content
from ravenglass.hub.files.toolbox import matches
from ravenglass.hub.files.uses import Use
from ravenglass.rules import Ttl, TtlRule


def ttl_of(use: Use, rules: tuple[TtlRule, ...]) -> Ttl:
    """The time to live of a call's result, by the first rule that matches.

    Where none does, file content lives until it is invalidated, and everything else for good.
    """
    for rule in rules:
        if matches(rule.tool, use.call.name) and matches(rule.path, use.use.path):
            return rule.ttl
    return "until_invalidated" if shows_content(use) else "none"
