"""What of a prompt a person wrote: harnesses put blocks of their own before and around it."""

from __future__ import annotations

import re

from ravenglass.sessions.importing.content.harness_tags import is_harness

_TAG = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>")
_ANY_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_SPOKEN = frozenset({
    "task", "user_query", "userRequest", "user_request", "user_message", "feedback", "request", "query", "prompt",
    "question", "user_input", "message", "instruction", "instructions", "command-args", "bash-input", "USER_REQUEST",
    "pr_description", "issue_description", "problem_statement", "task_description", "issue", "goal", "objective",
    "summary",
})  # fmt: skip
"""Tags around a person's own words."""
_LOOKED_AT = 1 << 16
"""Characters of a prompt in which its first words are looked for."""
_MOST = 200
"""Blocks that are passed over."""


def first_words(words: str) -> str:
    """The text without the harness's blocks at its beginning; empty where there is nothing else.

    Of a tag with a `_` or a `-` in its name that no harness is known to write, what comes behind it counts, else what
    is in it; a person's own markup (`<div>`) stays.
    """
    rest = words[:_LOOKED_AT].strip()
    for _ in range(_MOST):
        found = _TAG.match(rest)
        if found is None:
            break
        name = found[1]
        inner, closed, after = (piece.strip() for piece in rest[found.end() :].partition(f"</{name}>"))
        if name in _SPOKEN:
            rest = inner or after
        elif is_harness(name):
            rest = after
        elif "_" in name or "-" in name:
            rest = after or (inner if closed else "")
        else:
            break
    return rest


def without_tags(words: str) -> str:
    """A command's text without the tags around its parts."""
    return " ".join(_ANY_TAG.sub(" ", words).split())
