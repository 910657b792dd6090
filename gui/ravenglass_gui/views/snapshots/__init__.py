"""Snapshots of the run: a list, what differs between two, rolling back as a branch."""
