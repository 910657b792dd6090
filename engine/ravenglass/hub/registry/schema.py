"""The structure type of a content, from the content alone: text, tree, json or patch."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from ravenglass.hub.files.patches import envelope_uses, unified

Schema = Literal["text", "tree", "json", "patch"]

_BRANCH = re.compile(r"^[\s│|]*[├└`|+\\][─-]{2}", re.MULTILINE)
_PATH = re.compile(r"(?:[\w.@~+-]+/)+[\w.@~+-]*|/[\w.@~+/-]*|[\w@~+-]+\.\w+")


def sniff(content: str) -> Schema:
    """What a content is: a patch that names files, valid JSON, a tree or list of paths; else text."""
    stripped = content.strip()
    if unified(content) or envelope_uses(content):
        return "patch"
    if stripped[:1] in ("{", "[") and _is_json(stripped):
        return "json"
    lines = [line.strip() for line in stripped.splitlines() if line.strip()]
    if _BRANCH.search(stripped) or (len(lines) > 1 and all(map(_PATH.fullmatch, lines))):
        return "tree"
    return "text"


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text.encode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return False
    return True
