"""Gemini CLI sessions."""
