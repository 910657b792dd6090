"""What a file holds after edits (rules 5.25, 5.26), worked out from the arguments of the calls alone.

Given is only what a call does to which file: reads it whole, edits it, does something else to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ravenglass.hub.files.uses import Use, uses
from tests.acceptance.reference.facts import Facts

MARK = "[this file as the edit in message #{edit} left it]\n{content}"
_OLD = ("old_string", "old_str", "old_text")
_NEW = ("new_string", "new_str", "new_text")
_NUMBER = re.compile(r"[ \t]*\d+(→|\t|: )")
_FRAMES = (
    r"\A(?:Chunk ID|Wall time|Exit code): .*?\nOutput:\n",
    r"\AHere's the result of running `cat -n` on [^\n]*:\n",
)


class Edits:
    """Of one session: result of a whole read -> the edits of its file that followed, each with the text behind it."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self.after: dict[int, list[tuple[int, str]]] = {}
        used = uses(facts.session)
        for number, use in enumerate(used):
            if self._is_whole_read(use) and use.result not in self.after:
                self.after[use.result or 0] = list(self._chain(use, used[number + 1 :]))

    def shown(self, message: int, known: int) -> tuple[int, str] | None:
        """The last edit below `known` and the text behind it; None where there is none."""
        found = None
        for result, content in self.after.get(message, ()):
            if result >= known:
                break
            found = max(found[0] if found else 0, result), content
        return found

    def _is_whole_read(self, use: Use) -> bool:
        return use.result is not None and [(f.op, f.part) for f in use.files] == [("read", "")]

    def _chain(self, read: Use, later: tuple[Use, ...]) -> Iterator[tuple[int, str]]:
        path, text = read.files[0].path, _bare(read.answer.text if read.answer else "")
        for use in later:
            if use.result is None or use.group == read.group:
                continue
            if any(p.path == path and p.contradicts(text, whole=True) for p in use.patches):
                return
            for file in use.files:
                if file.how in ("removed", "moved", "restored") and (path + "/").startswith(file.path + "/"):
                    return
            mine = [file for file in use.files if file.path == path]
            for file in mine:
                if file.op == "read" and file.part:
                    continue
                if file.op != "edit" or file.how not in ("", "patched") or len(use.files) > 1:
                    return
                made = _edited(use.call.arguments, text)
                if made is None:
                    return
                text = made
                yield use.result, text


def _bare(text: str) -> str:
    for frame in _FRAMES:
        text = re.sub(frame, "", text, count=1, flags=re.DOTALL)
    text = re.sub(r"\n*<system-reminder>.*?</system-reminder>\s*\Z", "", text, flags=re.DOTALL)
    rows = text.split("\n")
    if all(_NUMBER.match(row) for row in rows if row.strip()):
        rows = [_NUMBER.sub("", row, count=1) for row in rows]
    return "\n".join(rows)


def _edited(arguments: str, text: str) -> str | None:
    """A text after the edit that a call's arguments ask for; None where they do not say, or do not apply."""
    try:
        given: Any = json.loads(arguments)
    except ValueError:
        given = None
    asked = given if isinstance(given, dict) else {}
    edits = asked.get("edits")
    if not isinstance(edits, list) or not edits:
        edits = [asked] if any(name in asked for name in _OLD) else []
    if edits:
        for one in edits:
            made = _replaced(text, one) if isinstance(one, dict) else None
            if made is None:
                return None
            text = made
        return text
    strings = [value for value in asked.values() if isinstance(value, str)]
    for said in [*strings, arguments if not isinstance(given, str) else given]:
        hunks = _hunks(said)
        if hunks:
            for before, after in hunks:
                made = _put(text, before, after)
                if made is None:
                    return None
                text = made
            return text
    return None


def _replaced(text: str, edit: dict[str, Any]) -> str | None:
    old = next((edit[name] for name in _OLD if name in edit), None)
    new = next((edit[name] for name in _NEW if name in edit), "")
    if not isinstance(old, str) or not isinstance(new, str) or not old or old not in text:
        return None
    return new.join(text.split(old)) if edit.get("replace_all") is True or len(text.split(old)) == 2 else None


def _hunks(said: str) -> list[tuple[list[str], list[str]]]:
    """Lines before and after of every hunk of a patch of one file."""
    found: list[tuple[list[str], list[str]]] = []
    inside = False
    for row in said.split("\n"):
        if row.startswith(("@@", "*** Update File: ", "--- ", "+++ ", "*** End", "*** Begin", "diff --git")):
            inside = row.startswith(("@@", "*** Update File: "))
            if inside:
                found.append(([], []))
        elif inside:
            if row[:1] in ("", " ", "-"):
                found[-1][0].append(row[1:])
            if row[:1] in ("", " ", "+"):
                found[-1][1].append(row[1:])
    return [hunk for hunk in found if hunk[0] or hunk[1]]


def _put(text: str, before: list[str], after: list[str]) -> str | None:
    rows = text.split("\n")
    places = [n for n in range(len(rows) - len(before) + 1) if rows[n : n + len(before)] == before]
    if not before or len(places) != 1:
        return None
    rows[places[0] : places[0] + len(before)] = after
    return "\n".join(rows)
