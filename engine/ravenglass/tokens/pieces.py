"""Cuts a long text into pieces whose token counts add up to the count of the whole.

Both encodings first split text with a pattern and then encode each match on its own. A cut changes no count
if every split of the whole text has a boundary there and if no look-ahead of a match before it reaches past
it. Neither pattern looks behind, so what follows the cut needs no more than the boundary. Such places are:

- between anything that is no white space and a space: no match runs from the one into the other;
- between a line feed and a printable character on the next line, except `/`, which o200k_base joins to the
  line breaks before it. What white space precedes the line feed ends there in both patterns, also as the end
  of a text;
- between a letter or ideograph and a digit, or the other way round;
- between a letter, ideograph or digit and a punctuation mark other than the apostrophe, which may begin a
  contraction.

All are narrower than they could be: where Python's idea of a character class may differ from the
encodings', plain ranges stand in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

PIECE = 32_768
"""Most characters a piece holds: some 4 ms of counting, and short enough that runs of white space cannot
overflow the stack of the pattern engine, which a few hundred thousand do."""

_LETTER = r"A-Za-z\u4e00-\u9fa5"
_MARK = r'!"#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~、。《》，：；（）'
# A leading greedy `.*` makes the match end at the *last* safe place of the range.
_SAFE = re.compile(
    rf"(?:.*)(?:\S(?= )|\n(?=[^\s/])|[{_LETTER}](?=[0-9])|[0-9](?=[{_LETTER}])|[{_LETTER}0-9](?=[{_MARK}]))",
    re.DOTALL,
)


def pieces(text: str, size: int = PIECE) -> Iterator[tuple[str, bool]]:
    """Yield (piece, safe) in order; joined they are `text`, none is over `size` characters.

    `safe` is False where the piece ends at an arbitrary place because the `size` characters before it hold
    no safe one: counts around it may be off by a few tokens.
    """
    start = 0
    while len(text) - start > size:
        match = _SAFE.match(text, start, start + size)
        end = match.end() if match else start + size
        yield text[start:end], match is not None
        start = end
    yield text[start:], True
