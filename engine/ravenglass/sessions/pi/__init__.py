"""pi and OpenClaw sessions."""
