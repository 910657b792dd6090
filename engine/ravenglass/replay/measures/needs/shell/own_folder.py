"""Takes out of a program what it does in a temporary folder of its own: nothing else is changed by that."""

from __future__ import annotations

import re

_MADE = re.compile(
    r"\b(\w+)\s*=\s*(?:(?:pathlib\.)?Path\()?tempfile\.(?:mkdtemp|mkstemp|TemporaryDirectory|NamedTemporaryFile)\("
    r"|tempfile\.(?:TemporaryDirectory|NamedTemporaryFile)\([^()\n]*\)\s+as\s+(\w+)"
)
_GIVEN = r"(?m)(?:^|[;\s]){name}\s*=(?!=)\s*([^;\n]*)"
_INSIDE = r"(?:os\.path\.join\(\s*|(?:pathlib\.)?Path\(\s*)?(?:{names})\b(?![^\n]*\bif\b)"
_CALLS = r"(?:\bos\.(?:makedirs|mkdir|remove|unlink|rmdir)|\bshutil\.rmtree|(?<![\w.])(?:io\.)?open)(\(\s*{inside})"
_METHODS = r"(\b(?:{names})|\(\s*(?:{names})\b[^()\n]*\))\.(?:write_text|write_bytes|touch|mkdir|unlink|rmdir)\("
_IMPORT = re.compile(r"(?m)^[ \t]*import\s+[\w., \t]*\bshutil\b[\w., \t]*$")


def outside(program: str) -> str:
    """The program without the calls that make, write or remove something in a temporary folder that it made itself. One
    that could leave that folder (`..`) is left whole."""
    names = _names(program)
    if not names or re.search(r"['\"/]\.\.", program):
        return program
    alternatives = "|".join(map(re.escape, sorted(names)))
    inside = _INSIDE.format(names=alternatives)
    rest = re.sub(_CALLS.format(inside=inside), r"_\1", program)
    rest = re.sub(_METHODS.format(names=alternatives), r"\1._(", rest)
    return _IMPORT.sub("", rest)


def _names(program: str) -> set[str]:
    """Names that stand for the folder or for something below it, wherever they are given a value."""
    names = {one or other for one, other in _MADE.findall(program)}
    if not names:
        return names
    while True:
        inside = re.compile(_INSIDE.format(names="|".join(map(re.escape, sorted(names)))))
        more = {
            name
            for name in set(re.findall(r"(?m)(?:^|[;\s])(\w+)\s*=(?!=)", program)) - names
            if all(inside.match(value) for value in re.findall(_GIVEN.format(name=re.escape(name)), program))
        }
        if not more:
            return names
        names |= more
