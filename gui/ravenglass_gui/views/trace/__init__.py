"""The trace: events of calls, and the curator stepped through."""
