"""Makes verbatim text fit for a text widget, and finds the way back to it.

Qt turns U+2028, U+2029, carriage returns and two noncharacters into line breaks, shows control characters as
nothing, and stands still over lines of a million characters. So each such character is shown as a visible
symbol (one for one), and lines over `LONGEST_LINE` are broken for display. Nothing is dropped in silence: the
counts say what was done, and `verbatim` gives back the recorded text of any selection.

Positions are UTF-16 units, as Qt counts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

LONGEST_LINE = 4_096
"""Characters on one display line."""

_SYMBOLS = {
    # Symbols that common monospaced fonts have; the control pictures of U+2400 are in few.
    **dict.fromkeys((*(code for code in range(0x20) if code not in (0x09, 0x0A)), 0x7F), "\ufffd"),
    0x0D: "\u21a4",
    0x1B: "\u238b",
    **dict.fromkeys(range(128, 160), "�"),
    0x2028: "\u21b5",
    0x2029: "\u00b6",
    **dict.fromkeys((*range(8234, 8239), *range(8294, 8298), 8206, 8207, 0x061C, 0x200B, 0x2060, 0xAD), "◊"),
    0xFDD0: "\ufffd",
    0xFDD1: "\ufffd",
    0xFEFF: "\u25ca",
    **dict.fromkeys(range(55296, 57344), "�"),
}
"""Characters a text widget would swallow, reorder by or break lines at -> the symbol shown instead."""

_PLAIN = "".join(re.escape(chr(code)) for code in _SYMBOLS if not 0xD800 <= code < 0xE000)
_HIDDEN = re.compile(f"[{_PLAIN}\ud800-\udfff]")
_LONG = re.compile(rf"[^\n]{{{LONGEST_LINE + 1},}}")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")

_LEGEND = "\u21b5 U+2028, \u00b6 U+2029, \u21a4 CR, \u238b ESC, \u25ca direction and zero-width marks, \ufffd others"


@dataclass(frozen=True, slots=True)
class DisplayText:
    """`shown` is for the widget; `breaks` are the positions in it of line breaks that the record does not have."""

    original: str
    shown: str
    breaks: tuple[int, ...] = ()
    replaced: int = 0
    long_lines: int = 0

    def verbatim(self, start: int, end: int) -> str:
        """The recorded text of what is shown from `start` up to `end`."""
        start -= bisect_left(self.breaks, start)
        end -= bisect_left(self.breaks, end)
        if not _ASTRAL.search(self.original):
            return self.original[start:end]
        units = self.original.encode("utf-16-le", "surrogatepass")
        return units[start * 2 : end * 2].decode("utf-16-le", "surrogatepass")

    def position(self, units: int) -> int:
        """Where the recorded text after so many of its UTF-16 units is shown: behind an inserted break, not before."""
        return units + bisect_right(range(len(self.breaks)), units, key=lambda i: self.breaks[i] - i)

    def notice(self) -> str:
        """What was done for display, as sentences; empty where nothing was."""
        said = []
        if self.replaced:
            one = self.replaced == 1
            what = "1 control character is" if one else f"{self.replaced:,} control characters are"
            said.append(f"{what} shown as a symbol ({_LEGEND}).")
        if self.long_lines:
            lines = "1 line is" if self.long_lines == 1 else f"{self.long_lines:,} lines are"
            said.append(f"{lines} longer than {LONGEST_LINE:,} characters and broken for display.")
        return " ".join(said)


def joined(head: DisplayText, tail: DisplayText) -> DisplayText:
    """Two parts of a text, shown one after the other, as one."""
    at = utf16_length(head.shown)
    last = len(head.original) - head.original.rfind("\n") - 1
    first = tail.original.find("\n") if "\n" in tail.original else len(tail.original)
    twice = last > LONGEST_LINE and first > LONGEST_LINE  # one long line, cut between the parts
    return DisplayText(
        head.original + tail.original,
        head.shown + tail.shown,
        head.breaks + tuple(at + place for place in tail.breaks),
        head.replaced + tail.replaced,
        head.long_lines + tail.long_lines - twice,
    )


def display_text(text: str) -> DisplayText:
    """`text` as it can be shown."""
    replaced = 0
    shown = text
    if _HIDDEN.search(text):
        replaced = sum(1 for _ in _HIDDEN.finditer(text))
        shown = text.translate(_SYMBOLS)
    if not _LONG.search(shown):
        return DisplayText(text, shown, (), replaced)
    pieces: list[str] = []
    breaks: list[int] = []
    position = last = long_lines = 0
    for match in _LONG.finditer(shown):
        long_lines += 1
        for cut in range(match.start() + LONGEST_LINE, match.end(), LONGEST_LINE):
            piece = shown[last:cut]
            pieces.append(piece)
            position += utf16_length(piece)
            breaks.append(position)
            position += 1
            last = cut
    pieces.append(shown[last:])
    return DisplayText(text, "\n".join(pieces), tuple(breaks), replaced, long_lines)


def utf16_length(text: str) -> int:
    """UTF-16 units of `text`."""
    return len(text) + sum(1 for _ in _ASTRAL.finditer(text))
