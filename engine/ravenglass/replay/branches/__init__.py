"""Runs that are another run up to some call, and differ from there."""
