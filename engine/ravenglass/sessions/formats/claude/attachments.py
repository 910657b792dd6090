"""What an attachment record of Claude Code put into the model's window, as far as the record holds its text.

The harness writes context that nobody typed (files, reminders, memory, hooks) as attachments. Those that the model saw
become messages; those that only the harness used (permissions, successful hooks without output) stay other records.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.model.session import Kind, Part
from ravenglass.sessions.records.values import dump, mapping, sequence, text

_NOT_HELD = frozenset(
    {
        "plan_mode", "plan_mode_reentry", "plan_mode_exit", "auto_mode", "auto_mode_exit", "ultra_effort_enter",
        "ultra_effort_exit", "output_style", "todo_reminder", "task_reminder", "todo",
    }
)  # fmt: skip
"""Reminders of a fixed wording that the transcript does not hold; that they were there is all it says."""


def attached(attachment: object) -> tuple[tuple[Part, ...], Kind] | None:
    """Parts and kind of the message that an attachment was; None where the model saw nothing of it."""
    value = mapping(attachment)
    name = text(value.get("type"))
    if name == "queued_command":
        typed = value.get("commandMode") == "prompt" and value.get("isMeta") is not True
        parts = parts_of(value.get("prompt"))
        return (parts, "prompt" if typed else "meta") if parts else None
    maker = _TEXTS.get(name)
    made = maker(value) if maker is not None else ""
    if isinstance(made, str):
        if not made.strip() and name in _NOT_HELD:
            made = f"[{name.removesuffix('_reminder').replace('_', ' ')} reminder; its text is not in the record]"
        made = (Part("text", made),) if made.strip() else ()
    return (made, "meta") if made else None


def _lines(value: object) -> str:
    """Text that may be a string or a list of strings or text blocks."""
    if isinstance(value, list):
        return "\n".join(item if isinstance(item, str) else text(mapping(item).get("text")) for item in value)
    return text(value)


def _headed(head: str, body: str) -> str:
    return f"{head}\n\n{body}" if body and head else body


def _file(value: dict[str, Any]) -> str | tuple[Part, ...]:
    content = mapping(value.get("content"))
    inner = mapping(content.get("file"))
    name = text(value.get("filename")) or text(inner.get("filePath"))
    if content.get("type") == "image":
        source = {"type": "base64", "media_type": inner.get("type"), "data": inner.get("base64")}
        return parts_of([{"type": "text", "text": name}, {"type": "image", "source": source}])
    body = text(inner.get("content"))
    return _headed(name, body or (dump(inner) if inner else _lines(value.get("content"))))


def _place(value: dict[str, Any]) -> str:
    """A piece of text from a named file: `content`, or the `snippet` of a change."""
    body = _lines(value.get("content")) or text(value.get("snippet"))
    name = text(value.get("filename")) or text(value.get("path")) or text(value.get("displayPath"))
    return _headed(name, body)


def _memory(value: dict[str, Any]) -> str:
    inner = mapping(value.get("content"))
    return _headed(text(inner.get("path")) or text(value.get("path")), text(inner.get("content")))


def _memories(value: dict[str, Any]) -> str:
    found = [mapping(item) for item in sequence(value.get("memories"))]
    return "\n\n".join(_headed(text(item.get("path")), text(item.get("content"))) for item in found)


def _todos(value: dict[str, Any]) -> str:
    items = [mapping(item) for item in sequence(value.get("content"))]
    return "\n".join(f"[{text(i.get('status'))}] {text(i.get('content')) or text(i.get('subject'))}" for i in items)


def _skills(value: dict[str, Any]) -> str:
    found = [mapping(item) for item in sequence(value.get("skills"))]
    return "\n\n".join(_headed(text(item.get("name")), text(item.get("content"))) for item in found)


def _diagnostics(value: dict[str, Any]) -> str:
    lines: list[str] = []
    for file in (mapping(item) for item in sequence(value.get("files"))):
        found = (mapping(item) for item in sequence(file.get("diagnostics")))
        lines.extend(f"{text(file.get('uri'))}: {text(item.get('message'))}" for item in found)
    return "\n".join(lines)


def _resource(value: dict[str, Any]) -> str:
    contents = [mapping(item) for item in sequence(mapping(value.get("content")).get("contents"))]
    return _headed(text(value.get("uri")), "\n".join(text(item.get("text")) for item in contents))


def _listing(value: dict[str, Any]) -> str:
    """What was added to and removed from a list of tools, agents or servers."""
    added = [*sequence(value.get("addedLines")), *sequence(value.get("addedBlocks"))]
    removed = [*sequence(value.get("removedNames")), *sequence(value.get("removedTypes"))]
    return "\n".join([*(text(line) for line in added), *(f"removed: {text(name)}" for name in removed)])


def _blocking(value: dict[str, Any]) -> str:
    return text(mapping(value.get("blockingError")).get("blockingError"))


def _amounts(value: dict[str, Any]) -> str:
    names = ("used", "total", "remaining")
    return ", ".join(f"{name} {value[name]:,}" for name in names if isinstance(value.get(name), (int, float)))


def _task(value: dict[str, Any]) -> str:
    words = (text(value.get(name)) for name in ("taskId", "status", "description", "deltaSummary", "outputFilePath"))
    return "; ".join(word for word in words if word)


def _named(name: str, before: str = "", after: str = "") -> Callable[[dict[str, Any]], str]:
    """One field, with words around it."""

    def made(value: dict[str, Any]) -> str:
        body = _lines(value.get(name))
        return f"{before}{body}{after}" if body else ""

    return made


_TEXTS: dict[str, Callable[[dict[str, Any]], str | tuple[Part, ...]]] = {
    "file": _file,
    "directory": _place,
    "edited_text_file": _place,
    "selected_lines_in_ide": _place,
    "nested_memory": _memory,
    "relevant_memories": _memories,
    "todo": _todos,
    "todo_reminder": _todos,
    "task_reminder": _todos,
    "task_status": _task,
    "skill_listing": _named("content"),
    "invoked_skills": _skills,
    "deferred_tools_delta": _listing,
    "agent_listing_delta": _listing,
    "mcp_instructions_delta": _listing,
    "mcp_resource": _resource,
    "diagnostics": _diagnostics,
    "hook_success": _named("content"),
    "hook_additional_context": _named("content"),
    "hook_blocking_error": _blocking,
    "hook_stopped_continuation": _named("message"),
    "plan_mode": _named("planFilePath", "[plan mode reminder; its text is not in the record; plan file ", "]"),
    "plan_mode_exit": _named(
        "planFilePath", "[plan mode exit reminder; its text is not in the record; plan file ", "]"
    ),
    "date_change": _named("newDate", "The date is now "),
    "opened_file_in_ide": _named("filename", "Opened in the editor: "),
    "compact_file_reference": _named("filename", "Read before the summary, too large to be shown again: "),
    "read_truncation_notice": _named("banner"),
    "critical_system_reminder": _named("content"),
    "total_tokens_reminder": _named("text"),
    "batching_reminder_sent": _named("text"),
    "silent_turn_reminder": _named("text"),
    "budget_usd": _amounts,
    "token_usage": _amounts,
}
