"""What the tools of known agents do: which of them read, write or edit a file, and which file.

The names are a vocabulary, no thresholds: a tool that is not listed simply touches no file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import lru_cache

from ravenglass.hub.files.file_use import FileUse, Op
from ravenglass.rules import SourceName
from ravenglass.sessions.model.session import ToolCall

__all__ = [
    "FileUse", "argument_value", "arguments", "file_use", "first_string", "matches", "shell_command", "source_of",
    "strings",
]  # fmt: skip

PATH_KEYS = (
    "file_path",
    "path",
    "filePath",
    "filename",
    "notebook_path",
    "target_file",
    "absolute_path",
    "file",
)
"""Arguments that name a file."""
_READ = ("Read", "read", "read_file", "view", "view_file", "cat", "open_file", "NotebookRead")
_WRITE = ("Write", "write", "write_file", "create_file", "save_file", "write_to_file")
_EDIT = (
    "Edit", "MultiEdit", "edit", "edit_file", "replace", "str_replace", "apply_patch", "NotebookEdit", "insert",
    "multiedit", "replace_in_file", "search_replace", "apply_diff", "insert_content",
)  # fmt: skip
_EDITORS = ("str_replace_editor", "str_replace_based_edit_tool", "file_editor", "text_editor")
_EDITOR_OPS: dict[str, Op] = {
    "view": "read",
    "create": "write",
    "str_replace": "edit",
    "insert": "edit",
    "undo_edit": "edit",
}
_SHELLS = (
    "Bash",
    "bash",
    "shell",
    "shell_command",
    "run_command",
    "execute_command",
    "exec_command",
    "execute_bash",
    "run_shell_command",
    "terminal",
    "local_shell",
)


def arguments(call: ToolCall) -> dict[str, object]:
    """The call's arguments as an object; empty where they are no JSON object (they may be damaged)."""
    for value in argument_value(call.arguments):
        if isinstance(value, dict):
            return value
    return {}


@lru_cache(maxsize=4_096)
def argument_value(written: str) -> tuple[object, ...]:
    """What written arguments are as JSON, alone in a tuple; an empty tuple where they are damaged. Not to be changed:
    equal arguments share it."""
    try:
        return (json.loads(written or "{}"),)
    except (ValueError, RecursionError):
        return ()


def strings(value: object) -> Iterator[str]:
    """Every string inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


def first_string(given: dict[str, object], keys: Iterable[str]) -> str:
    """The value of the first of some keys that has a string for value; empty where none has."""
    for key in keys:
        value = given.get(key)
        if isinstance(value, str):
            return value
    return ""


def file_use(call: ToolCall) -> FileUse:
    """What the call does to which file; `op` is `none` where it touches none that we know of."""
    args = arguments(call)
    path = first_string(args, PATH_KEYS)
    op: Op = "none"
    if call.name in _EDITORS:
        op = _EDITOR_OPS.get(str(args.get("command", "")), "none")
    elif call.name in _READ:
        op = "read"
    elif call.name in _WRITE:
        op = "write"
    elif call.name in _EDIT:
        op = "edit"
    part = ""
    if op == "read":
        part = ",".join(
            f"{key}={args[key]}" for key in ("offset", "limit", "view_range", "start_line", "end_line") if args.get(key)
        )
    return FileUse(op if path else "none", path, part)


def shell_command(call: ToolCall) -> str:
    """The command line of a shell call, else an empty string."""
    if call.name not in _SHELLS:
        return ""
    given = arguments(call)
    command = given.get("command") or given.get("cmd") or ""
    return " ".join(map(str, command)) if isinstance(command, list) else str(command)


def source_of(call: ToolCall) -> SourceName:
    """The source kind of a tool call's result: git_diff, lsp_symbol or tool_result."""
    command = shell_command(call)
    if "git diff" in command or "git show" in command:
        return "git_diff"
    name = call.name.lower()
    return "lsp_symbol" if "lsp" in name or "diagnostic" in name else "tool_result"


def matches(pattern: str, text: str) -> bool:
    """Case-sensitive glob; `*` matches everything."""
    return pattern == "*" or _glob(pattern).match(text) is not None


@lru_cache(maxsize=4_096)
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))
