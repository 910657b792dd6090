"""The lists of all importers and holders there are, each imported when it is needed. A new format is one line here."""

from __future__ import annotations

from ravenglass.sessions.catalogue.demand import HolderOnDemand, ImporterOnDemand
from ravenglass.sessions.importing.holder import Holder
from ravenglass.sessions.importing.importer import Importer

IMPORTERS: tuple[Importer, ...] = (
    ImporterOnDemand("claude-code", "claude.importer", "ClaudeCode"),
    ImporterOnDemand("qwen-code", "qwen.importer", "QwenCode"),
    ImporterOnDemand("claude-stream", "streams.claude", "ClaudeStream"),
    ImporterOnDemand("cursor-stream", "streams.cursor", "CursorStream"),
    ImporterOnDemand("gemini-stream", "streams.gemini", "GeminiStream"),
    ImporterOnDemand("codex-stream", "streams.codex", "CodexStream"),
    ImporterOnDemand("droid", "droid.importer", "Droid"),
    ImporterOnDemand("goose", "goose.importer", "Goose"),
    ImporterOnDemand("amp", "amp.importer", "Amp"),
    ImporterOnDemand("continue", "continuedev.importer", "Continue"),
    ImporterOnDemand("hermes", "hermes.importer", "Hermes"),
    ImporterOnDemand("vscode-chat", "vscode.importer", "VSCodeChat"),
    ImporterOnDemand("codex", "codex.importer", "Codex"),
    ImporterOnDemand("raven", "chat.raven", "Raven"),
    ImporterOnDemand("gemini-cli", "gemini.importer", "GeminiCLI"),
    ImporterOnDemand("pi", "pi.importer", "Pi"),
    ImporterOnDemand("atif", "atif.importer", "Atif"),
    ImporterOnDemand("inspect", "inspect.log", "InspectLog"),
    ImporterOnDemand("otel", "otel.importer", "OTel"),
    ImporterOnDemand("swe-agent", "swe.swe_agent", "SweAgent"),
    ImporterOnDemand("mini-swe-agent", "swe.mini_swe_agent", "MiniSweAgent"),
    ImporterOnDemand("opencode", "opencode.export", "OpenCodeExport"),
    ImporterOnDemand("openhands", "openhands.importer", "OpenHands"),
    ImporterOnDemand("gemini-api", "geminiapi.importer", "GeminiAPI"),
    ImporterOnDemand("anthropic-messages", "anthropic.importer", "Anthropic"),
    ImporterOnDemand("openai-responses", "responses.importer", "OpenAIResponses"),
    ImporterOnDemand("openai-chat", "chat.openai_chat", "OpenAIChat"),
)
"""Of single files, most specific first: of equally sure ones the first wins."""

HOLDERS: tuple[Holder, ...] = (
    HolderOnDemand("opencode", "opencode.holder", "OpenCode", ("folder", "database")),
    HolderOnDemand("openhands", "openhands.folder", "OpenHandsFolder", ("folder",)),
    HolderOnDemand("inspect", "inspect.archive", "InspectArchive", ("archive",)),
    HolderOnDemand("goose", "goose.holder", "GooseDatabase", ("database",)),
    HolderOnDemand("hermes", "hermes.holder", "HermesDatabase", ("database",)),
)
"""Of folders and databases, most specific first: the first that recognises a path wins."""
