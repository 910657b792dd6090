"""Text from a session where Qt would guess at markup: tooltips."""

from __future__ import annotations

from html import escape

from ravenglass.safe.visible import visible, visible_lines

_LONGEST = 600


def plain_tip(text: str, longest: int = _LONGEST) -> str:
    """A tooltip that shows exactly `text` (cut after `longest` characters), whatever tags it holds."""
    cut = text if len(text) <= longest else text[:longest] + "…"
    return "<qt>" + escape(visible_lines(cut)).replace("\n", "<br>") + "</qt>" if cut else ""


def one_line(text: str, longest: int = 400) -> str:
    """`text` on one line, cut: line ends and runs of spaces become one space."""
    return visible(" ".join(text[: longest * 2].split()))[:longest]
