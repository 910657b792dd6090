"""Prints what every recorded session in ../shared/samples holds: `python -m tests.engine.sessions.sample_table`.

Counts only. What is no session says so in a sentence; `test_samples_all.py` holds both to it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions import counts, holder_of, open_session
from ravenglass.sessions.catalogue.listing import listing
from ravenglass.sessions.model.session import Session
from tests.conftest import SAMPLES

_COLUMNS = ("messages", "calls", "tool calls", "results", "unanswered", "orphans", "damaged", "sub-agents", "markers")


@dataclass(frozen=True)
class Row:
    """One session of a file or folder, or why there is none."""

    name: str
    session: Session | None
    refusal: str = ""

    @property
    def figures(self) -> tuple[int, ...]:
        """The figures of the session itself, in the order of the columns."""
        if self.session is None:
            return ()
        found = counts(self.session)
        groups = self.session.structure.groups
        return (
            found.messages, found.calls, found.tool_calls, found.tool_results,
            sum(len(group.unanswered) for group in groups), sum(group.orphan for group in groups),
            len(self.session.damage), found.children, len(self.session.markers),
        )  # fmt: skip


def rows(samples: Path) -> Iterator[Row]:
    """Every file, and every folder or database that holds sessions, in the order of names."""
    yield from _below(samples, samples)


def _below(folder: Path, top: Path) -> Iterator[Row]:
    for path in sorted(folder.iterdir()):
        name = path.relative_to(top).as_posix()
        if holder_of(path) is not None:
            yield from _held(path, name)
        elif path.is_dir():
            yield from _below(path, top)
        elif path.suffix not in (".md", ".lock"):
            yield _opened(path, "", name)


def _held(path: Path, name: str) -> Iterator[Row]:
    for entry in sorted(listing(path), key=lambda entry: entry.key):
        if entry.parent is None:
            yield _opened(entry.path, entry.key, f"{name}#{entry.key}" if entry.key else name)


def _opened(path: Path, key: str, name: str) -> Row:
    try:
        return Row(name, open_session(path, key))
    except SessionError as error:
        return Row(name, None, str(error))


def main() -> int:
    """Print the table."""
    if not SAMPLES.is_dir():
        print(f"There are no recorded sessions ({SAMPLES}).")
        return 1
    print(f"{'file':62} {'format':18} " + " ".join(f"{name:>10}" for name in _COLUMNS))
    for row in rows(SAMPLES):
        if row.session is None:
            print(f"{row.name[-62:]:62} {row.refusal.split('; ')[0].split('/')[-1][:110]}")
        else:
            print(f"{row.name[-62:]:62} {row.session.format:18} " + " ".join(f"{n:10,}" for n in row.figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
