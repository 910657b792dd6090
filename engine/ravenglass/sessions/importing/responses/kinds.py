"""What a user item of the Responses API is: typed by a person, injected by Codex, or a compaction summary."""

from __future__ import annotations

from ravenglass.sessions.importing.content.harness_tags import only_blocks
from ravenglass.sessions.model.session import Kind, Part

_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions for ",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<model_switch>",
    "<personality_spec>",
    "<apps_instructions>",
    "<skills_instructions>",
    "<plugins_instructions>",
    "<skill>",
    "<hook_prompt",
    "<turn_aborted>",
    "<subagent_notification>",
    "<subagents>",
    "<realtime_conversation>",
    "<token_budget>",
    "<goal_context>",
    "<INSTRUCTIONS>",
)
"""How the messages begin that Codex writes itself."""
_COMMANDS = ("<user_shell_command>",)
_SUMMARIES = ("Another language model started to solve this problem and produced a summary",)
_REQUEST = ("## My request for Codex:", "## My request for Codex")
"""Before it, an editor's extension puts what is open in the editor."""


def user_kind(parts: tuple[Part, ...]) -> Kind:
    """The kind as far as the text itself tells it."""
    first = next((part.text for part in parts if part.kind == "text"), "").lstrip()[:200]
    if first.startswith(_SUMMARIES):
        return "summary"
    if first.startswith(_COMMANDS):
        return "command"
    return "meta" if first.startswith(_INJECTED) or only_blocks(parts) else "prompt"


def request_of(words: str) -> str:
    """The typed part of a prompt, without what an editor's extension put before it."""
    for mark in _REQUEST:
        _, found, typed = words.partition(mark)
        if found and typed.strip():
            return typed.strip()
    return words
