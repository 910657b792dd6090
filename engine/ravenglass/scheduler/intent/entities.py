"""What a text is about: its entities and its keywords.

Runs over every message of a session, so one compiled pattern finds the tokens and everything after it works
on distinct tokens, which are classified once and remembered. Knows nothing of sessions or profiles.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache, lru_cache
from itertools import chain, islice

from ravenglass.scheduler.intent import scripts
from ravenglass.scheduler.intent.names import MAX_TOKEN, WEIGHTS, Entity, Shape, classify

# A token is a run of anything but separators; `. / : # @ ~ - _` are none, paths and names need them.
_SEPARATORS = (
    r"\x00-\x22\x24-\x2c\x3b-\x3f\x5b-\x5e\x60\x7b-\x7d\x7f-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7"
    "\u060c\u061b\u061f\u0964\u0965\u2000-\u2bff\u2e00-\u303f\u3099-\u30a0\u30fb\ud800-\udfff\ufe00-\uffef"
    + scripts.CJK
)
_PHRASE = r"[^\s%s]{1,40}(?: [^\s%s]{1,40}){1,5}"
_ASCII_RUN = r"[#\-./0-9:@A-Z_a-z~]+"
"""What a run of anything but separators is in ASCII."""
_RUNS = rf"[^{_SEPARATORS}]+|{scripts.RUN_PATTERN}"
_WINDOWS_PATH = r"[A-Za-z]:(?:\\{1,2}[^\s\\/:*?\"'<>|,;()]+)+"
"""Also with JSON's doubled backslashes."""
_ESCAPE = r"\\[nrtbf]"
"""In JSON text: consumed, or `\nfoo` would read as `nfoo`."""
_QUOTATIONS = {
    '"': rf'"{_PHRASE % (chr(34), chr(34))}"',
    "`": rf"`{_PHRASE % ('`', '`')}`",
    "'": rf"(?<!\w)'{_PHRASE % (chr(39), chr(39))}'(?!\w)",
}
_FOREIGN_QUOTATION = r"[“「『《][^”」』》\n]{2,40}[”」』》]"
_CJK_START = re.compile(f"[{scripts.CJK}]")
_QUOTES = "\"'`“「『《"
_REMEMBERED = 1 << 16
"""Distinct ASCII tokens whose classification is kept. CJK runs seldom repeat and would only fill memory."""
_WORD_LENGTH = 80
"""How far from a cut white space is looked for (characters)."""


def entities(text: str, limit: int | None = None, *, max_chars: int | None = None) -> tuple[str, ...]:
    """Distinct entities of `text` in order of first occurrence, at most `limit` of them.

    Paths (and their base name as an entity of its own), identifiers, dotted names, error names, `#123`, short
    quoted phrases, words (lower-cased, at least 3 characters, no English stop words), and CJK text as
    overlapping bigrams of each run of one script. With `max_chars`, only the head and the tail of a longer
    text are read, half each, cut at white space where there is some nearby.
    """
    tokens = dict.fromkeys(_tokens(_capped(text, max_chars)))
    # Most texts are plain, and their tokens are then looked up without a look at each.
    plain = text.isascii() and len(max(tokens, key=len, default="")) <= MAX_TOKEN
    return tuple(islice(dict.fromkeys(chain.from_iterable(map(_ascii_names if plain else _names, tokens))), limit))


def _tokens(text: str) -> list[str]:
    """Tokens in their order. Every alternative of a pattern costs at every character, so a text is read with those only
    that it can have: no quotation without its mark, no path of Windows without a backslash."""
    marks = tuple(mark for mark in _QUOTATIONS if mark in text)
    found: list[str] = _pattern(text.isascii(), "\\" in text, marks).findall(text)
    return found


@cache
def _pattern(ascii_only: bool, backslash: bool, marks: tuple[str, ...]) -> re.Pattern[str]:
    """The pattern of a token for texts that have these characters."""
    parts = [_WINDOWS_PATH] * backslash
    parts.append(_ASCII_RUN if ascii_only else _RUNS)
    parts += [_ESCAPE] * backslash
    parts += [_QUOTATIONS[mark] for mark in marks]
    parts += [] if ascii_only else [_FOREIGN_QUOTATION]
    return re.compile("|".join(parts))


def keywords(text: str, limit: int = 16, *, max_chars: int | None = None) -> tuple[str, ...]:
    """The most telling entities of `text`, best first: frequency (logarithmic) times the weight of the shape.

    A base name is left out where its path is named. CJK text gives readable words instead of bigrams.
    Ties keep the order of first occurrence. `max_chars` as in `entities`.
    """
    counts = Counter(_tokens(_capped(text, max_chars)))
    totals: dict[Entity, int] = {}
    for token, count in counts.items():
        for entity in _classified(token):
            if entity.shape is not Shape.CJK:
                totals[entity] = totals.get(entity, 0) + count
    covered = {entity.text.rpartition("/")[2] for entity in totals if "/" in entity.text}
    scores = {
        entity.text: WEIGHTS[entity.shape] * (1 + math.log(count))
        for entity, count in totals.items()
        if entity.text not in covered
    }
    runs = (run for token, count in counts.items() for run in _runs(token) * count)
    for word, count in scripts.words(runs).items():
        scores[word] = WEIGHTS[Shape.CJK] * (1 + math.log(count))
    return tuple(sorted(scores, key=lambda word: -scores[word])[:limit])


def _capped(text: str, max_chars: int | None) -> str:
    if max_chars is None or len(text) <= max_chars:
        return text
    half = max_chars // 2
    head, tail = text[:half], text[len(text) - half :]
    # A cut word is no entity: give up the broken end unless that costs more than a word's length.
    border = max(head.rfind(" "), head.rfind("\n"))
    if border > half - _WORD_LENGTH:
        head = head[:border]
    start = re.search(r"\s", tail[:_WORD_LENGTH])
    return f"{head}\n{tail[start.end() :] if start else tail}"


def _names(token: str) -> tuple[str, ...]:
    if token.isascii():
        return _ascii_names(token) if len(token) <= MAX_TOKEN else ()
    if _CJK_START.match(token):
        return scripts.bigrams(token)
    return tuple(entity.text for entity in _classified(token))


@lru_cache(maxsize=_REMEMBERED)
def _ascii_names(token: str) -> tuple[str, ...]:
    return tuple(entity.text for entity in _classified(token))


def _classified(token: str) -> tuple[Entity, ...]:
    if token.isascii():
        return _ascii_classified(token) if len(token) <= MAX_TOKEN else ()
    return _quoted(token) if token[0] in _QUOTES else classify(token)


@lru_cache(maxsize=_REMEMBERED)
def _ascii_classified(token: str) -> tuple[Entity, ...]:
    return _quoted(token) if token[0] in _QUOTES else classify(token)


def _quoted(token: str) -> tuple[Entity, ...]:
    """A quotation is an entity as a whole, and its words are entities as they would be outside it."""
    phrase = " ".join(token[1:-1].split())
    inner = chain.from_iterable(map(_classified, _tokens(token[1:-1])))
    return (*((Entity(phrase, Shape.PHRASE),) if phrase else ()), *inner)


def _runs(token: str) -> tuple[str, ...]:
    """CJK runs of a token: itself, or those inside a quotation."""
    if token.isascii():
        return ()
    if token[0] in _QUOTES:
        return tuple(run for inner in _tokens(token[1:-1]) for run in _runs(inner))
    return (token,) if _CJK_START.match(token) else ()
