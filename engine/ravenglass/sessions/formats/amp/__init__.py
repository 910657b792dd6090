"""Amp threads."""
