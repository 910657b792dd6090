"""Characters that nobody sees, but that steer a terminal, hide text or turn its order, become marks that can be seen.

Texts of sessions, file names and keys are other people's: whatever is printed or shown in one line goes through
`visible`. Control characters become their pictures (escape: `␛`), the others their number (`<U+202E>`).
"""

from __future__ import annotations

import re
from typing import Final

_C0_PICTURES: Final = 0x2400
_DELETE: Final = "\x7f"

_HIDDEN = (
    "\x7f-\x9f"  # delete and the C1 controls
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners and fillers without a shape
    "\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f"  # zero width, line ends, bidi controls
    "\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff"  # no text: bytes of a name that is no UTF-8, halves of a pair
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # tags: a text nobody sees
)
_JOINERS = "(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
"""Between letters and parts of an emoji they belong to the writing; elsewhere they only hide."""
_LINE = re.compile(f"[\x00-\x1f{_HIDDEN}]|{_JOINERS}")
_LINES = re.compile(f"[\x00-\x09\x0b-\x1f{_HIDDEN}]|{_JOINERS}")


def visible(text: str) -> str:
    """`text` for one line: no control character is left in it, a line feed neither."""
    return _LINE.sub(_mark, text)


def visible_lines(text: str) -> str:
    """`text` of several lines: of the control characters only the line feeds stay."""
    return _LINES.sub(_mark, text)


def _mark(found: re.Match[str]) -> str:
    char = found[0]
    if char < " ":
        return chr(_C0_PICTURES + ord(char))
    return "\u2421" if char == _DELETE else f"<U+{ord(char):04X}>"
