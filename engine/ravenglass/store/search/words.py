"""Texts and queries as the same words, so that a query finds what stands anywhere inside a text.

Split by script first. A run of a script that puts no spaces between words becomes its overlapping pairs, and
its last character alone: then a part of it that ends in a single character is found as the beginning of a pair.
Everything else becomes lower-case words, identifiers their parts and the whole.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from operator import add
from typing import Final

from ravenglass.scheduler.intent.scripts import CJK

_UNSPACED = CJK + "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Han, kana, Hangul; Thai, Lao, Burmese, Khmer."""

_RUN = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+")
_STARTS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ANY_PART = re.compile(r"[^\W\d_]+|\d+")
"""Parts of a word that is not all ASCII; what else counts as a word character, such as ², stays in neither."""
_REMEMBERED: Final = 1 << 16
"""Words whose parts are kept in memory; texts repeat them."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, space between them: `parts` in order, `wholes` the identifiers among them unsplit."""

    parts: str
    wholes: str


@dataclass(frozen=True, slots=True)
class Term:
    """A piece of a query that must stand in a text as it is: its parts one after the other, or one whole word."""

    parts: tuple[str, ...]
    whole: str
    """Empty where the term is no single word."""
    open_end: bool
    """Whether the last part is one character of an unspaced script, which may be the beginning of a pair."""


def words(text: str) -> Words:
    """The words of a text; equal texts have equal words."""
    parts: list[str] = []
    wholes: list[str] = []
    for run in _RUN.findall(_normal(text)):
        if _STARTS_UNSPACED.match(run):
            parts += _pairs(run)
        else:
            split, whole = _split(run)
            parts += split
            if whole:
                wholes.append(whole)
    return Words(" ".join(parts), " ".join(wholes))


def terms(query: str) -> tuple[Term, ...]:
    """The terms of a query, which white space separates; those without a letter or digit give none."""
    return tuple(term for piece in _normal(query).split() if (term := _term(piece)) is not None)


def _term(piece: str) -> Term | None:
    runs = _RUN.findall(piece)
    found = [_pairs(run) if _STARTS_UNSPACED.match(run) else _split(run)[0] for run in runs]
    parts = tuple(part for split in found for part in split)
    if not parts:
        return None
    unspaced = _STARTS_UNSPACED.match(runs[-1]) is not None
    whole = runs[0].strip("_").casefold() if len(runs) == 1 and not unspaced else ""
    return Term(parts, whole, unspaced)


def _normal(text: str) -> str:
    """Compatible forms made one: full-width letters, half-width kana, ligatures, composed accents."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _pairs(run: str) -> tuple[str, ...]:
    return (*map(add, run, run[1:]), run[-1])


@lru_cache(maxsize=_REMEMBERED)
def _split(run: str) -> tuple[tuple[str, ...], str]:
    """Parts of a word in lower case, and the whole where it has several."""
    parts = tuple(part.casefold() for part in (_PART if run.isascii() else _ANY_PART).findall(run))
    return parts, run.strip("_").casefold() if len(parts) > 1 else ""
