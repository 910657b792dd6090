"""Stubs: what stands in the window for a text that was taken out of it. Size, address, first and last lines."""

from __future__ import annotations

NO_RESULT = "[no result was recorded for this call]"
"""Stands in for a result that the record does not have, so that the window stays valid for the provider."""

ORPHAN_PREFIX = "[result of a tool call that is not in the record, or that has another result]\n"

CUT = "[cut]"
"""A result of a group with so many that not even a label of each fits."""
LEFT_OUT = "[{left:,} of {all:,} calls are left out here with their results; message {address}]"
"""Behind the text of a message with more calls than a window has room for, even with a mark for each result."""
BARE_ARGUMENTS = '{"cut": "these arguments did not fit the window"}'
"""Stands in for the arguments of a call that no budget is left for; valid JSON, as providers demand."""

SAME = "[the same content as message #{later}; retrieve {address} if that is not in the window]"
"""Stands for a result whose content stands again later."""

NEWER = "[a newer version of message #{base}, as the difference from it]\n{patch}"
"""Stands for a file that was read again."""

UPDATED = "[this file as the edit in message #{edit} left it]\n{content}"
"""Stands for the whole read of a file that was edited since."""

OPENING = "[the earlier conversation is not in this window]"
"""A window must start with a user message; this one is added where eviction left none, or the record has none."""


def stub(text: str, tokens: int, address: str, lines: int, chars: int, images: int = 0, files: int = 0) -> str:
    """The stub of `text`: at most `lines` lines and `chars` characters of the head and as much of the tail.

    A text that short stands whole; the `images` and `files` beside it never do.
    """
    rows = text.split("\n")
    size = f"{len(rows):,} lines, {_beside(images, files)}{tokens:,} tokens"
    label = f"[{size} moved out of the window; retrieve {address}]"
    if not lines:
        return label
    head = "\n".join(rows[:lines])[:chars]
    tail = "\n".join(rows[-lines:])[-chars:] if len(rows) > lines or len(head) < len(text) else ""
    if len(head) + len(tail) >= len(text):
        return f"{text}\n{label}" if images or files else text
    return f"{head}\n{label}\n{tail}"


def shrunk(text: str, address: str, keep: int, images: int = 0, files: int = 0) -> str:
    """`text` cut to about `keep` characters: three quarters from the head, the rest from the tail; its `images`
    and `files` are left out."""
    cut = max(0, len(text) - keep)
    label = f"[{_beside(images, files)}{cut:,} of {len(text):,} characters cut to fit; retrieve {address}]"
    if not cut:
        return f"{text}\n{label}" if images or files else text
    head = keep * 3 // 4
    tail = keep - head
    return f"{text[:head]}\n{label}\n{text[len(text) - tail :] if tail else ''}"


def _beside(images: int, files: int) -> str:
    named = ((images, "image"), (files, "file"))
    return "".join(f"{count:,} {name}{'s' * (count > 1)}, " for count, name in named if count)
