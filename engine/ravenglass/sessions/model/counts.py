"""The figures that name the size of a session, in one place for the command line and the desktop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ravenglass.sessions.model.session import Session


@dataclass(frozen=True, slots=True)
class Counts:
    """Figures of a session's main thread; sub-agents are only counted as `children` (all levels)."""

    messages: int
    groups: int
    turns: int
    """Prompts: what stands before the first one is no turn of the user's."""
    calls: int
    tool_calls: int
    tool_results: int
    damaged_lines: int
    """Lines of which at least a part could not be decoded."""
    children: int


def counts(session: Session) -> Counts:
    """Count a session's main thread."""
    structure = session.structure
    return Counts(
        messages=len(session.messages),
        groups=len(structure.groups),
        turns=sum(turn.prompt is not None for turn in structure.turns),
        calls=len(structure.calls),
        tool_calls=sum(len(message.tool_calls) for message in session.messages),
        tool_results=sum(message.role == "tool" for message in session.messages),
        damaged_lines=len({item.span.line for item in session.damage}),
        children=_descendants(session),
    )


def family(session: Session) -> Iterator[Session]:
    """The session and all sub-agents below it."""
    yield session
    for child in session.children:
        yield from family(child)


def not_understood(session: Session) -> dict[str, int]:
    """Kinds of content blocks that nothing knows, most frequent first, in the session and its sub-agents."""
    found: Counter[str] = Counter()
    for part in family(session):
        found.update(part.not_understood)
    return dict(found.most_common())


def _descendants(session: Session) -> int:
    return sum(1 + _descendants(child) for child in session.children)
