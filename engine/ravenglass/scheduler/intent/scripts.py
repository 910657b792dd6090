"""Runs of Chinese, Japanese and Korean writing: bigrams for matching, readable words for people.

CJK text has no spaces, so it is split by script first. Matching uses overlapping bigrams, which find every
two-character word without a dictionary; keywords use runs that script changes, punctuation and function
characters bound, which a person can read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from operator import add

from ravenglass.scheduler.intent.lexicon import CHINESE, CHINESE_BOUNDARIES, CHINESE_TERMS, JAPANESE

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
HIRAGANA = "\u3041-\u3096\u309d\u309e"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
"""Bodies of character classes for `re`, one per script."""

CJK = HAN + HIRAGANA + KATAKANA + HANGUL
RUN_PATTERN = f"[{HAN}]+|[{HIRAGANA}]+|[{KATAKANA}]+|[{HANGUL}]+"
"""Matches one run of one script."""

READABLE = range(2, 5)
"""Lengths (characters) at which a bounded Han run is taken for a word as it stands."""

_STOP = CHINESE | JAPANESE
_HAN_START = re.compile(f"[{HAN}]")
_HIRAGANA_START = re.compile(f"[{HIRAGANA}]")
_BOUNDARY = re.compile(f"[{CHINESE_BOUNDARIES}]")
_PAIRS = re.compile(r"..(?:.(?!.))?", re.DOTALL)
_STOP_WORD = re.compile("|".join(sorted(CHINESE, key=lambda word: (-len(word), word))))


def bigrams(run: str) -> tuple[str, ...]:
    """Overlapping pairs of a run of one script, function words out; a single character is kept as it is.

    A single hiragana is a grammatical particle and gives nothing.
    """
    if len(run) == 1:
        return () if _HIRAGANA_START.match(run) else (run,)
    pairs = tuple(map(add, run, run[1:]))
    return pairs if _STOP.isdisjoint(pairs) else tuple(pair for pair in pairs if pair not in _STOP)


def words(runs: Iterable[str]) -> Counter[str]:
    """Readable words of the runs of one text, with how often each occurs, in order of first occurrence.

    Katakana and Hangul runs are words already. Hiragana is mostly grammar and is left out. Han runs are cut
    at function words and characters; what is longer than a word after that is cut at known terms and where
    the text itself shows word borders (a bounded piece or a repeated pair seen elsewhere), else in pairs.
    """
    pieces = [piece for run in runs for piece in _pieces(run)]
    bounded = Counter(piece for piece in pieces if len(piece) in READABLE)
    long_pieces = [piece for piece in pieces if len(piece) not in READABLE and _HAN_START.match(piece)]
    pairs = Counter(pair for piece in long_pieces for pair in map(add, piece, piece[1:]))
    known = CHINESE_TERMS | frozenset(bounded) | {pair for pair, count in pairs.items() if count > 1}
    found: Counter[str] = Counter()
    for piece in pieces:
        if len(piece) in READABLE or not _HAN_START.match(piece):
            found[piece] += 1
        else:
            found.update(word for word in _segment(piece, known) if word not in _STOP)
    return found


def _pieces(run: str) -> tuple[str, ...]:
    if _HIRAGANA_START.match(run):
        return ()
    if not _HAN_START.match(run):
        return (run,) if len(run) > 1 else ()
    return _han_pieces(run)


def _han_pieces(run: str) -> tuple[str, ...]:
    if not _BOUNDARY.search(run) and not _STOP_WORD.search(run):
        return (run,) if len(run) > 1 else ()
    spaced = _BOUNDARY.sub(" ", _STOP_WORD.sub(" ", run))
    return tuple(piece for piece in spaced.split() if len(piece) > 1)


def _segment(piece: str, known: frozenset[str]) -> Iterator[str]:
    """Greedy longest match against `known`; what lies between comes in pairs, the last maybe of three."""
    unmatched = position = 0
    while position < len(piece):
        starts = (piece[position : position + size] for size in reversed(READABLE))
        word = next((start for start in starts if start in known), "")
        if word:
            yield from _in_pairs(piece[unmatched:position])
            yield word
            unmatched = position + len(word)
        position += len(word) or 1
    yield from _in_pairs(piece[unmatched:])


def _in_pairs(text: str) -> list[str]:
    return _PAIRS.findall(text)
