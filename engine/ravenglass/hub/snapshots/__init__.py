"""Snapshots: what is kept of a call so that a replay can stand there again, and its form on disk."""
