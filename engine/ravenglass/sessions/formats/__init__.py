"""One folder an agent: what it writes to disk, read into a session. No format imports another."""
