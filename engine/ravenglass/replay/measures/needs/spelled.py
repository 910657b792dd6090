"""Other spellings of a name, what a dotted name is made of, and which identifiers a text defines.

A window holds a name also where it holds the same thing in another spelling: the file behind another path, the member
behind another object, the hash inside a longer id, `checkpoint_number` for `CheckpointNumber`, the module
`shop.prices` for the file `shop/prices.py`. The member of a library is known without any session: of dotted
names only those count whose member, or whose own object, some text defines, assigns or names as a file.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ravenglass.replay.measures.needs.terms import MOST_CHARS, is_file, is_hash, telling

_WORD = re.compile(r"[A-Za-z_]\w*")
_NAME = re.compile(r"[A-Za-z_./~][\w./~-]*\Z")
_SHORTEST_FOLD = 6
"""Characters; of shorter ones two names may have the same by chance."""
_DEFINITIONS = (
    re.compile(
        r"\b(?:def|class|func|fn|function|type|struct|enum|interface|trait|const|let|var|val|public|private|protected"
        r"|static|async|export|readonly)\s+(?:\([^()\n]{0,80}\)\s*)?([A-Za-z_]\w*)"
    ),
    re.compile(r"\b([A-Za-z_]\w*)[\"']?\s*(?::=|=(?!=))"),
    re.compile(r"(?<!\.)\b([A-Za-z_]\w*)[\"']?\s*:(?![:/=])"),
    re.compile(r"\b([A-Za-z_]\w*)\s*,\s*\w+\s*:="),
    re.compile(r"(?m)^\s*(?:\d+\S?\s+)?([A-Z]\w*)[ \t]+\*?[\w.\[\]*]+[ \t]*(?:`|//|$)"),
    re.compile(r"(?m)^\s*(?:\d+\S?\s+)?([A-Za-z_]\w*)\([^()\n]{0,120}\)[^{}()\n]{0,60}\{\s*$"),
    re.compile(r"\b(\w+)\.(?:py|pyi|ts|tsx|js|jsx|go|rs|java|kt|rb|c|h|cc|cpp|hpp|cs|php|swift|scala|lua)\b"),
)
"""Definitions, assignments, fields (a label `package.Constant:` is none), several values of Go, fields of Go's
structures, methods of classes, modules."""
_DECLARATIONS = (_DEFINITIONS[0], *_DEFINITIONS[-2:])
_FUNCTION = re.compile(r"(?m)^.*\b(?:def|func|fn|function)\b.*$")
_IN_BRACKETS = re.compile(r"\(([^()\n]{1,300})\)")


def defined(text: str) -> set[str]:
    """Identifiers that a text defines, assigns, declares as a field, or names as a source file."""
    return {name for pattern in _DEFINITIONS for name in pattern.findall(text[:MOST_CHARS])}


def declared(text: str) -> set[str]:
    """Identifiers that a text declares as a function, a method, a type, a variable of a module or a source file."""
    return {name for pattern in _DECLARATIONS for name in pattern.findall(text[:MOST_CHARS])}


def parameters(text: str) -> set[str]:
    """Parameters of the functions that a text defines."""
    lists = (inside for line in _FUNCTION.findall(text[:MOST_CHARS]) for inside in _IN_BRACKETS.findall(line))
    return {found[0] for inside in lists for part in inside.split(",") if (found := _WORD.match(part.strip(" *&.")))}


def words(text: str) -> frozenset[str]:
    """Identifiers of a text, also those inside its paths and dotted names."""
    return frozenset(_WORD.findall(text[:MOST_CHARS]))


def dotted(name: str) -> tuple[str, ...]:
    """The parts of a dotted name; none of a path, a file or an address."""
    if "." not in name or "/" in name or "::" in name or is_file(name):
        return ()
    parts = name.split(".")
    return tuple(parts) if all(part.isidentifier() for part in parts) else ()


def spellings(name: str) -> tuple[str, ...]:
    """What another spelling of the same thing holds as well: the file of a path, the member of a dotted name, the hash
    of an id. Only what tells one thing apart by itself."""
    parts = dotted(name)
    found: list[str] = []
    if "/" in name and "://" not in name:
        tail = [part for part in name.split("/") if part not in ("", ".", "..", "~")]
        found = ["/".join(tail[-2:]), *tail[-1:]]
    elif parts:
        found = [".".join(parts[-2:]), parts[-1]]
    elif "-" in name:
        found = [part for part in name.split("-") if is_hash(part)]
    return tuple(part for part in dict.fromkeys(found) if part != name and telling(part))


@lru_cache(maxsize=1 << 17)
def fold(name: str) -> str:
    """What the spellings of one name in all conventions have in common: no capitals, no `_` and `-`, a file as its
    module. Empty where nothing can be spelt otherwise: an address, an id, a figure."""
    if "://" in name or not _NAME.match(name) or is_hash(name):
        return ""
    path = name.rpartition(".")[0] if is_file(name) and "/" in name else name
    parts = [part for part in path.split("/") if part not in ("", ".", "..", "~")]
    folded = ".".join(parts).lower().replace("_", "").replace("-", "")
    return folded if len(folded) >= _SHORTEST_FOLD else ""


def folds(name: str) -> tuple[str, ...]:
    """Of a name and of its other spellings."""
    found = dict.fromkeys(fold(one) for one in (name, *spellings(name)))
    return tuple(one for one in found if one)
