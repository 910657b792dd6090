"""Items and conversations in the form of OpenAI responses, which several formats share."""
