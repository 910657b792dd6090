"""What of a prompt a person wrote: harnesses put blocks of their own before and around it."""

from __future__ import annotations

import re

_TAG = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>")
_ANY_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_SPOKEN = frozenset({
    "task", "user_query", "userRequest", "user_request", "user_message", "feedback", "request", "query", "prompt",
    "question", "user_input", "message", "instruction", "command-args", "bash-input",
})  # fmt: skip
"""Tags around a person's own words."""
_LOOKED_AT = 1 << 16
"""Characters of a prompt in which its first words are looked for."""
_MOST = 200
"""Blocks that are passed over."""


def first_words(words: str) -> str:
    """The text without the harness's blocks at its beginning; empty where there is nothing else.

    A tag of a harness has a `_` or a `-` in its name or is closed again before other words come; a person's own markup
    (`<div>`) stays.
    """
    rest = words[:_LOOKED_AT].strip()
    for _ in range(_MOST):
        found = _TAG.match(rest)
        if found is None:
            break
        name = found[1]
        if name in _SPOKEN:
            inner, _, after = rest[found.end() :].partition(f"</{name}>")
            rest = (inner.strip() or after).strip()
        elif "_" in name or "-" in name or name in ("context", "attachments", "reminder"):
            _, closed, after = rest[found.end() :].partition(f"</{name}>")
            rest = after.strip() if closed else ""
        else:
            break
    return rest


def without_tags(words: str) -> str:
    """A command's text without the tags around its parts."""
    return " ".join(_ANY_TAG.sub(" ", words).split())
