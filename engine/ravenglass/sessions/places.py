"""Where agents keep their sessions on this machine. Only looks which folders are there; reads and writes nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """A folder in which an agent keeps sessions."""

    agent: str
    """Name for people."""
    path: Path


@dataclass(frozen=True, slots=True)
class _Home:
    """`below` are the folders under an agent's home; `variable` names another home in the environment."""

    agent: str
    home: str
    below: tuple[str, ...]
    variable: str = ""
    inside: str = ""
    """Folder under the variable's value that stands for `home`."""


_HOMES = (
    _Home("Claude Code", ".claude", ("projects",), "CLAUDE_CONFIG_DIR"),
    _Home("Claude Code", ".config/claude", ("projects",), "XDG_CONFIG_HOME", "claude"),
    _Home("Codex", ".codex", ("sessions", "archived_sessions"), "CODEX_HOME"),
    _Home("Gemini CLI", ".gemini", ("tmp",), "GEMINI_CLI_HOME", ".gemini"),
    _Home("opencode", ".local/share/opencode", ("",), "XDG_DATA_HOME", "opencode"),
    _Home("pi", ".pi/agent", ("sessions",)),
    _Home("OpenClaw", ".openclaw", ("agents",)),
    _Home("Raven", ".raven", ("workspace",)),
    _Home("nanobot", ".nanobot", ("workspace/sessions", "sessions")),
    _Home("OpenHands", ".openhands", ("conversations", "sessions")),
)
"""The same below the home folder on Linux, macOS and Windows."""


def places(environment: Mapping[str, str] | None = None, home: Path | None = None) -> tuple[Place, ...]:
    """The folders that are there, each once. A variable that names another home takes the place of the usual one."""
    known = os.environ if environment is None else environment
    user = Path.home() if home is None else home
    found: dict[Path, Place] = {}
    for entry in _HOMES:
        value = known.get(entry.variable, "") if entry.variable else ""
        base = Path(value).expanduser() / entry.inside if value else user / entry.home
        for below in entry.below:
            path = base / below
            if path.is_dir():
                found.setdefault(path.resolve(), Place(entry.agent, path))
    return tuple(found.values())
