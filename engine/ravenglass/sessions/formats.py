"""The lists of all importers and holders there are. A new format is one line here."""

from __future__ import annotations

from ravenglass.sessions.anthropic import Anthropic
from ravenglass.sessions.atif import Atif
from ravenglass.sessions.claude_code import ClaudeCode
from ravenglass.sessions.codex import Codex
from ravenglass.sessions.gemini import GeminiCLI
from ravenglass.sessions.holder import Holder
from ravenglass.sessions.importer import Importer
from ravenglass.sessions.inspect_archive import InspectArchive
from ravenglass.sessions.inspect_log import InspectLog
from ravenglass.sessions.mini_swe_agent import MiniSweAgent
from ravenglass.sessions.openai_chat import OpenAIChat
from ravenglass.sessions.opencode import OpenCode
from ravenglass.sessions.opencode_export import OpenCodeExport
from ravenglass.sessions.openhands import OpenHands
from ravenglass.sessions.openhands_folder import OpenHandsFolder
from ravenglass.sessions.otel import OTel
from ravenglass.sessions.pi import Pi
from ravenglass.sessions.raven import Raven
from ravenglass.sessions.responses import OpenAIResponses
from ravenglass.sessions.swe_agent import SweAgent

IMPORTERS: tuple[Importer, ...] = (
    ClaudeCode(),
    Codex(),
    Raven(),
    GeminiCLI(),
    Pi(),
    Atif(),
    InspectLog(),
    OTel(),
    SweAgent(),
    MiniSweAgent(),
    OpenCodeExport(),
    OpenHands(),
    Anthropic(),
    OpenAIResponses(),
    OpenAIChat(),
)
"""Of single files, most specific first: of equally sure ones the first wins."""

HOLDERS: tuple[Holder, ...] = (OpenCode(), OpenHandsFolder(), InspectArchive())
"""Of folders and databases, most specific first: the first that recognises a path wins."""
