"""Rules as data: which tier a message gets, and what is pinned. Part of the Profile, no code of their own.

A rule matches when every field that is set matches. Globs are case-sensitive `fnmatch` patterns.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

TierName = Literal["global", "session", "task", "atomic"]
TIERS: tuple[TierName, ...] = ("global", "session", "task", "atomic")
"""Strongest first: a group takes the strongest tier of its members."""

SectionName = Literal["instruction", "task", "session", "global", "atomic"]
SECTIONS: tuple[SectionName, ...] = ("instruction", "task", "session", "global", "atomic")
"""Sections of a window before its history, in the order of the design: the task first, background behind it."""

SourceName = Literal["user_input", "assistant", "tool_result", "git_diff", "lsp_symbol", "summary", "instruction"]


class TierRule(BaseModel):
    """`(role, source, tool glob, path glob) -> tier`; the first rule that matches wins."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tier: TierName
    role: str = "*"
    source: str = "*"
    tool: str = "*"
    path: str = "*"
    closing: bool | None = None
    """True: only an assistant's closing answer of a turn (no tool calls); None: either."""


class PinRule(BaseModel):
    """A group is pinned when the name of a tool it calls matches `tool` and its arguments contain `argument`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str = "*"
    argument: str = Field(min_length=1)
    """A glob matched against every string of the call's arguments."""


Ttl = Annotated[int, Field(ge=1)] | Literal["until_invalidated", "none"]
"""How long an item may live: seconds of recorded time, until its file changes, or for good."""


class TtlRule(BaseModel):
    """What a tool whose name matches `tool` returned lives for `ttl`; the first rule that matches wins."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str = "*"
    path: str = "*"
    """A glob for the file that the call uses; `*` matches calls that use none, too."""
    ttl: Ttl


_GLOBAL_FILES = (
    "*CLAUDE.md", "*AGENTS.md", "*GEMINI.md", "*CONTRIBUTING.md", "*CONTRIBUTING.rst", "*.cursorrules", "*.editorconfig",
    "*/README.md", "README.md", "*pyproject.toml", "*package.json", "*Cargo.toml", "*go.mod", "*requirements*.txt",
    "*/Gemfile", "*/pom.xml", "*build.gradle*",
)  # fmt: skip
"""The white list of the global tier: project instructions, code conventions, dependency lists."""

_READ_TOOLS = ("Read", "read*", "view*", "cat", "open*", "str_replace_based_edit_tool", "NotebookRead")
_LOOKUP_TOOLS = (
    "Grep", "Glob", "LS", "List*", "list*", "grep*", "glob*", "find*", "search*", "*_search", "ToolSearch", "WebFetch",
    "WebSearch", "fetch*", "*__get_*", "*__list_*", "*__search*", "BashOutput", "TaskOutput",
)  # fmt: skip

DEFAULT_TIER_RULES: tuple[TierRule, ...] = (
    TierRule(role="system", tier="global"),
    TierRule(role="developer", tier="global"),
    *(TierRule(tool=tool, path=path, tier="global") for tool in _READ_TOOLS for path in _GLOBAL_FILES),
    TierRule(tool="tree", tier="global"),
    TierRule(role="user", tier="session"),
    TierRule(role="assistant", closing=True, tier="session"),
    *(TierRule(tool=tool, tier="atomic") for tool in _LOOKUP_TOOLS),
    TierRule(tier="task"),
)

DEFAULT_PIN_RULES: tuple[PinRule, ...] = (
    PinRule(argument="*local/subagent-dag-orchestration*"),
    PinRule(tool="Skill", argument="*"),
    PinRule(tool="Read*", argument="*/SKILL.md"),
    PinRule(tool="read*", argument="*/SKILL.md"),
)

_DAY = 86_400
_FILE_TOOLS = (*_READ_TOOLS, "Write", "write*", "create_file", "str_replace_editor", "file_editor")
_WEB_TOOLS = ("WebFetch", "WebSearch", "web_*", "*web_search*", "*web_fetch*", "fetch*", "*__fetch*")

DEFAULT_TTL_RULES: tuple[TtlRule, ...] = (
    *(TtlRule(tool=tool, ttl=_DAY) for tool in _WEB_TOOLS),
    *(TtlRule(tool=tool, ttl="until_invalidated") for tool in _FILE_TOOLS),
)

DEFAULT_RELIABILITY: dict[str, float] = {
    "user_input": 1.0,
    "instruction": 1.0,
    "git_diff": 0.9,
    "tool_result": 0.8,
    "lsp_symbol": 0.8,
    "assistant": 0.6,
    "summary": 0.5,
}
