"""Tags by which harnesses mark what they put into a user message themselves: open files, reminders, the environment.

Only names that a harness is known to write are here, because a person's or a program's own task may stand in tags too.
"""

from __future__ import annotations

import re

from ravenglass.sessions.model.session import Part

_NAMES = frozenset({
    # Claude Code, and those that took over its reminders
    "system-reminder", "system_reminder", "system-notification", "system_notification", "new-diagnostics",
    "user-prompt-submit-hook", "session-start-hook", "post-tool-use-hook", "task-notification", "agent-notification",
    "local-command-caveat", "persisted-output", "mcp-resource", "claudemd", "teammate-message", "fork-boilerplate",
    "total_tokens", "budget", "notification", "system",
    # Codex
    "environment_context", "user_instructions", "permissions instructions", "collaboration_mode", "model_switch",
    "personality_spec", "apps_instructions", "skills_instructions", "plugins_instructions", "skill", "hook_prompt",
    "turn_aborted", "subagent_notification", "subagents", "realtime_conversation", "token_budget", "goal_context",
    # Gemini, Qwen
    "session_context", "hook_context", "loaded_context", "activated_skill",
    # Cline, Roo, Kilo
    "environment_details", "system_notice", "explicit_instructions", "file_content", "folder_content", "url_content",
    "problems", "workspace_diagnostics", "git_working_state", "git_commit", "terminal_output",
    # Cursor
    "user_info", "attached_files", "manually_added_selection", "additional_data", "project_layout", "image_files",
    "open_and_recently_viewed_files", "git_status", "agent_transcripts", "mcp_file_system", "current_file",
    "linter_errors", "recently_viewed_files", "agent_skills", "always_applied_workspace_rules", "timestamp",
    # VS Code, Copilot
    "context", "environment_info", "workspace_info", "reminderinstructions", "reminder", "editorcontext",
    "repocontext", "attachments", "attachment", "current_datetime", "todolist", "usermemory", "sessionmemory",
    "repomemory", "userpreferences", "tooluseinstructions", "tools_changed_notice", "agent_instructions",
    # Amp, goose, Antigravity, OpenHands, Zed
    "attachedfiles", "userstate", "guidance", "info-msg", "additional_metadata", "user_settings_change",
    "ephemeral_message", "runtime_information", "repository_info", "repository_instructions", "extra_info",
    "uploaded_files", "project_context",
})  # fmt: skip
_FAMILIES = ("ide_", "ide-", "local-command-", "command-", "bash-std")
_OPENING = re.compile(r"<([A-Za-z][\w.-]*(?: instructions)?)(?:\s[^<>]*)?>")
_MOST = 200
"""Blocks that are passed over."""


def is_harness(name: str) -> bool:
    """Whether a harness puts what it wrote itself between tags of this name."""
    low = name.lower()
    return low in _NAMES or low.startswith(_FAMILIES)


def without_blocks(words: str) -> str:
    """The text without the blocks of harnesses at its beginning; one that is not closed goes to the end."""
    rest = words.strip()
    for _ in range(_MOST):
        found = _OPENING.match(rest)
        if found is None or not is_harness(found[1]):
            break
        _, _, after = rest[found.end() :].partition(f"</{found[1]}>")
        rest = after.strip()
    return rest


def only_blocks(parts: tuple[Part, ...]) -> bool:
    """Whether nothing is in a user message but what a harness wrote in its tags; an image was a person's."""
    words = "\n".join(part.text for part in parts)
    return bool(words.strip()) and all(part.kind == "text" for part in parts) and not without_blocks(words)
