"""Results of file tools that are notes about a file: they show no content of it, and tell of no change.

"Unchanged since last read", the preview of an output that was put aside, an empty or failed read, an edit that was
rejected or did not apply. Many formats have no flag for a failure, so the words decide; they are looked for only where
such notes have them: in a short text without line numbers, or at its very beginning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ravenglass.hub.files.file_use import FileUse

_MOST_CHARS = 700
"""A longer result of a read is content, whatever it says."""
_MOST_LINES = 4
_HEAD = 300
_LONGEST = 4_000
"""Characters that are looked at: notes are short."""
_NUMBERED = re.compile(r"^\s*\d+(?:→|\t|: |\| )", re.MULTILINE)
_WRAPPED = re.compile(r"</?(?:tool_use_error|error|system-reminder|result|response)>|\A\s*\[", re.IGNORECASE)
_ASIDE = re.compile(
    r"\A\s*(?:<persisted-output>|\[?(?:Tool )?output (?:is |was )?too large"
    r"|\[?Old tool result content cleared)",
    re.IGNORECASE,
)
"""Where a text was put aside or cleared, its beginning or nothing is left."""
_UNCHANGED = re.compile(
    r"\bunchanged\b.*\b(?:since|from|last|previous|earlier|already)|\b(?:not|n't) (?:been )?(?:changed|modified) since"
    r"|\b(?:no|without) changes? since|\bsame (?:content|version)\b.*\b(?:earlier|already|previous|before)"
    r"|\balready (?:been )?(?:read|shown|in (?:the )?context)\b|\bidentical to (?:the|an?) (?:earlier|previous|last)",
    re.IGNORECASE | re.DOTALL,
)
_NOTHING = re.compile(
    r"\A\W*(?:warning: the file exists but (?:the contents are|is) empty|\(?(?:empty|no content|no output|file is empty"
    r"|this file is empty|the file is empty)\)?)\W*\Z",
    re.IGNORECASE,
)
_PAST_THE_END = "shorter than the provided offset"
_FAILED = re.compile(
    r"\A(?:\w+Error\b|error\b|err:|failed\b|failure\b|fatal\b|ENOENT|EACCES|EISDIR|exception\b|traceback\b|unable to\b"
    r"|cannot\b|can't\b|could not\b|couldn't\b|no such file|not found|permission denied|access denied|invalid\b"
    r"|apply_patch verification failed|file (?:does not|doesn't) exist|file not found|path (?:does not|doesn't) exist"
    r"|file content \([^)]*\) exceeds)",
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"doesn't want to (?:proceed|take this action)|(?:rejected|declined|denied|cancelled|canceled"
    r"|aborted) by (?:the )?user"
    r"|user (?:has )?(?:rejected|declined|denied|cancelled|canceled)|tool use was rejected|request interrupted by user"
    r"|permission to (?:use|read|edit|write)\b.*\bdenied"
    r"|requested permissions? .*haven't granted"
    r"|not allowed to (?:edit|write|read)",
    re.IGNORECASE | re.DOTALL,
)
_NOT_APPLIED = re.compile(
    r"string (?:to replace |\S+ )?(?:was )?not found|no replacement was (?:performed|made)"
    r"|(?:old_?str\w*|search (?:block|text|string))"
    r"\b.*\b(?:not found|did not|didn't|no match|multiple|not unique|identical)|did not appear verbatim"
    r"|no (?:exact )?match(?:es)? (?:was |were )?found"
    r"|found \d+ matches of the string|has not been read yet|has been (?:unexpectedly )?modified since"
    r"|must (?:first )?read (?:the|it)"
    r"|no changes (?:were )?(?:made|applied|to make)"
    r"|(?:patch|edit|hunk|diff)\b.{0,40}\b(?:failed|rejected|does not apply|did not apply)"
    r"|failed to (?:find|apply|edit|write|replace)|already exists\b.*\b(?:not|cannot|refus)",
    re.IGNORECASE | re.DOTALL,
)
_SHELL_FAILED = re.compile(
    r"\A\s*[\w./-]+: .*(?:No such file or directory|Permission denied|Is a directory|cannot (?:open|access|stat|read)"
    r"|can't read|Read-only file system|not found)\s*\Z",
    re.IGNORECASE,
)
_REPORTS = ("Chunk ID: ", "Wall time: ", "Exit code: ")
_REPORT = re.compile(r"\A(?:Chunk ID|Wall time|Exit code): .*?^Output:\n", re.DOTALL | re.MULTILINE)


def is_note(files: Sequence[FileUse], text: str) -> bool:
    """Whether a result that answers a call on files neither shows content nor tells of a change."""
    if not files:
        return False
    if _ASIDE.match(text):
        return True
    said = text[:_LONGEST]
    # Most patterns are tried at every character, so what begins or ends their text is looked for first.
    if said.startswith(_REPORTS):
        said = _REPORT.sub("", said, count=1)
    said = (_WRAPPED.sub("", said) if "<" in said or "[" in said else said).strip()
    lines = [line for line in said.split("\n") if line.strip()]
    short = len(said) <= _MOST_CHARS and len(lines) <= _MOST_LINES and not _NUMBERED.match(said)
    if short and lines and (_REJECTED.search(said) or all(_SHELL_FAILED.match(line) for line in lines)):
        return True
    reads = all(file.op == "read" for file in files)
    if reads:
        if not said or _NOTHING.match(said) or _PAST_THE_END in said.lower():
            return True
        return short and bool(_FAILED.match(said) or _UNCHANGED.search(said))
    # What an edit or a write answers may quote the file after it; a refusal says so at once.
    head = said[:_HEAD]
    return bool(_FAILED.match(head) or _REJECTED.search(head) or (short and _NOT_APPLIED.search(head)))
