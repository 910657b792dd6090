"""Messages and conversations in the form of OpenAI chat, which several formats share."""
