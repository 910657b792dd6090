"""Finds the lines that define a symbol in a source text. By the words of common languages, not by a parser.

A definition begins at the line that names it after `def`, `class`, `function`, `fn` and the like (decorators and
attributes directly above belong to it) and ends where its indentation or its braces do.
"""

from __future__ import annotations

import re

_WORDS = (
    r"def|class|function|func|fn|struct|enum|interface|trait|impl|type|module|mod|namespace|macro_rules!"
    r"|const|let|var|val"
)
_BEFORE = (
    r"async|export|default|public|private|protected|internal|static|abstract|final|pub|override|unsafe|extern|inline"
)
_DEF = re.compile(r"\s*(?:async\s+)?def\s")
_ABOVE = re.compile(r"\s*(?:@|#\[|//|#|/\*|\*)")


def definition(text: str, symbol: str) -> tuple[int, int] | None:
    """Lines of the definition of `symbol` as (first, behind the last), counted from 0; None where it is not found.

    `Class.method` and `Class::method` look for the method inside the class.
    """
    lines = text.split("\n")
    first, end = 0, len(lines)
    for name in re.split(r"\.|::", symbol):
        found = _find(lines, name, first, end)
        if found is None:
            return None
        first, end = found
    return _with_head(lines, first), end


def _find(lines: list[str], name: str, first: int, end: int) -> tuple[int, int] | None:
    word = re.escape(name)
    after_word = rf"(?:{_WORDS})\s+(?:\([^)]*\)\s*)?{word}(?!\w)"
    assigned = rf"{word}\s*(?::[^=]*)?=(?!=)"
    with_body = rf"(?:[\w<>\[\],*&]+\s+)*{word}\s*\([^;]*\)[^;{{]*\{{"
    named = re.compile(rf"(?P<in>\s*)(?:(?:{_BEFORE})\s+)*(?:{after_word}|{assigned}|{with_body})")
    for i in range(first, end):
        found = named.match(lines[i])
        if found:
            return i, _end(lines, i, end, len(found["in"].expandtabs()))
    return None


def _end(lines: list[str], start: int, limit: int, indent: int) -> int:
    """Behind the last line: where the braces close, else before the next line that is indented no deeper."""
    if _has_braces(lines, start, limit):
        depth = 0
        for i in range(start, limit):
            depth += lines[i].count("{") - lines[i].count("}")
            if "}" in lines[i] and depth <= 0:
                return i + 1
        return _without_blank(lines, start, limit)
    for i in range(start + 1, limit):
        if lines[i].strip() and _indent(lines[i]) <= indent and not _closes(lines[i]):
            return _without_blank(lines, start, i)
    return _without_blank(lines, start, limit)


def _has_braces(lines: list[str], start: int, limit: int) -> bool:
    """Whether the head of a definition opens a brace before it ends as Python's do."""
    if _DEF.match(lines[start]):
        return False
    indent = _indent(lines[start])
    for i in range(start, limit):
        row = lines[i].rstrip()
        if row.endswith(":"):
            return False
        if "{" in row:
            return True
        if i > start and row and _indent(row) <= indent and not _closes(row):
            return False
    return False


def _closes(line: str) -> bool:
    """A line that only ends what was open (`) -> int:`) belongs to the definition above it."""
    return line.strip()[0] in ")]"


def _without_blank(lines: list[str], start: int, end: int) -> int:
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return end


def _with_head(lines: list[str], first: int) -> int:
    indent = _indent(lines[first])
    while first and _ABOVE.match(lines[first - 1]) and _indent(lines[first - 1]) == indent:
        first -= 1
    return first


def _indent(line: str) -> int:
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())
