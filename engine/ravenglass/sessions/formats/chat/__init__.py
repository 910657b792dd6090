"""OpenAI chat messages, and what writes like them: Raven, nanobot."""
