"""OpenAI Responses items."""
