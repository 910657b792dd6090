"""The lists of all importers and holders there are. A new format is one line here."""

from __future__ import annotations

from ravenglass.sessions.anthropic.importer import Anthropic
from ravenglass.sessions.atif.importer import Atif
from ravenglass.sessions.chat.openai_chat import OpenAIChat
from ravenglass.sessions.chat.raven import Raven
from ravenglass.sessions.claude.importer import ClaudeCode
from ravenglass.sessions.codex.importer import Codex
from ravenglass.sessions.gemini.importer import GeminiCLI
from ravenglass.sessions.holder import Holder
from ravenglass.sessions.importer import Importer
from ravenglass.sessions.inspect.archive import InspectArchive
from ravenglass.sessions.inspect.log import InspectLog
from ravenglass.sessions.opencode.export import OpenCodeExport
from ravenglass.sessions.opencode.holder import OpenCode
from ravenglass.sessions.openhands.folder import OpenHandsFolder
from ravenglass.sessions.openhands.importer import OpenHands
from ravenglass.sessions.otel.importer import OTel
from ravenglass.sessions.pi.importer import Pi
from ravenglass.sessions.responses.importer import OpenAIResponses
from ravenglass.sessions.swe.mini_swe_agent import MiniSweAgent
from ravenglass.sessions.swe.swe_agent import SweAgent

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
