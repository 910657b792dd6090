"""The lists of all importers and holders there are. A new format is one line here."""

from __future__ import annotations

from ravenglass.sessions.claude_code import ClaudeCode
from ravenglass.sessions.holder import Holder
from ravenglass.sessions.importer import Importer
from ravenglass.sessions.openai_chat import OpenAIChat
from ravenglass.sessions.raven import Raven

IMPORTERS: tuple[Importer, ...] = (
    ClaudeCode(),
    Raven(),
    OpenAIChat(),
)
"""Of single files, most specific first: of equally sure ones the first wins."""

HOLDERS: tuple[Holder, ...] = ()
"""Of folders and databases, most specific first: the first that recognises a path wins."""
