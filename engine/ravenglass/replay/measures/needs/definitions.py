"""Which identifiers a text defines, declares or takes as parameters.

Every message of a session is read for this, so each pattern is anchored at the rare character that ends or begins what
it looks for: assignments and fields are read backwards from their sign, lines of code from their line break.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ravenglass.replay.measures.needs.terms import MOST_CHARS, tokens

_TEXTS = 64
"""So many texts are remembered: a response is read for what it needs and for what it defines."""

_KEYWORDS = (
    r"(?:def|class|func|fn|function|type|struct|enum|interface|trait|const|let|var|val|public|private|protected"
    r"|static|async|export|readonly)"
)
_AFTER_KEYWORD = re.compile(rf"\b{_KEYWORDS}\s+(?:\([^()\n]{{0,80}}\)\s*)?([A-Za-z_]\w*)")
_ENDS_IN_KEYWORD = re.compile(rf"(?:.*\W)?{_KEYWORDS}\Z", re.DOTALL)

_BACKWARDS = (
    re.compile(r"=(?::|(?<!==))\s*[\"']?(\w*[A-Za-z_])(?!\w)"),
    re.compile(r":(?<![:/=]:)\s*[\"']?(\w*[A-Za-z_])(?![\w.])"),
    re.compile(r"=:\s*\w+\s*,\s*(\w*[A-Za-z_])(?!\w)"),
)
"""On the reversed text: assignments, fields (a label `package.Constant:` is none), the first of two values of Go."""
_BEGINNING = r"\n[^\S\n]*(?:\d+\S?[^\S\n]+)?"
"""Of a line, which a tool may have numbered; the text has to begin with a line break."""
_FIELD = re.compile(rf"{_BEGINNING}([A-Z]\w*)[ \t]+\*?[\w.\[\]*]+[ \t]*(?:`|//|(?=\n|\Z))")
_METHOD = re.compile(rf"{_BEGINNING}([A-Za-z_]\w*)\([^()\n]{{0,120}}\)[^{{}}()\n]{{0,60}}\{{[^\S\n]*(?=\n|\Z)")
_ENDING = re.compile(r"\.(?:py|pyi|ts|tsx|js|jsx|go|rs|java|kt|rb|c|h|cc|cpp|hpp|cs|php|swift|scala|lua)\b")
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_FUNCTION = re.compile(r"(?m)^.*\b(?:def|func|fn|function)\b.*$")
_IN_BRACKETS = re.compile(r"\(([^()\n]{1,300})\)")


def defined(text: str) -> frozenset[str]:
    """Identifiers that a text defines, assigns, declares as a field, or names as a source file."""
    return _read(text)[0]


def declared(text: str) -> frozenset[str]:
    """Identifiers that a text declares as a function, a method, a type, a variable of a module or a source file."""
    return _read(text)[1]


def parameters(text: str) -> set[str]:
    """Parameters of the functions that a text defines."""
    text = text[:MOST_CHARS]
    if "def" not in text and "func" not in text and "fn" not in text:
        return set()
    lists = (inside for line in _FUNCTION.findall(text) for inside in _IN_BRACKETS.findall(line))
    return {found[0] for inside in lists for part in inside.split(",") if (found := _NAME.match(part.strip(" *&.")))}


@lru_cache(maxsize=_TEXTS)
def _read(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a text defines, and of that what it declares."""
    may_declare = len(text) > MOST_CHARS or "\\" in text or any(map(_ends_in_keyword, tokens(text)))
    text = text[:MOST_CHARS]
    backwards = text[::-1]
    names = {name[::-1] for pattern in _BACKWARDS for name in pattern.findall(backwards)}
    lines = f"\n{text}"
    names.update(_FIELD.findall(lines))
    declared = set(_METHOD.findall(lines)) if "{" in text else set()
    if may_declare:
        declared.update(_AFTER_KEYWORD.findall(text))
    declared.update(_modules(text, backwards))
    return frozenset(names | declared), frozenset(declared)


@lru_cache(maxsize=1 << 16)
def _ends_in_keyword(token: str) -> bool:
    """Whether white space behind a run of characters may stand behind a keyword. (A run begins anew behind an escape
    like `\\f`, so this says nothing of a text with backslashes.)"""
    return _ENDS_IN_KEYWORD.match(token) is not None


def _modules(text: str, backwards: str) -> list[str]:
    """Names of source files without their ending; of `a.py.ts` only the first, for what was read is not read again."""
    found: list[str] = []
    read = 0
    for ending in _ENDING.finditer(text):
        end = ending.start()
        stem = _WORD.match(backwards, len(text) - end)
        if stem is not None and end - len(stem[0]) >= read:
            found.append(text[end - len(stem[0]) : end])
            read = ending.end()
    return found
