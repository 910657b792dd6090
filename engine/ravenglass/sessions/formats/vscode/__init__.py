"""Chats of VS Code with Copilot."""
