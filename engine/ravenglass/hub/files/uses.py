"""Tool calls of a session with the results that answered them, and the source kind of a group."""

from __future__ import annotations

from dataclasses import dataclass, field

from ravenglass.hub.files.file_use import FileUse
from ravenglass.hub.files.notes import is_note
from ravenglass.hub.files.patches import Patched, unified
from ravenglass.hub.files.paths import normal_path
from ravenglass.hub.files.toolbox import file_use, source_of
from ravenglass.hub.files.touched import touched
from ravenglass.rules import SourceName
from ravenglass.sessions.model.derived import Slot
from ravenglass.sessions.model.session import Group, Message, Session, ToolCall


@dataclass(frozen=True, slots=True)
class Use:
    """One tool call. `result` is the message that answered it; None where none did, it reported an error, or it is
    only a note about a file (`notes`), which shows no content and tells of no change.

    `use` is its use of a file where it touches exactly one; `files` are all of them. Paths are normal (hub.paths).
    """

    group: int
    call: ToolCall
    use: FileUse
    result: int | None
    files: tuple[FileUse, ...] = ()
    patches: tuple[Patched, ...] = ()
    """Files that the result shows as changed: it is a diff."""
    answer: Message | None = field(default=None, repr=False, compare=False)
    """The message `result`."""


_USES = Slot[tuple[Use, ...]]("uses")


def uses(session: Session) -> tuple[Use, ...]:
    """Every tool call that was sent, in file order: one that was written twice is one."""
    # A session that grows in place has others as soon as it is longer.
    return _USES.made(session, lambda: _of_all(session), len(session.messages))


def _of_all(session: Session) -> tuple[Use, ...]:
    return tuple(use for group in session.structure.groups for use in uses_of_group(session, group))


def uses_of_group(session: Session, group: Group) -> tuple[Use, ...]:
    """The tool calls of one group."""
    messages = [session.messages[m] for m in group.messages]
    if group.unsent or not messages[0].tool_calls:
        return ()
    results = {m.tool_call_id: m for m in messages if m.role == "tool"}
    found = ((call, results.get(call.id)) for call in messages[0].tool_calls)
    return tuple(
        _use(session, group, call, result if result is None or not result.is_error else None) for call, result in found
    )


def _use(session: Session, group: Group, call: ToolCall, answer: Message | None) -> Use:
    files = touched(call, session.project)
    if answer is not None and files and is_note(files, answer.text):
        answer = None
    only = files[0] if len(files) == 1 else FileUse("none", normal_path(file_use(call).path, session.project))
    patches: tuple[Patched, ...] = ()
    if answer is not None and source_of(call) == "git_diff":
        patches = tuple(
            Patched(normal_path(p.path, session.project), p.hunks, p.gone, p.opaque) for p in unified(answer.text)
        )
    return Use(group.index, call, only, None if answer is None else answer.id, files, patches, answer)


_MOST_TRUSTED_FIRST: tuple[SourceName, ...] = ("git_diff", "lsp_symbol", "tool_result")
_OF_KIND: dict[str, SourceName] = {"summary": "summary", "meta": "tool_result"}
_OF_ROLE: dict[str, SourceName] = {"assistant": "assistant", "tool": "tool_result"}


def source_of_group(session: Session, group: Group) -> SourceName:
    """The source kind that scores and tier rules use (rules.SourceName)."""
    first = session.messages[group.messages[0]]
    if first.tool_calls:
        return min((source_of(call) for call in first.tool_calls), key=_MOST_TRUSTED_FIRST.index)
    if first.role == "user":
        return _OF_KIND.get(first.kind, "user_input")
    return _OF_ROLE.get(first.role, "instruction")
