"""Inspect AI logs."""
