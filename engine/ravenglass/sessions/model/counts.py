"""The figures that name the size of a session, in one place for the command line and the desktop."""

from __future__ import annotations

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


def _descendants(session: Session) -> int:
    return sum(1 + _descendants(child) for child in session.children)
