"""Where agents keep their sessions on this machine. Only looks which folders are there; reads and writes nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class AgentPlace:
    """A folder in which an agent keeps sessions."""

    agent: str
    """Name for people."""
    path: Path


@dataclass(frozen=True, slots=True)
class Home:
    """Where an agent keeps its sessions when nothing else is said: `below` are the folders under its home."""

    agent: str
    format: str
    """Name of what reads them, `Session.format`."""
    home: str
    """Relative to the user's home folder: the same on Linux, macOS and Windows."""
    below: tuple[str, ...]
    variable: str = ""
    """Environment variable that names another home."""
    inside: str = ""
    """Folder under the variable's value that stands for `home`."""

    @property
    def usual(self) -> tuple[str, ...]:
        """The folders as one writes them, with ~ for the user's home."""
        return tuple(f"~/{self.home}/{below}".rstrip("/") for below in self.below)

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The folders where the variable is set; none where there is no variable."""
        base = f"${self.variable}/{self.inside}".rstrip("/")
        return tuple(f"{base}/{below}".rstrip("/") for below in self.below) if self.variable else ()


HOMES = (
    Home("Claude Code", "claude-code", ".claude", ("projects",), "CLAUDE_CONFIG_DIR"),
    Home("Claude Code", "claude-code", ".config/claude", ("projects",), "XDG_CONFIG_HOME", "claude"),
    Home("Codex", "codex", ".codex", ("sessions", "archived_sessions"), "CODEX_HOME"),
    Home("Gemini CLI", "gemini-cli", ".gemini", ("tmp",), "GEMINI_CLI_HOME", ".gemini"),
    Home("opencode", "opencode", ".local/share/opencode", ("",), "XDG_DATA_HOME", "opencode"),
    Home("pi", "pi", ".pi/agent", ("sessions",)),
    Home("OpenClaw", "pi", ".openclaw", ("agents",)),
    Home("Raven", "raven", ".raven", ("workspace",)),
    Home("nanobot", "raven", ".nanobot", ("workspace/sessions", "sessions")),
    Home("Qwen Code", "qwen-code", ".qwen", ("projects",), "QWEN_HOME"),
    Home("Factory Droid", "droid", ".factory", ("sessions",)),
    Home("goose", "goose", ".local/share/goose", ("sessions",), "XDG_DATA_HOME", "goose"),
    Home("Amp", "amp", ".local/share/amp", ("threads",), "AMP_DATA_HOME"),
    Home("Continue", "continue", ".continue", ("sessions",), "CONTINUE_GLOBAL_DIR"),
    Home("Hermes Agent", "hermes", ".hermes", ("",), "HERMES_HOME"),
    Home("VS Code", "vscode-chat", ".config/Code/User", ("workspaceStorage", "globalStorage/emptyWindowChatSessions")),
    Home("OpenHands", "openhands", ".openhands", ("conversations", "sessions")),
)
"""Every agent that keeps its sessions in a place of its own."""


def places(environment: Mapping[str, str] | None = None, home: Path | None = None) -> tuple[AgentPlace, ...]:
    """The folders that are there, each once. A variable that names another home takes the place of the usual one."""
    known = os.environ if environment is None else environment
    user = Path.home() if home is None else home
    found: dict[Path, AgentPlace] = {}
    for entry in HOMES:
        value = known.get(entry.variable, "") if entry.variable else ""
        base = Path(value).expanduser() / entry.inside if value else user / entry.home
        for below in entry.below:
            path = base / below
            if path.is_dir():
                found.setdefault(path.resolve(), AgentPlace(entry.agent, path))
    return tuple(found.values())
