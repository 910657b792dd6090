"""Files as tool calls show and change them: which call touches which file, with what content, what that outdates."""
