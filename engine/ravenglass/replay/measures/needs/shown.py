"""What a result showed: its telling lines, with their numbers where they are known. Notes, errors and empty answers
show nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ravenglass.hub.files.content import unframed
from ravenglass.sessions.model.session import Message

SAME_RUN = 3
"""So many telling lines in a row, the same in both, are the same place of a file where numbers do not tell."""
SAME_SHARE = 0.5
"""Share of the lines of a new answer that an earlier one must have shown to be the same answer."""
STILL_SAME = 0.95
"""Share of the lines that both show which must be the same; else something changed the file in between."""

_WRAPPERS = re.compile(
    r"\A\s*(?:<returncode>-?\d+</returncode>\s*)?<output>\n?|\n?</output>\s*\Z|\A\s*Command: .*?\nOutput: ?"
    r"|\nError: \(none\)[\s\S]*\Z"
    r"|\A\[File: [^\n]*\]\n|\A\(exit code \d+\)\n?|\nExit code: ?\d+\s*\Z",
    re.DOTALL,
)
_MARKS = ("output>", "Command: ", "Error: (none)", "[File: ", "xit code")
"""One of them stands in every text that is wrapped."""
_NUMBER = re.compile(r"\s*(?:(?P<path>[^\s:]{1,200}?)[:-])?(?P<n>\d{1,7})(?:→|\t|[:|-] ?|: )(?P<rest>.*)\Z")
_MAYBE_NUMBERED = re.compile(r"\d[→\t:|-]")
"""Stands in every text that has a numbered line."""
_PATH_BEFORE = re.compile(r"(?P<path>(?:[\w@.~-]+/)*[\w@.~-]+\.\w{1,8})[:-](?=\S|\s)(?P<rest>.*)\Z")
_TELLING = re.compile(r"\w\W*\w\W*\w")
_ERROR = re.compile(
    r"\s*(?:<tool_use_error>|<error>|(?:Error|error|ERROR)\b|fatal: |[\w./-]*: (?:line \d+: )?[^\n]*(?:No such file"
    r"|command not found|cannot access"
    r"|Permission denied|Is a directory|not a git repository)|[^\n]{0,200}(?:No such file or directory"
    r"|does not exist|not found)\b"
    r"|(?:ls|cat|grep|sed|head|tail|find|rg): |Traceback \(most recent call last\)|bash: |sh: |zsh: "
    r"|File does not exist|ENOENT|usage: "
    r"|\[Request interrupted|The user doesn't want|Permission to use|Tool execution (?:failed|denied)|Cancelled"
    r"|Rejected|Invalid )"
)
_NOTHING = re.compile(
    r"(?i)\s*(?:\(?(?:empty|no output|no content|none)\)?|\[no output\]|<system>[^\n]*(?:no output"
    r"|ran without)[^\n]*|no (?:files|matches|results)"
    r"(?: were)?(?: found)?[^\n]*|found 0 [^\n]*|0 matches[^\n]*|no such[^\n]*|\(no output\)"
    r"|tool ran without output[^\n]*"
    r"|\[old tool result content cleared\])\.?\s*\Z"
)
_UNCHANGED = re.compile(
    r"(?i)unchanged since (?:last|the last|it was)|has not changed since|file is unchanged|content (?:is )?unchanged"
)
_MOST_PATHS = 32
_FEW = 400
"""A note or an error is short (characters); a long text that begins like one may be a file."""
_FAILED_EDIT = re.compile(
    r"(?i)(?:no (?:replacement|changes?|occurrences?|match)|string to replace not found|old_?string|did not appear"
    r"|not (?:found|unique)"
    r"|failed to|has not been read|multiple (?:matches|occurrences)|doesn't want to|rejected|denied|no edits"
    r"|could not|cannot)"
)
_CHANGED_NOTE = re.compile(
    r"(?:Note: |file )(?P<path>[^\s:]+) (?:was|has been) modified,? (?:either )?(?:by|since|on disk)", re.IGNORECASE
)

_MODIFIED = re.compile("[Mm][Oo][Dd]")


@dataclass(frozen=True)
class Shown:
    """Telling lines of a result in order: (number, text); the number is None where it is not known."""

    message: int
    lines: tuple[tuple[int | None, str], ...]
    asked: tuple[int, int] | None = None

    @cached_property
    def texts(self) -> frozenset[str]:
        return frozenset(text for _, text in self.lines)

    @cached_property
    def numbered(self) -> dict[int, str]:
        return {number: text for number, text in self.lines if number is not None}

    @cached_property
    def runs(self) -> frozenset[int]:
        """Hashes of every `SAME_RUN` lines in a row; of all lines where there are fewer."""
        texts = [text for _, text in self.lines]
        size = min(SAME_RUN, len(texts))
        return (
            frozenset(hash(tuple(texts[i : i + size])) for i in range(len(texts) - size + 1)) if size else frozenset()
        )

    def runs_of(self, size: int) -> frozenset[int]:
        """As `runs`, of another size."""
        texts = [text for _, text in self.lines]
        return frozenset(hash(tuple(texts[i : i + size])) for i in range(len(texts) - size + 1))


def shown(
    message: Message, asked: tuple[int, int] | None = None, *, first: int | None = None, path: str = ""
) -> Shown | None:
    """What a result shows; None for an error, a note, an empty answer. `first` is the number of its first line where
    it has none of its own; of a search in several files only lines of `path`."""
    text = answer(message)
    if not text or fails(message, text) or unchanged(text):
        return None
    return Shown(message.id, tuple(_lines(text, first, path)), asked)


def answer(message: Message) -> str:
    """The text of a result without what its tool prints around it."""
    return _bare(message.text)


@lru_cache(maxsize=16)
def _bare(text: str) -> str:
    text = unframed(text)
    if any(mark in text for mark in _MARKS):
        text = _WRAPPERS.sub("", text)
    return text if text.strip() else ""


def fails(message: Message, text: str) -> bool:
    """Whether the result says that there is nothing to show."""
    return message.is_error or bool(_NOTHING.match(text)) or (len(text) < _FEW and bool(_ERROR.match(text)))


def unchanged(text: str) -> bool:
    """Whether the result is only a note that what was shown still holds."""
    return len(text) < _FEW and bool(_UNCHANGED.search(text))


def edit_failed(message: Message) -> bool:
    """Whether a result says that an edit was not made, with a flag or in words."""
    text = message.text
    if message.is_error:
        return True
    return len(text) < _FEW and bool(
        _ERROR.match(text) or (_FAILED_EDIT.search(text) and "success" not in text.lower())
    )


def changed_by_others(text: str) -> list[str]:
    """Files that a harness says were changed behind the agent's back."""
    # The note is tried at every character, so what stands in every one is looked for first. (Beyond ASCII some letters
    # are the same as `i` where capitals do not count.)
    may_tell = "modified" in text.lower() if text.isascii() else _MODIFIED.search(text) is not None
    if not may_tell:
        return []
    return [found["path"] for found in _CHANGED_NOTE.finditer(text)]


