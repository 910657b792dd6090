"""Anthropic Messages requests, responses and captures."""
