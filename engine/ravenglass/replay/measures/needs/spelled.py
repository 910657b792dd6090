"""Other spellings of a name, and what a dotted name is made of.

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


def words(text: str) -> frozenset[str]:
    """Identifiers of a text, also those inside its paths and dotted names."""
    return frozenset(_WORD.findall(text[:MOST_CHARS]))


@lru_cache(maxsize=1 << 16)
def dotted(name: str) -> tuple[str, ...]:
    """The parts of a dotted name; none of a path, a file or an address."""
    if "." not in name or "/" in name or "::" in name or is_file(name):
        return ()
    parts = name.split(".")
    return tuple(parts) if all(part.isidentifier() for part in parts) else ()


@lru_cache(maxsize=1 << 16)
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


@lru_cache(maxsize=1 << 16)
def folds(name: str) -> tuple[str, ...]:
    """Of a name and of its other spellings."""
    found = dict.fromkeys(fold(one) for one in (name, *spellings(name)))
    return tuple(one for one in found if one)