def paths_in(message: Message) -> list[str]:
    """Files before the lines that a search in folders prints; the first few of them."""
    rows = answer(message).split("\n")
    found = dict.fromkeys(
        match["path"] for row in rows if (match := _NUMBER.match(row)) is not None and match["path"] is not None
    )
    return list(found)[:_MOST_PATHS]


def _lines(text: str, first: int | None, path: str) -> list[tuple[int | None, str]]:
    found: list[tuple[int | None, str]] = []
    numbered = _MAYBE_NUMBERED.search(text) is not None
    for offset, row in enumerate(text.split("\n")):
        number = None if first is None else first + offset
        match = _NUMBER.match(row) if numbered else None
        if match is not None:
            if path and match["path"] and not _same_file(match["path"], path):
                continue
            number, row = int(match["n"]), match["rest"]
        elif path and (other := _PATH_BEFORE.match(row)) is not None and "/" in other["path"]:
            if not _same_file(other["path"], path):
                continue
            row = other["rest"]
        row = row.strip()
        if _TELLING.search(row):
            found.append((number, row))
    return found


def _same_file(one: str, other: str) -> bool:
    return one.endswith(other) or other.endswith(one.removeprefix("./"))


def overlap(new: Shown | None, asked: tuple[int, int] | None, old: Shown) -> tuple[str, ...]:
    """Lines that an earlier result showed of what a look at the same file asks for; empty where none. `new` is what
    came back; without it the ranges have to tell."""
    if new is None:
        return _by_range(asked, old)
    if new.numbered and old.numbered and not _apart(new, old):
        return _same_lines(new.numbered, old.numbered)
    if new.numbered and old.numbered:
        return ()
    size = min(SAME_RUN, len(new.lines), len(old.lines))
    if not size or new.runs_of(size).isdisjoint(old.runs_of(size)):
        return ()
    return tuple(text for _, text in new.lines if text in old.texts)


def _same_lines(new: dict[int, str], old: dict[int, str]) -> tuple[str, ...]:
    """Lines of the same number and text; empty where most differ. Some tools count from 0, so a shift by one is
    none."""
    for shift in (0, 1, -1):
        both = [number for number in new if number + shift in old]
        common = tuple(new[number] for number in both if old[number + shift] == new[number])
        if common and len(common) >= STILL_SAME * len(both):
            return common
    return ()


def _apart(new: Shown, old: Shown) -> bool:
    """Whether two results show different stretches of a file by their numbers."""
    return not (min(new.numbered) <= max(old.numbered) and min(old.numbered) <= max(new.numbered))


def _by_range(asked: tuple[int, int] | None, old: Shown) -> tuple[str, ...]:
    if asked is None:
        return tuple(text for _, text in old.lines)
    if not old.numbered:
        held = old.asked
        apart = held is not None and (held[1] < asked[0] or asked[1] < held[0])
        return () if apart else tuple(text for _, text in old.lines)
    return tuple(text for number, text in old.lines if number is not None and asked[0] <= number <= asked[1])


def same_answer(new: Shown | None, old: Shown) -> tuple[str, ...]:
    """Lines that a look at the same thing brings again; empty where most of its answer is new."""
    if new is None:
        return tuple(text for _, text in old.lines)
    common = tuple(text for _, text in new.lines if text in old.texts)
    return common if common and len(common) >= SAME_SHARE * len(new.lines) else ()
