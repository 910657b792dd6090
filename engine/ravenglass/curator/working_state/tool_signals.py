"""What tool calls say that a working state keeps: todo lists, tasks, plans and commits.

Arguments are JSON text and may be damaged: what cannot be read gives nothing. Results are read up to
`RESULT_CHARS` characters.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from ravenglass.hub.files import toolbox
from ravenglass.sessions.model.session import Message, ToolCall

RESULT_CHARS = 2_000
"""Head of a result in which the outcome is looked for; what a shell prints later is not about the commit."""

Status = Literal["pending", "in_progress", "closed"]

_TEXT_KEYS = ("content", "step", "subject", "title", "description", "text", "task", "activeForm")
_IN_PROGRESS = frozenset({"in_progress", "inprogress", "doing", "active", "started", "running"})
_CLOSED = frozenset(
    {"completed", "complete", "done", "finished", "closed", "cancelled", "canceled", "deleted", "skipped"}
)

_COMMIT = re.compile(r"\bgit\b[^\n;&|]{0,200}?\bcommit\b")
_AMEND = re.compile(r"\bcommit\b[^\n;&|]{0,200}?--amend\b")
_HEREDOC = re.compile(r"<<-?\s*['\"]?\w+['\"]?\s*\n\s*(\S[^\n]*)")
_MESSAGE = re.compile(
    r"\bcommit\b[^\n]{0,400}?\s(?:-[a-zA-Z]*m|--message)[ =]*"
    r"(?:\"((?:[^\"\\]|\\.){1,2000})|'([^']{1,2000})|([^\s\"']\S*))"
)
_COMMITTED = re.compile(r"^\[[^\]\n]{1,200}[ ][0-9a-f]{7,40}\] (\S[^\n]*)", re.MULTILINE)
_FAILED = re.compile(
    r"nothing to commit|no changes added to commit|nothing added to commit|^fatal:|^error:|"
    r"(?:exit(?:ed)?(?: with)?(?: status| code)?|return ?code|exit_code)\W{1,4}[1-9]",
    re.MULTILINE | re.IGNORECASE,
)
_TASK_NUMBER = re.compile(r"#(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Todo:
    """One item of an agent's own list."""

    text: str
    status: Status


@dataclass(frozen=True, slots=True)
class TodoList:
    """A whole list, which replaces the earlier one."""

    items: tuple[Todo, ...]


@dataclass(frozen=True, slots=True)
class TaskCreated:
    """One task added. `number` is the agent's own, None where the result does not tell it."""

    number: str | None
    item: Todo


@dataclass(frozen=True, slots=True)
class TaskUpdated:
    """One task changed; None leaves the field as it was."""

    number: str
    text: str | None
    status: Status | None


@dataclass(frozen=True, slots=True)
class PlanApproved:
    """A plan that the user approved, as Markdown."""

    plan: str


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit that went through."""

    subject: str
    amend: bool


Signal = TodoList | TaskCreated | TaskUpdated | PlanApproved | Committed


def signal_of(call: ToolCall, result: Message) -> Signal | None:
    """What a call and its result say, or None; a failed call says nothing."""
    if result.is_error:
        return None
    match call.name.lower().replace("_", "").replace("-", ""):
        case "todowrite" | "writetodos" | "updateplan" | "todolist" | "updatetodos":
            return _todo_list(call)
        case "taskcreate":
            return _task_created(call, result)
        case "taskupdate":
            return _task_updated(call)
        case "exitplanmode":
            plan = _arguments(call).get("plan")
            return PlanApproved(plan) if isinstance(plan, str) and plan.strip() else None
    return _committed(_shell_command(call), result) if "commit" in call.arguments else None


# Arguments nested thousands of brackets deep are damage, too: they read as nothing.
def _arguments(call: ToolCall) -> dict[str, object]:
    try:
        return toolbox.arguments(call)
    except RecursionError:
        return {}


def _shell_command(call: ToolCall) -> str:
    try:
        return toolbox.shell_command(call)
    except RecursionError:
        return ""


def _todo_list(call: ToolCall) -> TodoList | None:
    arguments = _arguments(call)
    recorded = next((arguments[key] for key in ("todos", "plan", "items", "tasks") if key in arguments), None)
    if isinstance(recorded, str):  # some agents send the list as JSON text inside the JSON
        recorded = _decoded(recorded)
    if not isinstance(recorded, list):
        return None
    todos = (_todo(item) for item in recorded)
    return TodoList(tuple(todo for todo in todos if todo is not None))


def _decoded(text: str) -> object:
    try:
        decoded: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return decoded


def _todo(item: object) -> Todo | None:
    if isinstance(item, str):
        return Todo(item, "pending") if item.strip() else None
    if not isinstance(item, dict):
        return None
    text = next((item[key] for key in _TEXT_KEYS if isinstance(item.get(key), str) and item[key].strip()), None)
    return Todo(text, _status(item.get("status")) or "pending") if text else None


def _status(recorded: object) -> Status | None:
    if not isinstance(recorded, str):
        return None
    status = recorded.lower().replace("-", "_").replace(" ", "_")
    if status in _CLOSED:
        return "closed"
    return "in_progress" if status in _IN_PROGRESS else "pending"


def _task_created(call: ToolCall, result: Message) -> TaskCreated | None:
    todo = _todo(_arguments(call))
    if todo is None:
        return None
    number = _TASK_NUMBER.search(result.text[:RESULT_CHARS])
    return TaskCreated(number[1] if number else None, todo)


def _task_updated(call: ToolCall) -> TaskUpdated | None:
    arguments = _arguments(call)
    number = arguments.get("taskId", arguments.get("task_id", arguments.get("id")))
    if not isinstance(number, str | int):
        return None
    text = arguments.get("subject")
    return TaskUpdated(
        str(number).lstrip("#"),
        text if isinstance(text, str) and text.strip() else None,
        _status(arguments.get("status")),
    )


def _committed(command: str, result: Message) -> Committed | None:
    if not _COMMIT.search(command):
        return None
    outcome = result.text[:RESULT_CHARS]
    reported = _COMMITTED.search(outcome)
    if reported is None and _FAILED.search(outcome):
        return None
    subject = reported[1] if reported else _subject(command)
    return Committed(subject, _AMEND.search(command) is not None) if subject else None


def _subject(command: str) -> str:
    """First line of the message on the command line or in its here-document; empty if there is none."""
    found = _MESSAGE.search(command)
    if found is None:
        return ""
    message = next(group for group in found.groups() if group is not None).strip()
    if message.startswith("$("):
        heredoc = _HEREDOC.search(command, found.start())
        return heredoc[1].strip() if heredoc else ""
    return message.replace('\\"', '"').partition("\n")[0].strip()
