"""ATIF trajectories."""
