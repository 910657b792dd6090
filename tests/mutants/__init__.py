"""Deliberate faults in the sources, one at a time, and the tests that have to see them: `python -m tests.mutants`."""
