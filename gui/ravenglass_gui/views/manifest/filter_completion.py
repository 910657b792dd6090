"""What could stand at the cursor of a filter: keys, or the values of the key that is being written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ravenglass.replay.filter.keys import FilterKey, KeyKind


@dataclass(frozen=True, slots=True)
class Completion:
    """Texts that could replace `text[start:end]`; a word that ends in `:` or `>` is only begun."""

    start: int
    end: int
    words: tuple[str, ...] = ()


def complete(text: str, cursor: int, keys: Mapping[str, FilterKey]) -> Completion:
    """Suggestions for the word at `cursor` (0..len(text)); none inside quotes."""
    if text[:cursor].count('"') % 2:
        return Completion(cursor, cursor)
    start = max(text.rfind(" ", 0, cursor), text.rfind("(", 0, cursor)) + 1
    end = text.find(" ", cursor)
    end = len(text) if end < 0 else end
    word = text[start:cursor]
    bare = word.removeprefix("-")
    before = word[: len(word) - len(bare)]
    name, sign, written = bare.partition(":")
    if not sign:
        words = [before + begun(key) for key in keys.values() if key.name.startswith(name.lower())]
        return Completion(start, end, tuple(words))
    key = keys.get(name.lower())
    done, _, last = written.rpartition(",")
    head = f"{before}{name.lower()}:" + (f"{done}," if done else "")
    values = key.values if key else ()
    words = [head + v for v in values if v.startswith(last.lower()) and v not in done.split(",")]
    return Completion(start, end, tuple(w for w in words if w != word))


def begun(key: FilterKey) -> str:
    """How a term of that key begins: `tier:`, `tokens>`."""
    if key.kind is KeyKind.NUMBER:
        return key.name + ("<" if "<" in key.example else ">" if ">" in key.example else ":")
    return f"{key.name}:"


def with_term(text: str, term: str) -> str:
    """`text` with `term` added, unless it is there already."""
    return text if term in text.split() else f"{text.rstrip()} {term}".strip()
