"""Patches: which files they name, and whether a text already shows a file as a patch leaves it.

Two forms: unified diffs (`git diff`, `git show`, `diff -u`) and the `*** Begin Patch` form of Codex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ravenglass.hub.files.file_use import FileUse

_ENVELOPE = re.compile(
    r"^\*\*\* (Add|Update|Delete) File: (.+?)[ \t\r]*$|^\*\*\* Move to: (.+?)[ \t\r]*$", re.MULTILINE
)
_SECTION = re.compile(r"^diff --git ", re.MULTILINE)
_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NOWHERE = "/dev/null"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a file: its lines before and after the change, context included."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Patched:
    """A file that a unified diff names. `path` is its name before the change; `gone`: no longer there under it."""

    path: str
    hunks: tuple[Hunk, ...]
    gone: bool = False
    opaque: bool = False
    """Its content is not shown (a binary file)."""

    def contradicts(self, content: str, *, whole: bool) -> bool:
        """Whether a text that showed the file (all of it if `whole`) does not show what the patch leaves behind."""
        if self.gone or self.opaque:
            return True
        lines = f"\n{content}\n"
        for hunk in self.hunks:
            # A hunk of nothing but empty lines tells nothing apart.
            if (hunk.after and f"\n{hunk.after}\n" in lines) or not (hunk.after or hunk.before):
                continue
            if (whole and hunk.after) or f"\n{hunk.before}\n" in lines:
                return True
        return False


def envelope_uses(text: str) -> list[FileUse]:
    """The files that a `*** Begin Patch` text adds, updates, deletes and moves; empty where it is none."""
    found: list[FileUse] = []
    for kind, path, target in _ENVELOPE.findall(text):
        if target:
            if found and found[-1].how == "patched":
                found[-1] = FileUse("edit", found[-1].path, how="moved")
            found.append(FileUse("edit", target, how="written"))
        elif kind == "Add":
            found.append(FileUse("write", path))
        else:
            found.append(FileUse("edit", path, how="patched" if kind == "Update" else "removed"))
    return found


def envelope_hunks(text: str) -> list[Hunk]:
    """The changes of the one file that a `*** Begin Patch` text updates; empty where it names none, or several."""
    if len(envelope_uses(text)) != 1:
        return []
    _, update, rest = text.partition("*** Update File: ")
    found: list[Hunk] = []
    before: list[str] = []
    after: list[str] = []
    for row in [*(rest.split("\n")[1:] if update else ()), "@@"]:
        if row.startswith(("@@", "***")):
            if before or after:
                found.append(Hunk("\n".join(before), "\n".join(after)))
            before, after = [], []
            continue
        if row[:1] in ("", " ", "-"):
            before.append(row[1:])
        if row[:1] in ("", " ", "+"):
            after.append(row[1:])
    return found


def added_content(text: str) -> str:
    """The content of the first file that a `*** Begin Patch` text adds; empty where it adds none."""
    _, added, rest = text.partition("*** Add File: ")
    lines: list[str] = []
    for row in rest.split("\n")[1:] if added else ():
        if not row.startswith("+"):
            break
        lines.append(row[1:])
    return "\n".join(lines)


def unified(text: str) -> list[Patched]:
    """The files of a unified diff that were there before it, in its order; empty where the text holds none."""
    starts = [m.start() for m in _SECTION.finditer(text)]
    if starts:
        ends = [*starts[1:], len(text)]
        sections = [text[start:end].split("\n") for start, end in zip(starts, ends, strict=True)]
    else:
        sections = list(_plain_sections(text))
    return [patched for section in sections if (patched := _patched(section)) is not None]


def _plain_sections(text: str) -> Iterator[list[str]]:
    """Sections of a diff without `diff --git` lines: they begin at `---` with `+++` below it."""
    if not text.startswith("--- ") and "\n--- " not in text:
        return
    rows = text.split("\n")
    starts = [
        i for i, row in enumerate(rows[:-2])
        if row.startswith("--- ") and rows[i + 1].startswith("+++ ") and _HUNK.match(rows[i + 2])
    ]  # fmt: skip
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=False):
        yield rows[start:end]


def _patched(rows: list[str]) -> Patched | None:
    old = new = ""
    gone = opaque = False
    hunks: list[Hunk] = []
    i = 0
    while i < len(rows):
        row = rows[i]
        found = _HUNK.match(row)
        if found:
            hunk, i = _hunk(rows, i + 1, int(found[1] or 1), int(found[2] or 1))
            hunks.append(hunk)
            continue
        if not hunks:
            if row.startswith("--- "):
                old = _name(row[4:])
            elif row.startswith("+++ "):
                new = _name(row[4:])
            elif row.startswith("rename from "):
                old, gone = row[12:].strip(), True
            elif row.startswith("Binary files "):
                old, opaque = _binary(row), True
        i += 1
    if new == _NOWHERE:
        gone = True
    if not old or old == _NOWHERE or not (hunks or gone or opaque):
        return None
    return Patched(old, tuple(hunks), gone, opaque)


def _hunk(rows: list[str], i: int, old_lines: int, new_lines: int) -> tuple[Hunk, int]:
    before: list[str] = []
    after: list[str] = []
    while i < len(rows) and (len(before) < old_lines or len(after) < new_lines):
        row = rows[i]
        sign, line = row[:1], row[1:]
        if sign not in ("", " ", "+", "-", "\\"):
            break
        if sign in ("", " ", "-"):
            before.append(line)
        if sign in ("", " ", "+"):
            after.append(line)
        i += 1
    return Hunk("\n".join(before), "\n".join(after)), i


def _name(text: str) -> str:
    """The file name of a `---` or `+++` line, without the time behind it and git's `a/` or `b/` before it."""
    name = text.split("\t", 1)[0].strip().strip('"')
    return name[2:] if name.startswith(("a/", "b/")) else name


def _binary(row: str) -> str:
    names = row.removeprefix("Binary files ").partition(" and ")
    return _name(names[0])
