"""The content of a file as a tool call shows it: without line numbers and without what tools print around it."""

from __future__ import annotations

import hashlib
import re

from ravenglass.hub.files.patches import added_content
from ravenglass.hub.files.toolbox import arguments, strings
from ravenglass.hub.files.uses import Use

NUMBERED = re.compile(r"^[ \t]*\d+(?:→|\t|: )", re.MULTILINE)
"""Line numbers as reading tools print them; with them, one inserted line would change all that follow."""

_CONTENT_KEYS = ("content", "file_text", "contents", "text")
_REPORT = re.compile(r"\A(?:Chunk ID|Wall time|Exit code): .*?^Output:\n", re.DOTALL | re.MULTILINE)
"""What Codex prints above the output of a command."""
_REPORTS = ("Chunk ID: ", "Wall time: ", "Exit code: ")
_HEADING = re.compile(r"\AHere's the result of running `cat -n` on [^\n]*:\n")
"""What the editors of OpenHands and SWE-agent print above a file."""
_RAN = "Here's the result of running"
_REMINDER = re.compile(r"\n*<system-reminder>.*?</system-reminder>\s*\Z", re.DOTALL)
"""What Claude Code's harness appends to the result of a read."""


def file_content(use: Use) -> str:
    """The content of the file that the call reads (from its result) or writes (from its arguments)."""
    if use.answer is None:
        return ""
    if any(file.op == "write" for file in use.files):
        return written_content(use)
    return bare(use.answer.text)


def written_content(use: Use) -> str:
    """What the call wrote; empty where its arguments do not say it."""
    args = arguments(use.call)
    for key in _CONTENT_KEYS:
        if isinstance(value := args.get(key), str):
            return value
    for text in [*strings(args), use.call.arguments]:
        if content := added_content(text):
            return content
    return ""


def unframed(text: str) -> str:
    """A result without what its tool and the harness print around it; line numbers stay."""
    # Each pattern is tried at every character, so a plain test comes first: few texts have any of the three.
    if text.startswith(_REPORTS):
        text = _REPORT.sub("", text, count=1)
    if text.startswith(_RAN):
        text = _HEADING.sub("", text, count=1)
    return _REMINDER.sub("", text) if "<system-reminder>" in text else text


def bare(text: str) -> str:
    """A read result without line numbers and without what the tool printed around it."""
    text = unframed(text)
    lines = text.split("\n")
    # Text that happens to begin with digits is no numbering: every line must have its number.
    if all(NUMBERED.match(line) for line in lines if line.strip()):
        return NUMBERED.sub("", text)
    return text


def fingerprint(content: str) -> str:
    """SHA-256 of a content, hexadecimal. A line ending at its end does not count: reading tools do not show it."""
    return hashlib.sha256(content.rstrip("\n").encode("utf-8", "surrogatepass")).hexdigest()
