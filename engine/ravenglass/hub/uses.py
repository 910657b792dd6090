"""Tool calls of a session with the results that answered them, and the source kind of a group."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.hub.toolbox import FileUse, file_use, source_of
from ravenglass.sessions.model import Group, Session, ToolCall


@dataclass(frozen=True, slots=True)
class Use:
    """One tool call. `result` is the message that answered it, None where none did or it reported an error."""

    group: int
    call: ToolCall
    use: FileUse
    result: int | None


def uses(session: Session) -> tuple[Use, ...]:
    """Every tool call in file order."""
    found: list[Use] = []
    for group in session.structure.groups:
        messages = [session.messages[m] for m in group.messages]
        if not messages[0].tool_calls:
            continue
        results = {m.tool_call_id: m for m in messages if m.role == "tool"}
        for call in messages[0].tool_calls:
            result = results.get(call.id)
            good = result.id if result is not None and not result.is_error else None
            found.append(Use(group.index, call, file_use(call), good))
    return tuple(found)


_MOST_TRUSTED_FIRST = ("git_diff", "lsp_symbol", "tool_result")
_OF_KIND = {"summary": "summary", "meta": "tool_result"}
_OF_ROLE = {"assistant": "assistant", "tool": "tool_result"}


def source_of_group(session: Session, group: Group) -> str:
    """The source kind that scores and tier rules use (rules.SourceName)."""
    first = session.messages[group.messages[0]]
    if first.tool_calls:
        return min((source_of(call) for call in first.tool_calls), key=_MOST_TRUSTED_FIRST.index)
    if first.role == "user":
        return _OF_KIND.get(first.kind, "user_input")
    return _OF_ROLE.get(first.role, "instruction")
