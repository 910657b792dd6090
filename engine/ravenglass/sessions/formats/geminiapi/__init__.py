"""Requests of the Gemini API and their answers."""
