"""Tuning: one control per number of the profile."""
