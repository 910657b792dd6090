"""What a response says in its own words: text, thinking, and the values of the arguments of its calls.

Never words of the results that came back, never names of tools and arguments.
"""

from __future__ import annotations

from collections.abc import Iterator

from ravenglass.hub.files.toolbox import argument_value
from ravenglass.sessions.model.session import Message, ToolCall

FIXED_VALUES = frozenset(
    {
        "status", "priority", "mode", "output_mode", "subagent_type", "agent_type", "type", "kind", "security_risk",
        "sandbox_permissions", "role", "language", "encoding", "model", "format", "multiline", "head_limit", "timeout",
        "bash_id", "shell_id", "task_id", "session_id", "process_id", "pid", "run_in_background", "replace_all",
    }
)  # fmt: skip
"""Arguments that take one of a tool's own values, or a handle that the tool gave out: no words of the response."""


def own_words(message: Message) -> tuple[str, ...]:
    """Texts that the response wrote itself."""
    said = (text for text in (message.text, message.thinking) if text)
    return (*said, *(value for call in message.tool_calls for value in argument_values(call)))


def argument_values(call: ToolCall) -> tuple[str, ...]:
    """Values of the arguments, JSON strings decoded; the text as it is where it is no JSON."""
    written = call.arguments
    known = argument_value(written)
    return tuple(_values(known[0])) if known else (written,)


def _values(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if not (name in FIXED_VALUES and isinstance(inner, str)):
                yield from _values(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner)
