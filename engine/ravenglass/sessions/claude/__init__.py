"""Claude Code transcripts."""
