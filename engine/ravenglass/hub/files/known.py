"""What is known of a file after an edit: the patch in the edit's arguments, applied to the content known before.

Known is what a whole read or a write showed, and what edits made of it since. Where an edit does not apply to that, or
does not say what it did, nothing is known of the file until it is shown again.
"""

from __future__ import annotations

from collections.abc import Sequence

from ravenglass.hub.files.content import file_content, written_content
from ravenglass.hub.files.file_use import FileUse
from ravenglass.hub.files.patches import Hunk, envelope_hunks, unified
from ravenglass.hub.files.paths import inside
from ravenglass.hub.files.toolbox import arguments, strings
from ravenglass.hub.files.uses import Use
from ravenglass.sessions.model.session import ToolCall

_OLD = ("old_string", "old_str", "old_text")
_NEW = ("new_string", "new_str", "new_text")


def known_contents(uses: Sequence[Use]) -> dict[int, str]:
    """Number of an edit among the uses -> the whole content of its file after it, for edits of which that is known."""
    contents: dict[str, str] = {}
    found: dict[int, str] = {}
    for number, use in enumerate(uses):
        if use.result is None:
            continue
        for patch in use.patches:
            if patch.path in contents and patch.contradicts(contents[patch.path], whole=True):
                del contents[patch.path]
        for file in use.files:
            after = _after(use, file, contents)
            if after is None:
                continue
            contents[file.path] = after
            if file.op == "edit":
                found[number] = after
    return found


def _after(use: Use, file: FileUse, contents: dict[str, str]) -> str | None:
    """The content of a file after a use of it, where the use changes what is known. What it spoils is forgotten."""
    alone = len(use.files) == 1
    if file.op == "read":
        return file_content(use) if alone and not file.part else None
    before = contents.pop(file.path, None)
    if file.op == "write":
        return written_content(use) or None if alone else None
    if file.how in ("removed", "moved", "restored"):
        for path in [path for path in contents if inside(path, file.path)]:
            del contents[path]
        return None
    return patched(use.call, before) if alone and before is not None else None


def patched(call: ToolCall, before: str) -> str | None:
    """A content after the edit that the arguments of a call ask for; None where they do not tell, or do not apply."""
    args = arguments(call)
    edits = args.get("edits")
    made: str | None = before
    if isinstance(edits, list) and edits:
        for edit in edits:
            made = _replaced(made, edit) if made is not None and isinstance(edit, dict) else None
        return made
    if any(name in args for name in _OLD):
        return _replaced(before, args)
    for text in [*strings(args), call.arguments]:
        hunks = [hunk for one in unified(text) for hunk in one.hunks] or envelope_hunks(text)
        if hunks:
            for hunk in hunks:
                made = _hunk(made, hunk) if made is not None else None
            return made
    return None


def _replaced(text: str, edit: dict[str, object]) -> str | None:
    old = next((edit[name] for name in _OLD if name in edit), None)
    new = next((edit[name] for name in _NEW if name in edit), "")
    if not isinstance(old, str) or not isinstance(new, str) or not old:
        return None
    if edit.get("replace_all") is True:
        return text.replace(old, new) if old in text else None
    return text.replace(old, new) if text.count(old) == 1 else None


def _hunk(text: str, hunk: Hunk) -> str | None:
    lines, before = f"\n{text}\n", f"\n{hunk.before}\n"
    place = lines.find(before)
    if not hunk.before or place < 0 or lines.find(before, place + 1) >= 0:
        return None  # found nowhere, or in several places, which may share the line feed between them
    after = f"\n{hunk.after}\n" if hunk.after else "\n"
    return f"{lines[:place]}{after}{lines[place + len(before) :]}"[1:-1]
