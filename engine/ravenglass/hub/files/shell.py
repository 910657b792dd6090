"""Reads a shell command line as far as it is clear: its simple commands, their words, redirections and here-documents.

Nothing is run or expanded. A word that only the shell could tell (`$HOME`, `*.py`, `$(date)`) is UNKNOWN, so that
whoever asks which file a command touches gets no guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

UNKNOWN = "\0"
"""Stands for a word with an expansion or a glob in it."""

_BLANK = " \t\r"
_GLOB = "*?["
_PLAIN = re.compile(r"[^\s\\'\"$`*?\[;&|()<>]+")
_QUOTED = re.compile(r"[^\\\"$`]+")
_HERE = re.compile(r"<<(?P<dash>-?)[ \t]*(?P<quote>['\"]?)(?P<word>[\w.+-]+)(?P=quote)")


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command. `redirects` are (operator, target); `depth` counts the parentheses around it."""

    words: tuple[str, ...]
    redirects: tuple[tuple[str, str], ...] = ()
    here: str = ""
    """The here-documents that it reads."""
    piped: bool = False
    """Its output or input is a pipe."""
    depth: int = 0


@dataclass
class _Open:
    """The command being read."""

    words: list[str] = field(default_factory=list)
    redirects: list[tuple[str, str]] = field(default_factory=list)
    here: str = ""
    piped: bool = False
    number: int = -1


@lru_cache(maxsize=4_096)
def simple_commands(line: str) -> tuple[Simple, ...]:
    """The simple commands of a command line in order; what cannot be read ends them early."""
    return tuple(_Scanner(line).run())


