"""Fuzzing of everything that reads sessions: `make fuzz`, and a small share of it among the usual tests."""
