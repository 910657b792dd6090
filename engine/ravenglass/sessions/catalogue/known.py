"""The lists of all importers and holders there are. A new format is one line here."""

from __future__ import annotations

from ravenglass.sessions.formats.amp.importer import Amp
from ravenglass.sessions.formats.anthropic.importer import Anthropic
from ravenglass.sessions.formats.atif.importer import Atif
from ravenglass.sessions.formats.chat.openai_chat import OpenAIChat
from ravenglass.sessions.formats.chat.raven import Raven
from ravenglass.sessions.formats.claude.importer import ClaudeCode
from ravenglass.sessions.formats.codex.importer import Codex
from ravenglass.sessions.formats.continuedev.importer import Continue
from ravenglass.sessions.formats.droid.importer import Droid
from ravenglass.sessions.formats.gemini.importer import GeminiCLI
from ravenglass.sessions.formats.geminiapi.importer import GeminiAPI
from ravenglass.sessions.formats.goose.holder import GooseDatabase
from ravenglass.sessions.formats.goose.importer import Goose
from ravenglass.sessions.formats.hermes.holder import HermesDatabase
from ravenglass.sessions.formats.hermes.importer import Hermes
from ravenglass.sessions.formats.inspect.archive import InspectArchive
from ravenglass.sessions.formats.inspect.log import InspectLog
from ravenglass.sessions.formats.opencode.export import OpenCodeExport
from ravenglass.sessions.formats.opencode.holder import OpenCode
from ravenglass.sessions.formats.openhands.folder import OpenHandsFolder
from ravenglass.sessions.formats.openhands.importer import OpenHands
from ravenglass.sessions.formats.otel.importer import OTel
from ravenglass.sessions.formats.pi.importer import Pi
from ravenglass.sessions.formats.qwen.importer import QwenCode
from ravenglass.sessions.formats.responses.importer import OpenAIResponses
from ravenglass.sessions.formats.streams.claude import ClaudeStream
from ravenglass.sessions.formats.streams.codex import CodexStream
from ravenglass.sessions.formats.streams.cursor import CursorStream
from ravenglass.sessions.formats.streams.gemini import GeminiStream
from ravenglass.sessions.formats.swe.mini_swe_agent import MiniSweAgent
from ravenglass.sessions.formats.swe.swe_agent import SweAgent
from ravenglass.sessions.formats.vscode.importer import VSCodeChat
from ravenglass.sessions.importing.holder import Holder
from ravenglass.sessions.importing.importer import Importer

IMPORTERS: tuple[Importer, ...] = (
    ClaudeCode(),
    QwenCode(),
    ClaudeStream(),
    CursorStream(),
    GeminiStream(),
    CodexStream(),
    Droid(),
    Goose(),
    Amp(),
    Continue(),
    Hermes(),
    VSCodeChat(),
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
    GeminiAPI(),
    Anthropic(),
    OpenAIResponses(),
    OpenAIChat(),
)
"""Of single files, most specific first: of equally sure ones the first wins."""

HOLDERS: tuple[Holder, ...] = (OpenCode(), OpenHandsFolder(), InspectArchive(), GooseDatabase(), HermesDatabase())
"""Of folders and databases, most specific first: the first that recognises a path wins."""