class _Scanner:
    def __init__(self, line: str) -> None:
        self._line = line
        self._at = 0
        self._word: str | None = None
        self._unknown = False
        self._quoted = False
        self._operator = ""
        """A redirection that still waits for its target."""
        self._now = _Open()
        self._done: list[_Open] = []
        self._depths: list[int] = []
        self._depth = 0
        self._waiting: list[tuple[_Open, str, bool]] = []
        """Here-documents announced on this line: reader, delimiter, whether tabs are stripped."""

    def run(self) -> list[Simple]:
        line = self._line
        while self._at < len(line):
            char = line[self._at]
            if char in _BLANK:
                self._end_word()
            elif char == "\n":
                self._end_command()
                self._at += 1
                self._here_documents()
                continue
            elif char == "#" and self._word is None:
                self._at = self._find("\n", len(line))
                continue
            elif char in ";&|()":
                self._separator(char)
                continue
            elif char in "<>":
                self._redirection(char)
                continue
            else:
                self._part_of_word(char)
                continue
            self._at += 1
        self._end_command()
        return [
            Simple(tuple(o.words), tuple(o.redirects), o.here, o.piped, depth)
            for o, depth in zip(self._done, self._depths, strict=True)
        ]

    def _find(self, text: str, otherwise: int) -> int:
        found = self._line.find(text, self._at)
        return otherwise if found < 0 else found

    def _add(self, text: str) -> None:
        self._word = (self._word or "") + text

    def _part_of_word(self, char: str) -> None:
        line, at = self._line, self._at
        if char == "\\":
            if line[at + 1 : at + 2] != "\n":
                self._add(line[at + 1 : at + 2])
            self._at += 2
        elif char == "'":
            end = line.find("'", at + 1)
            end = len(line) if end < 0 else end
            self._add(line[at + 1 : end])
            self._quoted = True
            self._at = end + 1
        elif char == '"':
            self._double_quoted()
        elif char in "$`":
            self._expansion()
        else:
            plain = _PLAIN.match(line, at)
            text = plain[0] if plain else char
            self._unknown |= text in _GLOB
            self._add(text)
            self._at += len(text)

    def _double_quoted(self) -> None:
        line = self._line
        self._at += 1
        self._add("")
        self._quoted = True
        while self._at < len(line) and line[self._at] != '"':
            char = line[self._at]
            if char == "\\" and line[self._at + 1 : self._at + 2] in ('"', "\\", "$", "`", "\n"):
                self._add(line[self._at + 1].strip("\n"))
                self._at += 2
            elif char in "$`":
                self._expansion()
            else:
                plain = _QUOTED.match(line, self._at)
                text = plain[0] if plain else char
                self._add(text)
                self._at += len(text)
        self._at += 1

    def _expansion(self) -> None:
        """Step over `$x`, `${x}`, `$(...)`, a backquoted command."""
        line, at = self._line, self._at
        self._add("")
        self._unknown = True
        if line[at] == "`":
            end = line.find("`", at + 1)
            self._at = len(line) if end < 0 else end + 1
        elif line[at + 1 : at + 2] == "(":
            self._at = _behind(line, at + 1, "(", ")")
        elif line[at + 1 : at + 2] == "{":
            self._at = _behind(line, at + 1, "{", "}")
        else:
            self._at += 1

    def _separator(self, char: str) -> None:
        line, at = self._line, self._at
        if char == "&" and line[at + 1 : at + 2] == ">":
            self._end_word()
            self._at += 1
            self._redirection(">")
            return
        pipe = char == "|" and line[at + 1 : at + 2] != "|"
        self._now.piped |= pipe
        self._end_command()
        self._now.piped |= pipe
        self._depth = max(0, self._depth + (char == "(") - (char == ")"))
        self._at += 2 if line[at : at + 2] in ("&&", "||", "|&", ";;") else 1

    def _redirection(self, char: str) -> None:
        line, at = self._line, self._at
        if self._word is not None and self._word.isdigit() and not self._quoted:
            self._word = None
        self._end_word()
        here = _HERE.match(line, at) if line.startswith("<<", at) and line[at + 2 : at + 3] != "<" else None
        if here is not None:
            self._waiting.append((self._now, here["word"], bool(here["dash"])))
            self._at = here.end()
            return
        if line[at + 1 : at + 2] == "(":
            self._at = _behind(line, at + 1, "(", ")")
            self._add("")
            self._unknown = True
            return
        operator = char
        self._at += 1
        while self._at < len(line) and line[self._at] in "<>|&":
            operator += line[self._at]
            self._at += 1
        self._operator = operator

    def _end_word(self) -> None:
        word, unknown, quoted = self._word, self._unknown, self._quoted
        self._word, self._unknown, self._quoted = None, False, False
        if word is None:
            return
        said = UNKNOWN if unknown or (word.startswith("~") and not quoted) else word
        if self._operator:
            self._now.redirects.append((self._operator, said))
            self._operator = ""
        else:
            self._now.words.append(said)

    def _end_command(self) -> None:
        self._end_word()
        self._operator = ""
        if self._now.words or self._now.redirects:
            self._done.append(self._now)
            self._depths.append(self._depth)
        elif self._waiting and self._waiting[-1][0] is self._now:
            self._waiting.pop()
        self._now = _Open()

    def _here_documents(self) -> None:
        line = self._line
        for reader, delimiter, tabs in self._waiting:
            body: list[str] = []
            while self._at < len(line):
                end = self._find("\n", len(line))
                row = line[self._at : end]
                self._at = end + 1
                if (row.lstrip("\t") if tabs else row) == delimiter:
                    break
                body.append(row)
            reader.here += "".join(f"{row}\n" for row in body)
        self._waiting.clear()


def _behind(line: str, at: int, opening: str, closing: str) -> int:
    """The position behind the parenthesis that closes the one at `at`; quotes inside are stepped over."""
    depth = 0
    while at < len(line):
        char = line[at]
        if char == "\\":
            at += 1
        elif char == "'":
            end = line.find("'", at + 1)
            at = len(line) if end < 0 else end
        elif char == opening:
            depth += 1
        elif char == closing:
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return len(line)
