"""What a call asks to see, and what it may change: the two halves of whether something is fetched again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LookKind = Literal["file", "search", "command", "address"]
Scope = Literal["files", "history", "tree", "none"]
"""What outdates a look: changes of the files below its places; of the repository's history; either; nothing here."""


@dataclass(frozen=True, slots=True)
class AskedLook:
    """`key` is the same for looks at the same thing; of a file it is its path as `normal_path` spells it."""

    kind: LookKind
    key: str
    what: str
    """For people: the path, pattern, command or address."""
    lines: tuple[int, int] | None = None
    """Of a file: first and last line asked for, from 1; None: all of it, or not known which."""
    places: tuple[str, ...] = (".",)
    """Files or folders that it looks at."""
    scope: Scope = "files"
    whole: bool = False
    """Of a file: what is shown begins at its first line."""
    by_search: bool = False
    """Of a file: a search prints lines around its hits."""
    mixed: bool = False
    """Other commands of the line print as well, so that the first line shown need not be the first one asked for."""
    context: bool = False
    """Of a search in folders: lines around its hits are shown."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call may have changed."""

    paths: frozenset[str] = frozenset()
    anything: bool = False
    history: bool = False
    """The repository's history or index, but no file."""
    programs: tuple[str, ...] = ()
    """Texts of programs that were run: they may have written the files that they name, and others where they walk
    folders."""
    server: str = ""
    """What stands behind the tools whose names begin like this."""

    def __bool__(self) -> bool:
        return self != NOTHING

    def __or__(self, other: Effect) -> Effect:
        return Effect(
            self.paths | other.paths, self.anything or other.anything, self.history or other.history,
            self.programs + other.programs, self.server or other.server,
        )  # fmt: skip


NOTHING = Effect()
ANYTHING = Effect(anything=True)


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call asks for and may change."""

    looks: tuple[AskedLook, ...] = ()
    effect: Effect = NOTHING
